/** @module-tag extended */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import {
  choosePeriod,
  environment,
  expectAddress,
  expectFigure,
  expectStored,
  followClicks,
  hit,
  openHoplet,
  owner,
  tabTo,
  makeStory,
} from '../analytics-stage.ts'
import { expectAccessible, expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { followHops } from '../hops.ts'
import { look } from '../look.ts'
import { failing, saveBioPage } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage), { environment })

const row = (page: Page, list: string, name: string) =>
  page
    .getByRole('region', { name: list, exact: true })
    .getByRole('listitem')
    .getByRole('button', { name })

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

it('a time is chosen, is in the address, and is there again after a reload and after Back', async () => {
  const { user } = await makeStory(server)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics')
  await expectFigure(page, 'Clicks', 7)
  await choosePeriod(page, 'Last 7 days')
  await expectAddress(page, { range: '7d' })
  await choosePeriod(page, 'Last 24 hours')
  await expectAddress(page, { range: '24h' })
  await page.getByRole('group', { name: 'Clicks by hour' }).waitFor()
  await page.reload()
  await expectFigure(page, 'Clicks', 7)
  await page.getByRole('button', { name: 'Period: Last 24 hours' }).waitFor()
  await choosePeriod(page, 'vs. Previous year')
  await expectAddress(page, { range: '24h', compare: 'year' })
  await choosePeriod(page, 'vs. Previous period')
  for (const [name, range] of [
    ['Yesterday', 'yesterday'],
    ['This month', 'month'],
    ['Last month', 'last-month'],
    ['This year', 'year'],
  ] as const) {
    await choosePeriod(page, name)
    await expectAddress(page, { range })
  }

  await choosePeriod(page, 'Custom')
  const dialog = page.getByRole('dialog', { name: 'Custom range' })
  await dialog.getByLabel('From').fill('2026-02-10')
  await dialog.getByLabel('To', { exact: true }).fill('2026-02-01')
  await dialog.getByRole('button', { name: 'Show' }).click()
  await dialog.getByText('The last day must not be before the first one').waitFor()
  await dialog.getByLabel('To', { exact: true }).fill('2026-02-20')
  await dialog.getByRole('button', { name: 'Show' }).click()
  await expectAddress(page, { from: '2026-02-10', to: '2026-02-20' })
  await expectFigure(page, 'Clicks', 0)
  await page.getByRole('link', { name: 'My Links' }).first().click()
  await page.getByRole('heading', { name: 'My Links' }).waitFor()
  await page.goBack()
  await expectAddress(page, { from: '2026-02-10', to: '2026-02-20' })
  await expectFigure(page, 'Clicks', 0)
  await choosePeriod(page, 'All time')
  await expectFigure(page, 'Clicks', 7)
  await page.context().close()
})

it('a row of a list narrows the report, together with a row of another list', async () => {
  const { user } = await makeStory(server)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics')
  await expectFigure(page, 'Clicks', 7)
  await row(page, 'Came from', 'search.example').click()
  await expectAddress(page, { referrer: 'search.example' })
  await expectFigure(page, 'Clicks', 2)
  await row(page, 'Places', 'Japan').click()
  await expectAddress(page, { referrer: 'search.example', country: 'JP' })
  await expectFigure(page, 'Clicks', 1)
  // A second value of one list is added to the first.
  await row(page, 'Places', 'United States').click()
  await expectFigure(page, 'Clicks', 2)
  await expectAddress(page, { referrer: 'search.example', country: '["JP","US"]' })
  await page.reload()
  await expectFigure(page, 'Clicks', 2)
  await page.getByRole('button', { name: 'Remove the filter Country United States' }).click()
  await expectFigure(page, 'Clicks', 1)
  await page.getByRole('link', { name: 'My Links' }).first().click()
  await page.getByRole('heading', { name: 'My Links' }).waitFor()
  await page.goBack()
  await expectFigure(page, 'Clicks', 1)
  await press(page, 'Clear all')
  await expectAddress(page, {})
  await expectFigure(page, 'Clicks', 7)
  await page.context().close()
})

