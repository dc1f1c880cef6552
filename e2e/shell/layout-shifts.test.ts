/** @module-tag extended */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page, Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { payInvoice } from '#test/affiliates/plant.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { expectStored } from '../analytics-stage.ts'
import { makeAdmin, makeAffiliate, makeReport } from '../admin/admin-plant.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage(
  async (stage) => {
    ;({ server, browser } = stage)
    await plantAdminRows()
  },
  { isFresh: true },
)

const delayMs = 250

interface Screen {
  /** {me} is something that only this test's person has. */
  path: string
  ready: string
  arrange?: (user: TestUser) => Promise<unknown>
  role?: 'admin'
  /** Default: 0.05. */
  most?: number
}

const screens: Screen[] = [
  { path: '/dashboard', ready: 'No links yet' },
  { path: '/dashboard', ready: 'moves-nothing', arrange: addLinks },
  { path: '/upgrade', ready: 'Current Plan' },
  { path: '/upgrade', ready: 'nothing is charged', arrange: givePlan },
  { path: '/affiliates', ready: 'No commissions yet' },
  { path: '/affiliates', ready: 'Show as a table', arrange: addCommissions },
  { path: '/settings', ready: 'Current:' },
  { path: '/settings?tab=security', ready: 'This device.' },
  { path: '/settings?tab=apps', ready: 'No connected apps' },
  { path: '/analytics', ready: 'Upgrade to view clicks' },
  { path: '/analytics', ready: 'all-time', arrange: addClicks },
  { path: '/links/clicked-{me}', ready: 'all-time', arrange: addClicks },
  { path: '/bio-link', ready: 'Name your page' },
  { path: '/bio-link', ready: 'No popups available.', arrange: addBioPage },
  { path: '/my-popups', ready: 'Create Your First Popup' },
  { path: '/audience', ready: 'No addresses yet', most: 0.005 },
  { path: '/audience', ready: 'reader1@example.com', arrange: addLeads, most: 0.005 },
  { path: '/', ready: 'Free plan' },
  { path: '/admin', ready: 'All systems operational', role: 'admin' },
  { path: '/admin/users', ready: 'Total users', role: 'admin' },
  { path: '/admin/links', ready: 'Nothing is blocked.', role: 'admin', arrange: addLinks },
  { path: '/admin/reports', ready: 'moves-nothing', role: 'admin' },
  { path: '/admin/payouts', ready: 'Nothing has been paid yet.', role: 'admin' },
  { path: '/admin/audit', ready: 'Nobody can change or delete a line.', role: 'admin' },
  { path: '/admin/system', ready: 'Last checked at', role: 'admin' },
]

async function plantAdminRows(): Promise<void> {
  await makeReport(server, { name: 'moves-nothing' })
  await makeAffiliate(server, `moves-${randomUUID()}@example.com`)
}

async function addLinks(user: TestUser): Promise<void> {
  for (const index of [1, 2]) {
    await makeLink(server, user, { short_code: `moves-nothing-${index}-${user.id.slice(0, 8)}` })
  }
}

async function addBioPage(user: TestUser): Promise<void> {
  await server.sql(`insert into app.bio_pages (user_id, slug, title) values ($1, $2, 'Ada')`, [
    user.id,
    `moves-${user.id.slice(0, 8)}`,
  ])
}

async function addClicks(user: TestUser): Promise<void> {
  await givePlan(user)
  const code = `clicked-${user.id.slice(0, 8)}`
  await makeLink(server, user, { short_code: code })
  await visit(server.url, `/${code}`)
  await expectStored(server, user, 1)
}

/** Full, which a note above the list says. */
async function addLeads(user: TestUser): Promise<void> {
  const [popup] = await server.sql<{ id: string }>(
    `insert into app.popups (user_id, title, collect_email) values ($1, 'A letter', true) returning id`,
    [user.id],
  )
  await server.sql('insert into app.audiences (user_id, left_out) values ($1, 7)', [user.id])
  await server.sql(
    `insert into app.leads (user_id, popup_id, popup_version, email, consent_text, code, state, unsubscribe_token, tags)
      select $1, $2, 1, 'reader' || n || '@example.com', 'Write to me', 'letter', 'confirmed', gen_random_uuid()::text,
        array_fill('tag' || n, array[n % 5])
      from generate_series(1, 30) n`,
    [user.id, popup?.id],
  )
}

