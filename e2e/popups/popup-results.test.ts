/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { plantBio } from '#test/pages/plant.ts'
import { expectAccessible, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { failing, makePopup, patchLink } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

const destination = 'https://destination.example/there'
const shop = 'https://shop.example/sale'

/** A visitor in a new browser session. The test answers requests to other sites, so that none leaves the machine. */
async function openVisitor(): Promise<Page> {
  const page = await openPage(browser, server.url)
  await page
    .context()
    .route(/^https:\/\//, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>There</title>There' }),
    )
  return page
}

async function makePopupLink(user: TestUser, code: string, columns: object = {}): Promise<string> {
  const popup = await makePopup(server, user, { cta_url: shop, cta_text: 'Shop now', ...columns })
  const link = await makeLink(server, user, { short_code: code, original_url: destination })
  await patchLink(server, user, link.id, { show_popup: true, popup_id: popup })
  return popup
}

async function popupOf(bioPage: string): Promise<string> {
  const [row] = await server.sql<{ id: string }>(
    'select popup_id as id from app.bio_pages where id = $1',
    [bioPage],
  )
  return row?.id ?? ''
}

/** The recorded actions on a popup, once there are as many. */
async function expectActions(popup: string, expected: Record<string, number>): Promise<void> {
  await expect
    .poll(async () => {
      const rows = await server.sql<{ action: string; n: number }>(
        `select app.popup_action(e.action) as action, count(*)::int as n
          from app.popup_events e join app.click_scopes s on s.id = e.popup where s.ref = $1 group by 1`,
        [popup],
      )
      return Object.fromEntries(rows.map(({ action, n }) => [action, n]))
    })
    .toEqual(expected)
}

/** Each way in which a visit with a popup can end, and its actions besides 'shown'. */
const endings: [name: string, end: (page: Page) => Promise<unknown>, told: string[]][] = [
  [
    'its X',
    (page) => page.getByRole('button', { name: 'Close' }).click(),
    ['closed-button', 'reached'],
  ],
  [
    'No thanks',
    (page) => page.getByRole('button', { name: /^No thanks/ }).click(),
    ['closed-later', 'reached'],
  ],
  ['Escape', (page) => page.keyboard.press('Escape'), ['closed-escape', 'reached']],
  ['a press beside it', (page) => page.mouse.click(5, 5), ['closed-backdrop', 'reached']],
  [
    'its button',
    (page) => page.getByRole('link', { name: 'Shop now' }).click(),
    ['clicked', 'reached'],
  ],
  [
    'its button, in a tab behind this one',
    (page) => page.getByRole('link', { name: 'Shop now' }).click({ modifiers: ['ControlOrMeta'] }),
    ['clicked', 'reached'],
  ],
  ['leaving', (page) => page.goto('https://elsewhere.example/'), ['left']],
  ['closing the tab', (page) => page.close({ runBeforeUnload: true }), ['left']],
]

describe('a popup in the middle', () => {
  it.each(endings)('is shown once and ended by %s', async (name, end, told) => {
    const code = `ended-${endings.findIndex(([each]) => each === name)}`
    const popup = await makePopupLink(await makeUser(server), code)
    const page = await openVisitor()
    await page.goto(`/${code}`)
    await page.getByRole('dialog').waitFor()
    await end(page)
    if (told.includes('reached')) await page.waitForURL(destination)
    await expectActions(popup, Object.fromEntries(['shown', ...told].map((each) => [each, 1])))
    // In the same session it is not shown again, so nothing is told.
    const again = await page.context().newPage()
    await again.goto(`/${code}`, { waitUntil: 'commit' })
    await again.waitForURL(destination)
    await expectActions(popup, Object.fromEntries(['shown', ...told].map((each) => [each, 1])))
    await page.context().close()
  })
})

it('a middle click goes another way without closing the popup, and a right click goes nowhere', async () => {
  const bio = await plantBio(server.sql, {
    links: [['First', destination]],
    popup: { cta_url: shop, cta_text: 'Shop now', position: 'bottom-right' },
  })
  const popup = await popupOf(bio.id)
  const page = await openVisitor()
  await page.goto(`/${bio.slug}`)
  const button = page.getByRole('link', { name: 'Shop now' })
  const first = page.getByRole('link', { name: 'First' })
  for (const link of [button, first]) await link.click({ button: 'right' })
  await button.click({ button: 'middle' })
  await expectActions(popup, { shown: 1, clicked: 1 })
  await page.keyboard.press('Escape')
  await first.click({ button: 'middle' })
  await expectActions(popup, { shown: 1, clicked: 1, 'closed-escape': 1, reached: 1 })
  await page.context().close()
})

it('a given email address is counted without the address', async () => {
  const popup = await makePopupLink(await makeUser(server), 'asks-email', { collect_email: true })
  const page = await openVisitor()
  const beacons: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/popup/')) beacons.push(request.postData() ?? '')
  })
  await page.goto('/asks-email')
  await page.getByLabel('Email address').fill('me@example.com')
  await page.keyboard.press('Enter')
  await page.waitForURL(destination)
  await expectActions(popup, { shown: 1, emailed: 1, reached: 1 })
  expect(beacons.join('')).toBe('')
  await page.context().close()
})