it('repeats, own visits and bots count or not, afterwards, and a dialog explains the sum', async () => {
  const { user } = await makeStory(server)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics')
  await expectFigure(page, 'Clicks', 7)
  await press(page, 'How we count')
  const dialog = page.getByRole('dialog', { name: 'How we count' })
  await dialog.getByText('We log every visit and label it once.').waitFor()
  await expect
    .poll(() => linesOf(dialog))
    .toEqual([
      'Counted 5',
      '+Repeat clicks 1',
      '+My visits 1',
      '+Bots and interstitials (excluded) 3',
      '=Clicks 7',
      'Excluded 3',
    ])
  await dialog.getByRole('tab', { name: 'Bots' }).click()
  await dialog.getByText('Googlebot').waitFor()
  await look(page, 'analytics-explained')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const flip = (name: string) => page.getByRole('switch', { name, exact: true }).click()
  await flip('Repeat clicks')
  await expectFigure(page, 'Clicks', 6)
  await flip('My visits')
  await expectFigure(page, 'Clicks', 5)
  await flip('Bots and interstitials')
  await expectFigure(page, 'Clicks', 8)
  await expectAddress(page, { repeats: 'false', own: 'false', bots: 'true' })
  await page.context().close()
})

const linesOf = (dialog: Locator) =>
  dialog
    .locator('dl')
    .first()
    .locator('> div')
    .evaluateAll((lines) =>
      lines.map((line) => [...line.children].map((part) => part.textContent.trim()).join(' ')),
    )

it('the chart is read with the arrow keys, and as a table', async () => {
  const { user } = await makeStory(server)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics?range=7d')
  const chart = page.getByRole('group', { name: 'Clicks by day' })
  await chart.focus()
  const told = page.getByRole('region', { name: 'Totals' }).getByRole('status')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => told.textContent()).toContain('7 clicks, 5 visitors')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => told.textContent()).toContain('0 clicks, 0 visitors')
  await page.keyboard.press('End')
  await expect.poll(() => told.textContent()).toContain('7 clicks')
  await page.getByRole('region', { name: 'Totals' }).getByRole('button', { name: 'Table' }).click()
  const table = page.getByRole('table', { name: 'Clicks by day' })
  await table.getByRole('row').nth(7).waitFor()
  await expect
    .poll(() => table.getByRole('row').nth(1).getByRole('cell').allTextContents())
    .toEqual(['7', '5', '0'])
  await expectAccessible(page)
  await page.context().close()
})

