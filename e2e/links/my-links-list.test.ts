/** @module-tag extended */
import { readFile } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectFigure, hit } from '../analytics-stage.ts'
import { expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** Links named a to e, the oldest first; each has ten clicks more than the one before, the first none. */
async function plantFive(user: TestUser): Promise<string[]> {
  const codes = ['alpha', 'bravo', 'carol', 'delta', 'echo'].map(
    (name) => `${name}-${user.id.slice(0, 8)}`,
  )
  for (const [index, short_code] of codes.entries()) {
    const { id } = await makeLink(server, user, {
      short_code,
      original_url: `https://shop.example/${short_code}`,
    })
    await server.sql('update app.shortened_urls set click_count = $2 where id = $1', [
      id,
      10 * index,
    ])
  }
  return codes
}

const shown = (page: Page) =>
  page
    .getByRole('article')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')?.split('/').at(-1)))

const focused = (page: Page) =>
  page.evaluate(() =>
    document.activeElement?.closest('article')?.getAttribute('aria-label')?.split('/').at(-1),
  )

it('by keyboard alone: j and k walk, Enter opens, c copies, e edits, x selects, / searches', async () => {
  const user = await makeUser(server, { plan: 'business' })
  const [alpha = '', , , delta = '', echo = ''] = await plantFive(user)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  await expect.poll(() => shown(page).then((rows) => rows.length)).toBe(5)
  await page.getByRole('heading', { name: 'My Links' }).getByText('My Links').waitFor()
  await page.getByRole('main').getByText('5', { exact: true }).waitFor()

  await page.keyboard.press('j')
  await page.keyboard.press('j')
  expect(await focused(page)).toBe(delta)
  await page.keyboard.press('k')
  expect(await focused(page)).toBe(echo)
  await page.keyboard.press('k')
  expect(await focused(page)).toBe(echo)

  await page.keyboard.press('c')
  await expectNotice(page, 'Copied!', 'Link copied to clipboard')
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${server.url}/${echo}`)

  await page.keyboard.press('e')
  await page.getByRole('dialog').getByText('Edit Redirect URL').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page)).toBe(echo)

  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('2 selected').waitFor()
  await look(page, 'my-links-selected')
  const bar = page.getByRole('region', { name: 'Selected links' })
  await bar.getByRole('button', { name: 'Delete' }).press('Enter')
  await page.getByRole('dialog').getByText('Delete 2 links?').waitFor()
  await page.getByText('their 70 clicks will be lost').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
  await expectNotice(page, 'Deleted', '2 links removed successfully')
  await expect.poll(() => shown(page).then((rows) => rows.length)).toBe(3)

  await page.keyboard.press('/')
  await page.keyboard.type('ALPHA')
  await expect.poll(() => shown(page)).toEqual([alpha])
  await page.keyboard.press('Tab')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/links/${alpha}`)
  await page.goBack()
  await expect.poll(() => shown(page)).toEqual([alpha])
  await expect.poll(() => page.getByLabel('Search links').inputValue()).toBe('ALPHA')
  await page.context().close()
})

