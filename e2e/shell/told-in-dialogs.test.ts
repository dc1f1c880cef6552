/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { failing } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

it('a failure in a dialog is told in the dialog: the toast is outside, where a screen reader hears nothing', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.goto(`/links/${link.short_code}`)
  await page.getByRole('button', { name: '+ tag' }).click()
  await page.route('**/rest/v1/shortened_urls*', failing)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Add tags' }).fill('spring')
  await dialog.getByRole('button', { name: 'Save tags' }).click()
  await expectNotice(page, 'Error', 'Failed to update redirect URL')
  await dialog
    .getByRole('status')
    .filter({ hasText: 'Failed to update redirect URL' })
    .waitFor({ state: 'attached', timeout: 10_000 })
  forgive(/500/)
  await page.context().close()
})