async function givePlan(user: TestUser): Promise<void> {
  await server.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [user.id])
}

async function addCommissions(affiliate: TestUser): Promise<void> {
  const payer = await makeUser(server)
  await server.sql(
    'insert into app.referrals (referred_user_id, referrer_user_id) values ($1, $2)',
    [payer.id, affiliate.id],
  )
  for (const age of [0, 31, 62]) await payInvoice(server.sql, { payer: payer.id, age })
}

interface Shift {
  value: number
  /** Each element that moved, with both places. */
  moved: string[]
}

/** Collects the layout shifts of each document that the page opens. */
async function followShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    interface LayoutShift extends PerformanceEntry {
      value: number
      sources: { node: Element | null; previousRect: DOMRect; currentRect: DOMRect }[]
    }
    const shifts: Shift[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as LayoutShift[])
        shifts.push({
          value: entry.value,
          moved: entry.sources.map(
            ({ node, previousRect: from, currentRect: to }) =>
              `${node?.outerHTML?.slice(0, 120)} from ${from.y}+${from.height} to ${to.y}+${to.height}`,
          ),
        })
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

const shiftsOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts)

async function sumOfShifts(page: Page): Promise<number> {
  return (await shiftsOf(page)).reduce((sum, { value }) => sum + value, 0)
}

/**
 * @returns a function that waits until each request has its answer, and for longer than an answer takes none was sent: by
 * then all has
 *   come that an answer moves or asks for. A stream is answered when it begins.
 */
function followRequests(page: Page): () => Promise<void> {
  const waiting = new Set<Request>()
  let isQuiet = false
  page.on('request', (request) => {
    waiting.add(request)
    isQuiet = false
  })
  page.on('response', (response) => waiting.delete(response.request()))
  page.on('requestfailed', (request) => waiting.delete(request))
  return async () => {
    do {
      isQuiet = true
      await page.waitForTimeout(2 * delayMs)
    } while (!isQuiet || waiting.size > 0)
  }
}

// Several at a time, because a screen mostly waits for its delayed answers.
describe.concurrent('each screen', () => {
  it.each(screens)(
    '$path hardly moves while it loads ("$ready"), 360 and 1280 px wide',
    async ({ path, ready, arrange, role, most = 0.05 }) => {
      const user = role === 'admin' ? await makeAdmin(server) : await makeUser(server)
      await arrange?.(user)
      for (const width of [360, 1280]) {
        const page = await openPage(browser, server.url, { user, width })
        const settled = followRequests(page)
        // As on a slow line: each answer comes after the frame that waits for it.
        await page.route(/\/(rest|auth|functions)\/v1\//, async (route) => {
          await sleep(delayMs)
          await route.continue().catch(() => {})
        })
        await followShifts(page)
        await page.goto(path.replace('{me}', user.id.slice(0, 8)))
        await page.getByText(ready).first().waitFor()
        await settled()
        const moved = (await shiftsOf(page)).flatMap((shift) => [shift.value, ...shift.moved])
        const where = [`${width} px wide`, ...moved].join('\n')
        expect(await sumOfShifts(page), where).toBeLessThan(most)
        await page.context().close()
      }
    },
  )
})

// The control: a box that comes late above the content.
it('the measure notices content that is pushed down (control)', async () => {
  const page = await openPage(browser, server.url, { width: 360 })
  await followShifts(page)
  await page.goto('/')
  await page.getByText('Lightning Fast').waitFor()
  await page.waitForTimeout(800)
  await page.evaluate(() => {
    const box = document.createElement('div')
    box.style.height = '300px'
    document.querySelector('main')?.prepend(box)
  })
  await expect.poll(() => sumOfShifts(page)).toBeGreaterThan(0.05)
  await page.context().close()
})