describe('while the page is open', () => {
  it(
    'a hit moves the figure and is on top of the latest hits, and no figure is ever taken back',
    { tags: ['gate'] },
    async () => {
      const { user, code } = await makeStory(server)
      const page = await openPage(browser, server.url, { user })
      let answers = 0
      page.on('response', (response) => {
        if (isTotals(response.request().postData())) answers++
      })
      // The chart's answer comes later than the one of the totals.
      await page.route('**/rpc/click_report', async (route) => {
        if (!isTotals(route.request().postData())) await sleep(300)
        await route.fallback()
      })
      await page.goto('/analytics')
      await expectFigure(page, 'Clicks', 7)
      await page.getByRole('switch', { name: 'The figures move with each click' }).waitFor()
      const seen = await followClicks(page)
      const before = answers
      let clicks = 7
      // An answer has hits that the page is told of only afterwards, so there are two of them in the midst of hits.
      for (; answers < before + 2; clicks++) {
        await hit(server, code, { visitor: 31 + (clicks % 100) })
        await sleep(20)
      }
      await hit(server, code, { visitor: 30, referrer: 'https://live.example/' })
      await expectFigure(page, 'Clicks', ++clicks)
      const hits = page.getByRole('region', { name: 'Latest hits, newest first' })
      await hits.getByRole('listitem').first().getByText('from live.example').waitFor()
      const figures = await seen()
      expect(figures).toEqual([...new Set(figures)].toSorted((a, b) => a - b))
      expect(figures.at(-1)).toBe(clicks)
      await page.context().close()
    },
  )

  it('a live click hops from the bar before onto its own; with reduced motion, and for other figures, nothing moves', async () => {
    const { user, code } = await makeStory(server)
    const page = await openPage(browser, server.url, { user })
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.goto(`/links/${code}`)
    await expectFigure(page, 'Clicks', 7)
    await page.getByRole('switch', { name: 'The figures move with each click' }).waitFor()
    const hops = await followHops(page)
    await hit(server, code, { visitor: 50 })
    await expect.poll(hops).toHaveLength(1)
    await expectFigure(page, 'Clicks', 8)
    const bars = page.getByRole('group', { name: /^Clicks by day/ }).locator('svg')
    const today = await bars.locator('rect[fill="var(--accent)"]').boundingBox()
    const [path = ''] = await hops()
    const [fromX = 0, fromY = 0, , , toX = 0, toY = 0] = (path.match(/-?[\d.]+/g) ?? []).map(Number)
    if (today === null) throw new Error('today has a bar')
    // From the empty day before, at the foot of the chart, to the top of today's bar, where the dot rests.
    expect(toX).toBeCloseTo(today.x + today.width / 2, 0)
    expect(toY).toBeCloseTo(today.y - 5, 0)
    expect(fromY).toBeCloseTo(today.y + today.height - 5, 0)
    expect(fromX).toBeGreaterThan(today.x - 2 * today.width)
    expect(fromX).toBeLessThan(today.x)
    await expect.poll(() => page.locator('[data-hop]').count()).toBe(0)

    // A filter changes the bar too, without a click.
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    for (const clicks of [7, 8]) {
      await page.getByRole('switch', { name: 'Repeat clicks', exact: true }).click()
      await expectFigure(page, 'Clicks', clicks)
    }
    await page.keyboard.press('Escape')
    expect(await hops()).toHaveLength(1)

    await page.emulateMedia({ reducedMotion: 'reduce' })
    await hit(server, code, { visitor: 51 })
    await expectFigure(page, 'Clicks', 9)
    await page
      .getByRole('region', { name: 'Totals' })
      .getByRole('button', { name: 'Table' })
      .click()
    const table = page.getByRole('table', { name: 'Clicks by day' })
    await table.getByRole('row').filter({ hasText: '9' }).first().waitFor()
    expect(await hops()).toHaveLength(1)
    await page.context().close()
  })

  it('without a network it says so, and comes back with the missed hits', async () => {
    const { user, code } = await makeStory(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto(`/links/${code}`)
    await expectFigure(page, 'Clicks', 7)
    const live = page.getByRole('switch', { name: 'The figures move with each click' })
    await live.waitFor()
    const seen = await followClicks(page)
    await page.context().setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await hit(server, code, { visitor: 40 })
    await expectStored(server, user, 11)
    await page.context().setOffline(false)
    await expectFigure(page, 'Clicks', 8)
    await live.waitFor()
    await hit(server, code, { visitor: 41 })
    await expectFigure(page, 'Clicks', 9)
    const figures = await seen()
    expect(figures).toEqual(figures.toSorted((a, b) => a - b))

    await live.click()
    await page.getByRole('switch', { name: 'Press to follow the clicks again' }).waitFor()
    forgive(/ERR_INTERNET_DISCONNECTED/)
    await page.context().close()
  })
})

const isTotals = (body: string | null) => body?.includes('"_by":"total"') === true

it('own visits are shown beside the visitors', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const { id, short_code: code } = await makeLink(server, user)
  await openHoplet(server, user)
  await hit(server, code, { visitor: owner })
  await expectStored(server, user, 1)
  const page = await openPage(browser, server.url, { user })
  await page.goto(`/analytics?scope=link&id=${id}`)
  await expectFigure(page, 'Clicks', 1)
  await expectFigure(page, 'Visitors', 0)
  await page.getByRole('region', { name: 'Totals' }).getByText('Your own: 1').waitFor()
  await page.context().close()
})

it('the sum of every visit adds up, for the account and for a link', async () => {
  const { user, code } = await makeStory(server)
  await saveBioPage(server, user, { slug: `bio-${user.id.slice(0, 8)}`, title: 'Me' })
  await visit(server.url, `/bio-${user.id.slice(0, 8)}`)
  await expectStored(server, user, 11)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics')
  await press(page, 'How we count')
  await page.getByText('11 received = 8 clicks + 3 filtered + 0 waiting').waitFor()
  const card = page.getByRole('region', { name: 'Every visit' })
  await expect
    .poll(() => card.locator('dl').last().locator('div').allTextContents())
    .toEqual([
      'Counted6',
      'Repeat clicks1',
      'My visits1',
      'HEAD requests1',
      'Link previews1',
      'Crawlers1',
    ])
  await page.goto(`/links/${code}`)
  await press(page, 'How we count')
  await page.getByText('10 received = 7 clicks + 3 filtered + 0 waiting').waitFor()
  await page.goto('/bio-link')
  await page.getByRole('main').getByRole('link', { name: 'Analytics' }).click()
  await expectFigure(page, 'Clicks', 1)
  await press(page, 'How we count')
  await page.getByText('1 received = 1 clicks + 0 filtered + 0 waiting').waitFor()
  await page.context().close()
})

