/** @module-tag extended */
import { expect, it } from 'vitest'
import { brokenTexts, countPhrases, textsOf } from '../../scripts/checks/wording.mjs'

it('phrases that read twice are counted, and their cures are not', () => {
  const counts = (text: string) =>
    Object.entries(countPhrases(text)).flatMap(([name, count]) => (count > 0 ? [name] : []))
  expect(counts('What the metrics say.')).toEqual(['what'])
  expect(counts('Who reaches it reads it.')).toEqual(['who'])
  expect(counts('A name whose DNS leads to it.')).toEqual(['whose'])
  expect(counts('64 KiB unless told.')).toEqual(['unlessTold'])
  expect(counts('A database of its own.')).toEqual(['ofItsOwn'])
  expect(counts('/** ' + 'Of one account. */')).toEqual(['ofFirst'])
  expect(counts('It stands there, leads on, and is told.')).toEqual(['stands', 'leadsOn', 'isTold'])
  for (const cure of [
    '/** Maximum of one account. */',
    'It stands for a noun, and a stand-in.',
    'The metrics. Default: 64 KiB. A separate database.',
    'Anyone who reaches it can read it; people who sign in see more.',
    'What is a hop?',
    'Changes of its own account.',
  ])
    expect(counts(cure), cure).toEqual([])
})

it('the wording of comments, test names and pages is read, not that of code', () => {
  const code = `// What a comment says.\nconst what = 'what the screen says'\n/** What a doc says. */`
  expect(textsOf('a.ts', code).map((text) => text.includes('What'))).toEqual([true, true])
  expect(textsOf('a.test.ts', `it('shows what it has', () => {})`).join(' ')).toContain(
    'shows what',
  )
  expect(textsOf('a.sql', `select 'what' -- What it selects.`)).toEqual(['-- What it selects.'])
  expect(textsOf('a.md', 'What it is.\n\n```\nwhat\n```\n').join(' ')).not.toContain('```')
})

it('a text of a screen that breaks the rule is found, and one that keeps it is not', () => {
  const screen = (text: string) => brokenTexts('web/features/a/b.tsx', text)
  expect(screen('<Field label="The name of your page" />').longLabel).toHaveLength(1)
  expect(screen(`<Field label={isNew ? 'Name' : 'The name of your page'} />`).longLabel).toEqual([
    'The name of your page',
  ])
  expect(
    screen('<Field label="Page name" aria-label="The name of your page" />').longLabel,
  ).toEqual([])
  expect(
    screen('<Field hint="It stays. You can never change it after that, not even once." />'),
  ).toEqual({
    longLabel: [],
    longHint: ['You can never change it after that, not even once.'],
    itFirst: ['It stays.'],
  })
  expect(brokenTexts('server/a.ts', `{ label: 'The name of your page' }`).longLabel).toEqual([])
})
