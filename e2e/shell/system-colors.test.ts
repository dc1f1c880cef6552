/** @module-tag extended */
import type { Browser, Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { makePopup } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

it('a switch and a chosen filter can be told from others in the colors of the system', async () => {
  const user = await makeUser(server)
  await makeLink(server, user)
  await makePopup(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  const groundOf = (element: Locator) =>
    element.evaluate((node) => getComputedStyle(node).backgroundColor)
  await page.goto('/dashboard')
  const filter = page.getByRole('button', { name: 'With popup' })
  const before = await groundOf(filter)
  await filter.click()
  await expect.poll(() => groundOf(filter)).not.toBe(before)
  await page.goto('/my-popups')
  const track = page.getByRole('article').getByRole('switch')
  await track.waitFor()
  expect(await groundOf(track)).not.toBe(await groundOf(track.locator('+ span')))
  await page.context().close()
})