it('data from visitors is text on the screen and in files', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const code = `hostile-${user.id.slice(0, 8)}`
  await makeLink(server, user, { short_code: code })
  const values = {
    utm_source: `=cmd('calc')`,
    utm_medium: '<script>document.title="run"</script>',
    utm_campaign: 'a "quoted", campaign',
    utm_term: `@${'long'.repeat(40)}`,
    utm_content: 'עברית 🦘',
  }
  const referer = 'https://evil.example/=1+1/<img/src=x/onerror=alert(1)>?"'
  await visit(server.url, `/${code}?${new URLSearchParams(values).toString()}`, {
    headers: { referer },
  })
  await expectStored(server, user, 1)
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto('/analytics')
  await page.getByRole('tab', { name: 'Campaigns' }).click()
  await row(page, 'Breakdown', values.utm_source).waitFor()
  await press(page, 'Show all')
  const list = await save(page, 'Save Source as CSV')
  expect(list).toMatch(/^\uFEFFutm_source,/)
  await page.keyboard.press('Escape')
  expect(list.split('\r\n')[1]).toBe(`'=cmd('calc'),'=cmd('calc'),1,1`)
  await press(page, 'Medium')
  await row(page, 'Breakdown', values.utm_medium).click()
  await expectFigure(page, 'Clicks', 1)
  await press(page, 'Term')
  await row(page, 'Breakdown', '@longlong').waitFor()
  await expect
    .poll(() =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      ),
    )
    .toBeLessThanOrEqual(0)
  await press(page, 'More analytics')
  const hits = await save(page, 'All hits as CSV')
  expect(hits).toMatch(/^\uFEFFat,/)
  expect(hits.trimEnd().split('\r\n')).toHaveLength(2)
  expect(hits).toContain(`'=cmd('calc')`)
  expect(hits).toContain('"a ""quoted"", campaign"')
  expect(hits).toContain("'@longlong")
  for (const field of hits.split('\r\n')[1]?.split(',') ?? [])
    expect(field).not.toMatch(/^"?[=+\-@\t]/)
  expect(await page.title()).not.toBe('run')
  await page.context().close()
})

it('files have the first day of the report in their name, in its time zone', async () => {
  const { user } = await makeStory(server, 'pro')
  await server.sql(`update app.profiles set time_zone = 'Pacific/Kiritimati' where id = $1`, [
    user.id,
  ])
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics?from=2026-01-10&to=2026-01-20')
  const nameOf = async (button: string) => {
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: button }).click()
    return (await saving).suggestedFilename()
  }
  expect(await nameOf('All hits as CSV')).toBe('hits-2026-01-10.csv')
  const places = page.getByRole('region', { name: 'Places' })
  await places.getByRole('button', { name: 'Show all' }).click()
  expect(await nameOf('Save Countries as CSV')).toBe('country-2026-01-10.csv')
  await page.context().close()
})

/** The text of the file that a button saves. */
async function save(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ])
  return readFile(await download.path(), 'utf8')
}

it('the free plan shows the shape of a report, and no figure comes to the browser', async () => {
  const { user, code } = await makeStory(server, 'free')
  await server.sql('update app.shortened_urls set click_count = 48213 where short_code = $1', [
    code,
  ])
  const page = await openPage(browser, server.url, { user })
  const asked: string[] = []
  const answers: Promise<string>[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (!/^\/(rest|functions)\//.test(pathname)) return
    asked.push(pathname)
    answers.push(response.text().catch(() => ''))
  })
  await page.goto('/analytics')
  await page.getByRole('main').getByRole('link', { name: 'Upgrade to view clicks' }).waitFor()
  await expect.poll(() => page.getByRole('main').innerText()).not.toMatch(/\d/)
  await look(page, 'analytics-locked')
  await page.goto(`/links/${code}`)
  await page.getByRole('main').getByRole('link', { name: 'Upgrade to view clicks' }).waitFor()
  await page.getByText('We’re already counting.').waitFor()
  expect(asked.filter((path) => /click|live|popup_report/.test(path))).toEqual([])
  expect((await Promise.all(answers)).join('\n')).not.toContain('48213')
  await page.context().close()
})