it('on a bio page the visitor goes on by a link, and coming back to the open popup is another showing', async () => {
  const bio = await plantBio(server.sql, {
    links: [['First', destination]],
    popup: { cta_url: shop, position: 'bottom-right' },
  })
  const popup = await popupOf(bio.id)
  const page = await openVisitor()
  await page.goto(`/${bio.slug}`)
  await page.getByRole('dialog').waitFor()
  await expectActions(popup, { shown: 1 })
  await page.evaluate(() => {
    window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  })
  await expectActions(popup, { shown: 2, left: 1 })
  await page.getByRole('link', { name: 'First' }).click()
  await expectActions(popup, { shown: 2, left: 1, reached: 1 })
  await page.getByRole('button', { name: 'Close' }).click()
  await expectActions(popup, { shown: 2, left: 1, reached: 1, 'closed-button': 1 })
  await page.context().close()
})

it('a visitor continues although the beacon fails', async () => {
  const popup = await makePopupLink(await makeUser(server), 'untold')
  for (const breakage of [
    () => {
      navigator.sendBeacon = () => {
        throw new Error('no')
      }
      window.fetch = () => {
        throw new Error('no')
      }
    },
    () => Object.defineProperty(navigator, 'sendBeacon', { value: undefined }),
  ]) {
    const page = await openVisitor()
    await page.addInitScript(breakage)
    await page.goto('/untold')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.waitForURL(destination)
    await page.context().close()
  }
  // Only the second of them could: by fetch.
  await expectActions(popup, { shown: 1, 'closed-button': 1, reached: 1 })
})

