/** @module-tag extended */
import { beforeAll, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { expectStored } from '../analytics-stage.ts'
import type { EnginePage } from './engine-page.ts'
import { inEachEngine } from './engine-stage.ts'

/** An opened menu must be in sight, beside its button, with items that a press reaches. Gives the faults. */
const faultsOfMenu = (page: EnginePage, id: string) =>
  page.run((wanted) => {
    const button = document.querySelector<HTMLElement>(`[popovertarget="${wanted}"]`)
    const panel = document.querySelector<HTMLElement>('[popover]:popover-open')
    if (!button || !panel) return ['it is not open']
    const faults: string[] = []
    const at = button.getBoundingClientRect()
    const box = panel.getBoundingClientRect()
    const gap = Math.max(box.top - at.bottom, at.top - box.bottom)
    const words = [at, box].map(({ left, top, width, height }) =>
      [left, top, width, height].map(Math.round).join(),
    )
    if (box.width < 100 || box.height < 40) faults.push('it is too small')
    if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight)
      faults.push('it leaves the window')
    if (box.left > at.right || box.right < at.left) faults.push('it is beside another element')
    const main = button.closest('main')?.getBoundingClientRect()
    if (main && box.left < main.left) faults.push('it lies over the sidebar')
    // In a low window it may cover its button.
    if (gap > 12 || (gap < 0 && innerHeight > 500)) faults.push(`it is ${gap} px from its button`)
    for (let each: Element | null = panel; each; each = each.parentElement)
      if (Number(getComputedStyle(each).opacity) < 1) faults.push('it is transparent')
    for (const item of panel.querySelectorAll<HTMLElement>('a, button, label')) {
      if (!item.checkVisibility()) continue
      item.scrollIntoView({ block: 'nearest' })
      const { left, top, width, height } = item.getBoundingClientRect()
      const hit = document.elementFromPoint(left + width / 2, top + height / 2)
      if (!item.contains(hit))
        faults.push(`${item.textContent} is covered by ${hit?.outerHTML.slice(0, 60)}`)
    }
    return faults.length === 0 ? [] : [...faults, ...words]
  }, id)

/** Opens each menu of the screen that is in sight, and closes it. Gives their names. */
async function openMenus(page: EnginePage): Promise<string[]> {
  const buttons = await page.run(() =>
    [...document.querySelectorAll<HTMLElement>('[popovertarget]')].flatMap((button) => {
      const { left, top, width, height } = button.getBoundingClientRect()
      const hit = document.elementFromPoint(left + width / 2, top + height / 2)
      const name = button.getAttribute('aria-label') ?? button.textContent.trim()
      return hit && button.contains(hit)
        ? [
            {
              id: button.getAttribute('popovertarget') ?? '',
              name,
              x: left + width / 2,
              y: top + height / 2,
            },
          ]
        : []
    }),
  )
  // Rows of a list have the same menu: two at each end will do.
  const sameName = (name: string) => buttons.filter((each) => each.name === name)
  const chosen = buttons.filter((each) => {
    const index = sameName(each.name).indexOf(each)
    return index < 2 || index >= sameName(each.name).length - 2
  })
  for (const { id, name, x, y } of chosen) {
    await page.pressAt(x, y)
    await expect
      .poll(() => faultsOfMenu(page, id), { message: `${name} at ${x}, ${y}` })
      .toEqual([])
    await page.key('Escape')
    await page.until(() => document.querySelector('[popover]:popover-open') === null)
  }
  return buttons.map(({ name }) => name)
}

/** Numbers of two digits: no code is the beginning of another. */
const numbers = Array.from({ length: 40 }, (_, i) => i + 10)

inEachEngine('menus', (stage) => {
  let user: TestUser
  const prefix = () => `${stage.engine.toLowerCase()}-menu-`
  beforeAll(async () => {
    const { server } = stage
    user = await makeUser(server, { plan: 'pro' })
    const links = numbers.map((each) => ({
      code: `${prefix()}${each}`,
      url: 'https://example.com/',
    }))
    await plantLinks(server.sql, links, user.id)
    // A link without clicks would be deleted without a question.
    await server.sql(
      `update app.shortened_urls set click_count = 3, created_at = now() - right(short_code, 2)::int * interval '1 hour'
        where user_id = $1`,
      [user.id],
    )
    await visit(server.url, `/${prefix()}10`)
    await expectStored(server, user, 1)
    for (const title of ['One', 'Two'])
      await server.sql('insert into app.popups (user_id, title) values ($1, $2)', [user.id, title])
  })

  const windows = [
    [1280, 900],
    [800, 700],
    [360, 780],
    [844, 390],
  ] as const
  it.for(windows)('open beside their buttons, in a window of %i by %i', async ([width, height]) => {
    const page = await stage.open({ user, width, height })
    for (const path of [
      '/',
      '/dashboard',
      '/links/clicked',
      '/analytics',
      '/my-popups',
      '/bio-link',
    ]) {
      await page.goto(path.replace('clicked', `${prefix()}10`))
      await page.until(() => document.querySelector('main [popovertarget], main h1') !== null)
      if (path === '/dashboard') await page.seeText(`${prefix()}10`, 'article')
      const names = await openMenus(page)
      expect([path, names.length]).not.toEqual([path, 0])
    }
  })

  it('belong to their rows, also far down: Delete removes the link of the row', async () => {
    const page = await stage.open({ user })
    await page.goto('/dashboard')
    for (const row of [11, 37]) {
      const article = `article[aria-label$="/${prefix()}${row}"]`
      await page.until((selector) => {
        document.querySelector(selector)?.scrollIntoView({ block: 'center' })
        scrollBy(0, document.querySelector(selector) ? 0 : 300)
        return document.querySelector(selector) !== null
      }, article)
      await page.press('button', 'More actions', article)
      await page.press('button', 'Delete', '[popover]:popover-open')
      await page.seeText(`${prefix()}${row}`, 'dialog[open]')
      await page.press('button', 'Delete', 'dialog[open]')
      await page.until(() => document.querySelector('dialog[open]') === null)
      await page.until((selector) => document.querySelector(selector) === null, article)
    }
    const left = await stage.server.sql<{ short_code: string }>(
      'select short_code from app.shortened_urls where user_id = $1',
      [user.id],
    )
    const codes = left.map(({ short_code }) => short_code)
    expect(codes).toHaveLength(38)
    expect(codes).not.toContain(`${prefix()}11`)
    expect(codes).not.toContain(`${prefix()}37`)
  })
})