it('on a phone everything is done by keyboard alone', async () => {
  const { user } = await makeStory(server)
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto('/analytics')
  await expectFigure(page, 'Clicks', 7)
  // The scope takes no separate line.
  const title = await page.getByRole('heading', { name: 'Analytics' }).boundingBox()
  const scope = await page.getByRole('button', { name: 'Analytics of' }).boundingBox()
  expect(scope?.y).toBeLessThan((title?.y ?? 0) + (title?.height ?? 0))
  await tabTo(page, 'Period:')
  await page.keyboard.press('Enter')
  await tabTo(page, 'Last 7 days')
  await page.keyboard.press('Enter')
  await expectAddress(page, { range: '7d' })
  await tabTo(page, 'Filter')
  await page.keyboard.press('Enter')
  await tabTo(page, 'Bots')
  await page.keyboard.press('Space')
  await expectFigure(page, 'Clicks', 10)
  await page.keyboard.press('Escape')
  await tabTo(page, 'Clicks by day')
  await page.keyboard.press('ArrowLeft')
  await tabTo(page, 'Links & pages')
  for (let presses = 0; presses < 5; presses++) await page.keyboard.press('ArrowRight')
  await expect
    .poll(() => page.getByRole('tab', { name: 'Countries' }).getAttribute('aria-selected'))
    .toBe('true')
  await tabTo(page, 'Show all')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Search').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await tabTo(page, 'DE')
  await page.keyboard.press('Enter')
  await expectAddress(page, { range: '7d', bots: 'true', country: 'DE' })
  await tabTo(page, 'More analytics')
  await page.keyboard.press('Enter')
  await tabTo(page, 'All hits as CSV')
  await page.context().close()
})

it('it says that there are no clicks yet, that it is loading, and that it failed', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const page = await openPage(browser, server.url, { user })
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/rpc/click_*', async (route) => {
    await held
    await route.fallback()
  })
  await page.goto('/analytics')
  await page.getByText('Loading the chart').waitFor({ state: 'attached' })
  await look(page, 'analytics-loading')
  release()
  await page.getByText('No clicks yet').waitFor()
  await look(page, 'analytics-empty')

  await page.unroute('**/rpc/click_*')
  await page.route('**/rpc/click_report', failing)
  await page.reload()
  await page.getByText('Failed to load the analytics').waitFor()
  await expectAccessible(page)
  await page.unroute('**/rpc/click_report')
  await press(page, 'Try Again')
  await page.getByText('No clicks yet').waitFor()
  // Without the plan the server still says whether it shows clicks.
  await page.route('**/rpc/session_facts*', failing)
  await page.evaluate(() => localStorage.removeItem('hoplet.facts'))
  await page.reload()
  await page.getByText('No clicks yet').waitFor()
  await page.unroute('**/rpc/session_facts*')

  await page.route('**/functions/v1/clicks.csv*', failing)
  const code = `first-${user.id.slice(0, 8)}`
  await makeLink(server, user, { short_code: code })
  await hit(server, code, { visitor: 1 })
  await press(page, 'All hits as CSV')
  await expectNotice(page, 'Error', 'The hits could not be downloaded')
  forgive(/status of 500/)
  await page.context().close()
})

it('a person sees which print of a link was scanned, and narrows the report to it', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const link = await makeLink(server, user, { short_code: 'printed-menu' })
  await visit(server.url, '/q/printed-menu')
  await expectStored(server, user, 1)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics')
  await expectFigure(page, 'Clicks', 1)
  const tab = page.getByRole('tab', { name: 'Placements' })
  await page.getByRole('tab', { name: 'Sources' }).waitFor()
  expect(await tab.count()).toBe(0)

  await server.sql(
    `insert into app.placements (link_id, user_id, name, mark) values ($1, $2, 'Table 4', 'k7')`,
    [link.id, user.id],
  )
  for (const agent of ['Android 14', 'Android 15'])
    await visit(server.url, '/Q/PRINTED-MENU/K7', {
      headers: { 'user-agent': `Mozilla/5.0 (Linux; ${agent}) Chrome/126.0 Mobile` },
    })
  await expectStored(server, user, 3)
  await page.reload()
  await tab.click()
  await row(page, 'Came from', 'Table 4').click()
  await expectFigure(page, 'Clicks', 2)
  await expectAddress(page, { placement: `${link.id}/k7` })
  await expectAccessible(page)
  await page.context().close()
})
