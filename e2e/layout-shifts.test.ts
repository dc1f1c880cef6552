import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
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
  { path: '/my-popups', ready: 'Create Your First Popup' },
  { path: '/', ready: 'Free plan' },
]

async function addLinks(user: TestUser): Promise<void> {
  for (const index of [1, 2]) {
    await makeLink(server, user, { short_code: `moves-nothing-${index}-${user.id.slice(0, 8)}` })
  }
}

/** Collects the layout shifts of each document that the page opens. */
async function followShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        shifts.push((entry as PerformanceEntry & { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

const sumOfShifts = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
  )

for (const width of [360, 1280]) {
  it.each(screens)(
    `$path moves less than 0.05 while it loads ("$ready"), ${width} px wide`,
    async ({ path, ready, arrange }) => {
      const user = await makeUser(server)
      await arrange?.(user)
      const page = await openPage(browser, server.url, { user, width })
      // As on a slow line: each answer comes after the frame that waits for it.
      await page.route(/\/(rest|auth|functions)\/v1\//, async (route) => {
        await sleep(250)
        await route.continue().catch(() => {})
      })
      await followShifts(page)
      await page.goto(path)
      await page.getByText(ready).first().waitFor()
      await page.waitForTimeout(1_200)
      expect(await sumOfShifts(page)).toBeLessThan(0.05)
      await page.context().close()
    },
  )
}

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