it('My Links says on Free alone that a deleted link keeps its slot for 30 days after clicks', async () => {
  const slots = 'Clicked links keep their slots for 30 days.'
  const frees = 'Deleted links free their slot, clicked ones after 30 days.'
  for (const plan of ['free', 'business'] as const) {
    const user = await makeUser(server, { plan: 'business' })
    await plantFive(user)
    await server.sql('update app.user_plans set plan_type = $2 where user_id = $1', [user.id, plan])
    const page = await openPage(browser, server.url, { user })
    await page.goto('/')
    const usage = page.getByLabel('Plan and usage')
    await usage.getByText(plan === 'free' ? 'Free plan' : 'Business plan').waitFor()
    const isFree = plan === 'free'
    expect((await usage.textContent())?.includes(frees)).toBe(isFree)
    await page.goto('/dashboard')
    await expect.poll(() => shown(page).then((rows) => rows.length)).toBe(5)
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('2 selected').waitFor()
    const bar = page.getByRole('region', { name: 'Selected links' })
    await bar.getByRole('button', { name: 'Delete' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Delete 2 links?').waitFor()
    expect((await dialog.textContent())?.includes(slots)).toBe(isFree)
    await page.context().close()
  }
})

it('My Links sorts and filters, and the address keeps it', async () => {
  const user = await makeUser(server, { plan: 'business' })
  const all = await plantFive(user)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  await expect.poll(() => shown(page)).toEqual(all.toReversed())
  for (const [order, expected] of [
    ['oldest', all],
    ['clicks', all.toReversed()],
    ['code', all],
  ] as const) {
    await page.getByLabel('Order').selectOption(order)
    await expect.poll(() => shown(page)).toEqual(expected)
    expect(new URL(page.url()).searchParams.get('sort')).toBe(order)
  }
  await page.getByRole('button', { name: 'No clicks yet' }).click()
  await expect.poll(() => shown(page)).toEqual(all.slice(0, 1))
  await page.reload()
  await expect.poll(() => shown(page)).toEqual(all.slice(0, 1))
  await expect
    .poll(() => page.getByRole('button', { name: 'No clicks yet' }).getAttribute('aria-pressed'))
    .toBe('true')
  await page.getByRole('main').getByText('1 of 5', { exact: true }).waitFor()
  // None is blocked or off, so that there is no filter for them.
  expect(await page.getByRole('group', { name: 'Filters' }).getByRole('button').count()).toBe(2)
  await page.getByRole('button', { name: 'With popup' }).click()
  await page.getByText('No links match these filters').waitFor()
  await page.getByRole('button', { name: 'Clear Filters' }).click()
  await expect.poll(() => shown(page)).toEqual(all)
  await page.context().close()
})

it('a free plan has no order by clicks, and says why; a page by clicks from before shows the list', async () => {
  const user = await makeUser(server)
  await makeLink(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard?sort=clicks&unclicked=true')
  await expect.poll(() => shown(page).then((rows) => rows.length)).toBe(1)
  const chip = page.getByRole('button', { name: 'No clicks yet' })
  await expect.poll(() => chip.isDisabled()).toBe(true)
  await expect
    .poll(() => chip.textContent())
    .toContain('Click counts are part of Pro and Business.')
  await expect
    .poll(() => page.getByRole('option', { name: 'Most clicked' }).isDisabled())
    .toBe(true)
  await page.context().close()
})

it('on a phone a code of 50 letters is whole, and its row is not wider than the window', async () => {
  const user = await makeUser(server)
  const mine = user.id.slice(0, 8)
  const code = `${'w'.repeat(41)}-${mine}`
  await makeLink(server, user, {
    short_code: code,
    original_url: `https://${'a'.repeat(60)}.example/`,
  })
  await makeLink(server, user, {
    short_code: `plain-${mine}`,
    original_url: `https://shop.example/${'x'.repeat(1_900)}`,
  })
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto('/dashboard')
  const text = page.getByText(code, { exact: true })
  await text.waitFor()
  const hidden = await text.evaluate((node) => node.scrollWidth - node.clientWidth)
  expect(hidden).toBeLessThanOrEqual(0)
  const row = await page.getByRole('article', { name: `plain-${mine}` }).boundingBox()
  // Three lines.
  expect(row?.height).toBeLessThanOrEqual(88)
  // The ring of a row with the focus is around its text, not on it.
  const words = await text.boundingBox()
  expect((words?.x ?? 0) - (row?.x ?? 0)).toBeGreaterThanOrEqual(8)
  // Filters fade where they go on below the order.
  const filters = page.getByRole('group', { name: 'Filters' })
  expect(await filters.evaluate((node) => getComputedStyle(node).maskImage)).toContain('gradient')
  await look(page, 'my-links-long')
  await page.context().close()
})

it('trends of all rows come in one request', async () => {
  const user = await makeUser(server, { plan: 'business' })
  const codes = await plantFive(user)
  for (const code of codes.slice(0, 3)) await hit(server, code, { visitor: 1 })
  await expect
    .poll(() =>
      server.sql(
        `select count(*)::int as n from app.click_events e join app.click_scopes s on s.id = e.account where s.ref = $1`,
        [user.id],
      ),
    )
    .toEqual([{ n: 3 }])
  const page = await openPage(browser, server.url, { user })
  let requests = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/rpc/click_trends') && request.method() === 'POST') requests++
  })
  await page.goto('/dashboard')
  await expect.poll(() => shown(page)).toHaveLength(5)
  await expect.poll(() => page.getByRole('img', { name: 'Last 30 days: 1 click' }).count()).toBe(3)
  expect(requests).toBe(1)
  await page.context().close()
})

it('each width shows the host, the code, and where a link goes', async () => {
  const user = await makeUser(server)
  const code = `goes-${user.id.slice(0, 8)}`
  await makeLink(server, user, { short_code: code, original_url: 'https://bistro.example/menu' })
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  const row = page.getByRole('article')
  const offer = row.getByRole('link', { name: 'Upgrade to view clicks' })
  for (const width of [360, 700, 900, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    for (const text of [new URL(server.url).host, code, 'bistro.example/menu']) {
      const widthOf = () =>
        row
          .getByText(text)
          .last()
          .evaluate((part) => part.getBoundingClientRect().width)
      await expect.poll(widthOf, { message: `${text} at ${width} px` }).toBeGreaterThan(12)
    }
    expect(await offer.innerText()).toBe('Upgrade to view clicks')
  }
  await page.context().close()
})

it('on a free plan nothing covers the offer to see clicks, however long the destination is', async () => {
  const user = await makeUser(server)
  await makeLink(server, user, {
    short_code: `long-${user.id.slice(0, 8)}`,
    original_url: `https://www.bistro-harbour.example/menus/spring-2027?table=${'window-left-'.repeat(12)}`,
  })
  await server.sql(
    `update app.shortened_urls set created_at = created_at - interval '8 days' where user_id = $1`,
    [user.id],
  )
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  const row = page.getByRole('article')
  const offer = row.getByRole('link', { name: 'Upgrade to view clicks' })
  for (const width of [360, 700, 900, 1024, 1280, 1366, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    const isFree = () =>
      offer.evaluate((link) => {
        const { left, right, top, bottom } = link.getBoundingClientRect()
        return [left + 2, (left + right) / 2, right - 2].every((x) =>
          link.contains(document.elementFromPoint(x, (top + bottom) / 2)),
        )
      })
    await expect.poll(isFree, { message: `${width} px` }).toBe(true)
  }
  await offer.click({ position: { x: 100, y: 10 } })
  await page.waitForURL('**/upgrade')
  await page.context().close()
})

it('an open list and the page of a link move with the clicks, and say the same', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const code = `moves-${user.id.slice(0, 8)}`
  await makeLink(server, user, { short_code: code })
  const list = await openPage(browser, server.url, { user })
  await list.goto('/dashboard')
  const row = list.getByRole('article', { name: code })
  await row.getByText('0 clicks').waitFor()
  await hit(server, code, { visitor: 1 })
  await expect.poll(() => row.textContent()).toContain('1 click')

  // The page of the link, from the row: its first line and its report.
  await row.getByRole('link', { name: code }).click()
  await list.getByText('1 all-time').waitFor()
  await expectFigure(list, 'Clicks', 1)
  await hit(server, code, { visitor: 2, agent: 'chrome' })
  await expectFigure(list, 'Clicks', 2)
  await list.getByText('2 all-time').waitFor()
  // Back at once: the row has it too.
  await list.goBack()
  await row.getByText('2 clicks').waitFor()
  await list.context().close()
})

it('My Links saves the QR codes before one that fails, because they count as downloads', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  for (let made = 0; made < 4; made++) await makeLink(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  await expect.poll(() => page.getByRole('article').count()).toBe(4)
  for (const box of await page.getByRole('article').getByRole('checkbox').all()) await box.check()
  await page.getByRole('button', { name: 'QR codes' }).click()
  let counted = 0
  await page.route('**/rpc/increment_qr_usage*', (route) =>
    ++counted === 3 ? route.abort() : route.continue(),
  )
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download ZIP' }).click()
  const files = unzipSync(await readFile(await (await downloading).path()))
  expect(Object.keys(files)).toHaveLength(2)
  await expectNotice(page, 'Error', 'Failed to download QR codes')
  forgive(/ERR_FAILED/)
  await page.context().close()
})
