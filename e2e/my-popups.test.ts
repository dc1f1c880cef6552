import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { expectNoFaults, expectNotice, forgive, launchBrowser, openPage } from './browser.ts'
import { type BuiltServer, startBuiltServer } from './built-server.ts'
import { failing, makePopup } from './popup-screens.ts'

let server: BuiltServer
let browser: Browser

beforeAll(async () => {
  server = await startBuiltServer({ RATE_LIMITS: 'off' })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})
afterEach(() => expectNoFaults())

describe('My Popups', () => {
  it('is for people who are signed in', async () => {
    for (const path of ['/my-popups', '/popup-generator']) {
      const page = await openPage(browser, server.url)
      await page.goto(path)
      await page.waitForURL('**/auth')
      await page.context().close()
    }
  })

  it('starts empty and leads to the first popup', async () => {
    const page = await openPage(browser, server.url, { user: await makeUser(server) })
    await page.goto('/my-popups')
    await page.getByText('Manage your conversion popups').waitFor()
    await page.getByText("You haven't created any popups yet").waitFor()
    await page.getByRole('link', { name: 'Create Your First Popup' }).click()
    await page.waitForURL('**/popup-generator')
    await page.context().close()
  })

  it('shows one’s own, newest first, and deletes one after asking', async () => {
    const user = await makeUser(server)
    await makePopup(server, await makeUser(server), { title: 'Of somebody else' })
    await makePopup(server, user, { title: 'The older', background_color: '#aabbcc' })
    await makePopup(server, user, { title: 'The newer', description: 'Some words' })
    const page = await openPage(browser, server.url, { user })
    await page.goto('/my-popups')
    const cards = page.getByRole('article')
    await expect
      .poll(() => cards.getByRole('heading').allTextContents())
      .toEqual(['The newer', 'The older'])
    await cards.nth(1).getByText('Background colour #aabbcc').waitFor({ state: 'attached' })
    const dialog = page.getByRole('dialog')
    const question = 'Are you sure you want to delete this popup? This action cannot be undone.'
    await page.getByRole('button', { name: 'Delete The older' }).click()
    await dialog.getByText(question).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await cards.count()).toBe(2)
    await page.getByRole('button', { name: 'Delete The older' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expectNotice(page, 'Popup deleted successfully')
    await expect.poll(() => cards.count()).toBe(1)
    await page.context().close()
  })

  it('says when the list or a delete failed, and tries again', async () => {
    const user = await makeUser(server)
    await makePopup(server, user)
    const page = await openPage(browser, server.url, { user })
    await page.route('**/rest/v1/popups*', failing)
    await page.goto('/my-popups')
    await expectNotice(page, 'Failed to fetch popups')
    await page.unroute('**/rest/v1/popups*')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await page.getByRole('article').waitFor()
    await page.route('**/rest/v1/popups?id=*', failing)
    await page.getByRole('button', { name: 'Delete Spring sale' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expectNotice(page, 'Failed to delete popup')
    expect(await page.getByRole('article').count()).toBe(1)
    forgive(/status of 500/)
    await page.context().close()
  })
})
