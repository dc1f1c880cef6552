import type { Browser } from 'playwright-core'
import { it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { expectAccessible, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

it('Ann asks for a code that fits her page, and takes the second one', async () => {
  const user = await makeUser(server, { plan: 'business' })
  const page = await openPage(browser, server.url, { user, width: 360 })
  const word = `coat${user.id.slice(0, 4)}`
  await page.goto('/dashboard')
  await page.getByRole('heading', { name: 'My Links' }).waitFor()
  await page.keyboard.press('n')
  await page.getByLabel('Destination').fill(`https://shop.example/sale/warm-${word}`)
  await page.getByRole('button', { name: 'Suggest' }).click()
  await page.getByRole('button', { name: `shop-warm-${word}` }).click()
  await page.getByText('Available', { exact: true }).waitFor()
  await expectAccessible(page)
  await page.getByLabel('Short link').press('Control+Enter')
  await page.getByText(`/shop-warm-${word}`).first().waitFor()
})
