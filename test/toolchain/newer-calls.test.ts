import { expect, it } from 'vitest'
import { newerCalls, visitorScripts } from '../../scripts/checks/newer-calls.mjs'

it('a call newer than Safari 16.2 is found in a script for visitors, and an older one is not', () => {
  const names = (text: string) =>
    newerCalls('public-pages/a-script.ts', text).map(({ name }) => name)
  expect(names('URL.canParse(document.referrer)')).toEqual(['URL.canParse'])
  expect(names('const { promise } = Promise.withResolvers()')).toEqual(['Promise.withResolvers'])
  expect(names('window.URL.parse(text)')).toEqual(['URL.parse'])
  expect(names("URL['canParse'](text)")).toEqual(['URL.canParse'])
  expect(names('Object.groupBy(rows, keyOf); Array.fromAsync(rows)')).toEqual([
    'Object.groupBy',
    'Array.fromAsync',
  ])
  expect(names('dialog.requestClose?.()')).toEqual(['requestClose'])
  expect(names('panel.showPopover()')).toEqual(['showPopover'])
  expect(names('const { groupBy } = Object')).toEqual(['Object.groupBy'])
  expect(names('requestIdleCallback(go)')).toEqual(['requestIdleCallback'])
  expect(names('new URLPattern({ pathname })')).toEqual(['URLPattern'])
  expect(names('/(?<=a)b/.test(text)')).toEqual(['/(?<=a)b/'])
  expect(names('/[a-z]/v.test(text)')).toEqual(['/[a-z]/v'])
  for (const old of [
    'new URL(document.referrer).host',
    'dialog.showModal(); dialog.close()',
    'rows.toSorted(); rows.at(-1); rows.findLast(Boolean); Object.hasOwn(a, b)',
    'structuredClone(rows); text.replaceAll("a", "b")',
    '/(?<year>\\d+)(?:a|b)(?=c)/u.test(text)',
    'navigator.clipboard.writeText(text)',
    'function add(popover: string) { return { union: popover } }',
  ])
    expect(names(old), old).toEqual([])
})

it('each script for visitors is read', () => {
  const paths = visitorScripts().map(({ path }) => path.replace(/.*\//, ''))
  expect(paths).toEqual(
    expect.arrayContaining([
      'popup-script.ts',
      'popup-beacon.ts',
      'popup-emails.ts',
      'popup-room.ts',
      'popup-session.ts',
      'popup-thanks.ts',
      'qr-marker-script.ts',
      'share-script.ts',
    ]),
  )
})
