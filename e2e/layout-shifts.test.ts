import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { payInvoice } from '#test/affiliates/plant.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { openPage } from './browser.ts'
import type { BuiltServer } from './built-server.ts'
import { setStage } from './stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

interface Screen {
  path: string
  ready: string
  arrange?: (user: TestUser) => Promise<unknown>
}

const screens: Screen[] = [
  { path: '/dashboard', ready: 'No links yet' },
  { path: '/dashboard', ready: 'moves-nothing', arrange: addLinks },
  { path: '/upgrade', ready: 'Current Plan' },
  { path: '/affiliates', ready: 'No commissions yet' },
  { path: '/affiliates', ready: 'invoice', arrange: earn },
  { path: '/my-popups', ready: 'Create Your First Popup' },
  { path: '/', ready: 'Free plan' },
]

async function addLinks(user: TestUser): Promise<void> {
  for (const index of [1, 2, 3]) {
    await makeLink(server, user, { short_code: `moves-nothing-${index}-${user.id.slice(0, 8)}` })
  }
}

async function earn(user: TestUser): Promise<void> {
  const payer = await makeUser(server)
  await server.sql(
    `insert into app.affiliate_codes (user_id, code) values ($1, upper(left(md5($1::text), 8)))`,
    [user.id],
  )
  await server.sql(
    'insert into app.referrals (referred_user_id, referrer_user_id) values ($2, $1)',
    [user.id, payer.id],
  )
  await payInvoice(server.sql, { payer: payer.id, base: 700, age: 40 })
}

for (const width of [360, 1280]) {
  it.each(screens)(
    `$path moves less than 0.05 while it loads ("$ready"), ${width} px wide`,
    async ({ path, ready, arrange }) => {
      const user = await makeUser(server)
      await arrange?.(user)
      const page = await openPage(browser, server.url, { user, width })
      // As on a slow line: each answer comes after the frame that waits for it.
      await page.route(/\/(rest|auth|functions)\/v1\//, async (route) => {
        await page.waitForTimeout(250)
        await route.continue().catch(() => {})
      })
      await page.addInitScript(() => {
        const shifts: number[] = []
        Object.assign(window, { shifts })
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            shifts.push((entry as PerformanceEntry & { value: number }).value)
          }
        }).observe({ type: 'layout-shift', buffered: true })
      })
      await page.goto(path)
      await page.getByText(ready).first().waitFor()
      await page.waitForTimeout(1_200)
      const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)
      expect(shifts.reduce((sum, one) => sum + one, 0)).toBeLessThan(0.05)
      await page.context().close()
    },
  )
}

it('the measure sees a footer that is pushed down', async () => {
  const page = await openPage(browser, server.url, { width: 360 })
  await page.goto('/404')
  await page.evaluate(() => {
    const box = document.createElement('div')
    Object.assign(window, { shifts: [] })
    new PerformanceObserver((list) => {
      const { shifts } = window as unknown as { shifts: number[] }
      for (const entry of list.getEntries())
        shifts.push((entry as PerformanceEntry & { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
    box.style.height = '300px'
    document.body.prepend(box)
  })
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { shifts: number[] }).shifts[0] ?? 0))
    .toBeGreaterThan(0.05)
  await page.context().close()
})