describe('the results', () => {
  it('are a page with the action of a visitor', { tags: ['gate'] }, async () => {
    const user = await makeUser(server, { plan: 'pro' })
    const code = `answered-${user.id.slice(0, 8)}`
    const popup = await makePopupLink(user, code)
    const visitor = await openVisitor()
    await visitor.goto(`/${code}`)
    await visitor.getByRole('link', { name: 'Shop now' }).click()
    await visitor.waitForURL(destination)
    await expectActions(popup, { shown: 1, clicked: 1, reached: 1 })
    await visitor.context().close()
    const page = await openPage(browser, server.url, { user })
    await page.goto(`/my-popups/${popup}/results`)
    await page
      .getByRole('listitem')
      .filter({ hasText: /Clicked\s*1\s*100%/ })
      .waitFor()
    await page.context().close()
  })

  it('popup results show views and answers by link', async () => {
    const user = await makeUser(server, { plan: 'pro' })
    const popup = await makePopupLink(user, 'explained')
    const link = await makeLink(server, user, { short_code: 'other', original_url: destination })
    await patchLink(server, user, link.id, { show_popup: true, popup_id: popup })
    for (const code of ['explained', 'explained', 'other']) {
      const visitor = await openVisitor()
      await visitor.goto(`/${code}`)
      if (code === 'other') await visitor.getByRole('link', { name: 'Shop now' }).click()
      else await visitor.getByRole('button', { name: /^No thanks/ }).click()
      await visitor.waitForURL(destination)
      await visitor.context().close()
    }
    await expectActions(popup, { shown: 3, clicked: 1, 'closed-later': 2, reached: 3 })

    const page = await openPage(browser, server.url, { user })
    await page.goto('/my-popups')
    await page.getByRole('link', { name: /of Spring sale/ }).click()
    const results = page.getByRole('main')
    await results.getByRole('heading', { name: 'Results', exact: true }).waitFor()
    await results.getByText('Seen by 1 visitor · 3 visits').waitFor()
    await expect
      .poll(() => results.getByRole('listitem').allInnerTexts())
      .toEqual(
        [
          'Shown 3',
          'Clicked 1 33%',
          'Continued 3 100%',
          'Closed 2 67%',
          'By “No thanks” 2 67%',
          'Left the page 0 0%',
        ].map((line): unknown =>
          expect.stringMatching(new RegExp(`^${line.split(' ').join('\\s+')}\\s*$`)),
        ),
      )
    await expect
      .poll(() =>
        results.getByRole('region', { name: 'By link and page' }).getByRole('row').allInnerTexts(),
      )
      .toEqual([
        'Where\tShown\tClicked\tContinued\tClosed\tBy “No thanks”\tLeft',
        '/explained\t2\t0\t2\t2\t2\t0',
        '/other\t1\t1\t1\t0\t0\t0',
      ])
    await look(page, 'popup-results')

    // By day: the arrow keys say a day, and the table has them all.
    const chart = results.getByRole('group', { name: /^Results by day/ })
    await chart.focus()
    await page.keyboard.press('End')
    await results.getByText(/, \d{4}, Shown: 3, Clicked: 1$/).waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowLeft')
    await results.getByText(/, \d{4}, Shown: 0, Clicked: 0$/).waitFor({ state: 'attached' })
    await results.getByRole('button', { name: 'Table' }).click()
    const days = results.getByRole('table', { name: 'Results by day' }).getByRole('row')
    await expect.poll(() => days.nth(1).innerText()).toMatch(/, \d{4}\t3\t1$/)
    await expect.poll(() => days.count()).toBeGreaterThanOrEqual(31)
    await look(page, 'popup-results-table')

    // By keyboard alone: another period.
    await results.getByRole('button', { name: '30 days' }).focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => results.getByRole('button', { name: '7 days' }).getAttribute('aria-pressed'))
      .toBe('true')
    await results.getByText('Seen by 1 visitor').waitFor()
    await page.context().close()
  })

  it('name the owner’s own views beside the zeros, and agree with the card', async () => {
    const user = await makeUser(server, { plan: 'pro' })
    const popup = await makePopupLink(user, 'seen-by-me', { collect_email: true })
    const page = await openPage(browser, server.url, { user })
    await page
      .context()
      .route(/^https:\/\//, (route) => route.fulfill({ contentType: 'text/html', body: 'There' }))
    await page.goto('/my-popups')
    // The test made the popup from another client.
    await expect
      .poll(() =>
        server.sql('select 1 as known from app.own_visitors where user_id = $1', [user.id]),
      )
      .toEqual([{ known: 1 }, { known: 1 }])
    await page.goto('/seen-by-me')
    await page.getByLabel('Email').fill('me@example.com')
    await page.getByRole('button', { name: 'Shop now' }).click()
    await page.waitForURL(destination)
    await expectActions(popup, { shown: 1, emailed: 1, reached: 1 })

    await page.goto('/my-popups')
    await page.getByText('1 shown · 0% clicked').waitFor()
    await page.getByText('1 email · 30 days').waitFor()
    await page.getByRole('link', { name: /of Spring sale/ }).click()
    const results = page.getByRole('main')
    await results.getByRole('heading', { name: 'Results', exact: true }).waitFor()
    await results.getByText('Seen by 0 visitors · your own: 1').waitFor()
    for (const line of ['Answered', 'Email given'])
      await expect
        .poll(() => results.getByRole('listitem').filter({ hasText: line }).innerText())
        .toMatch(/\s1\s+100%$/)
    await page.context().close()
  })

  it('say that no one has seen it, that they failed, and come when they are asked for again', async () => {
    const user = await makeUser(server, { plan: 'pro' })
    await makePopup(server, user)
    const page = await openPage(browser, server.url, { user })
    await page.route('**/rpc/popup_report', failing)
    await page.goto('/my-popups')
    await page.getByRole('link', { name: /of Spring sale/ }).click()
    const results = page.getByRole('main')
    await results.getByRole('heading', { name: 'Results', exact: true }).waitFor()
    await results.getByText('Failed to load the results').waitFor()
    await expectAccessible(page)
    await page.unroute('**/rpc/popup_report')
    await results.getByRole('button', { name: 'Try Again' }).click()
    await results.getByText('No views in this period').waitFor()
    await look(page, 'popup-results-empty')
    forgive(/status of 500/)
    await page.context().close()
  })

  it('are a shape on the free plan, and nothing is asked for', async () => {
    const user = await makeUser(server)
    await makePopupLink(user, 'free-results')
    const page = await openPage(browser, server.url, { user })
    let asked = 0
    page.on('request', (request) => {
      if (request.url().includes('popup_report')) asked++
    })
    await page.goto('/my-popups')
    await page.getByRole('link', { name: /of Spring sale/ }).click()
    const results = page.getByRole('main')
    await results.getByRole('heading', { name: 'Results', exact: true }).waitFor()
    await results.getByRole('link', { name: 'Upgrade to view clicks' }).waitFor()
    await look(page, 'popup-results-locked')
    await expect.poll(() => results.textContent()).not.toMatch(/\d/)
    expect(asked).toBe(0)
    await page.context().close()
  })
})
