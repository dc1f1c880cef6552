/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { afterEach, describe, it, expect } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))
// The browser reports each request that found no network, and the script that did not come.
afterEach(() =>
  forgive(/ERR_INTERNET_DISCONNECTED|cannot be reached|dynamically imported|script of a screen/),
)

describe('without a network', () => {
  it('a screen that was not loaded yet keeps the app, says so, and comes with the network', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/')
    await page.getByText('Free plan').waitFor()
    await page.getByLabel('Long URL').fill('https://example.com/not-lost')
    await page.context().setOffline(true)
    await page.getByText('You are offline.').waitFor()
    // The script that makes links was not loaded yet.
    await page.getByRole('button', { name: 'Shorten' }).click()
    await expectNotice(page, 'Error', 'Failed to create short URL. Please try again.')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Affiliates' }).last().click()
    await page.getByText('This screen could not be loaded').waitFor()
    await page.getByRole('button', { name: 'Menu' }).waitFor()
    await page.goBack()
    await expect
      .poll(() => page.getByLabel('Long URL').inputValue())
      .toBe('https://example.com/not-lost')
    await page.goForward()
    await page.getByText('This screen could not be loaded').waitFor()
    await page.context().setOffline(false)
    await page
      .getByRole('button', { name: 'Try Again' })
      .click({ timeout: 5_000 })
      .catch(() => {})
    await page.getByText('Your referral link').waitFor()
    await page.context().close()
  })

  it(
    'lists say that they could not be loaded, and a save that it failed',
    { tags: ['gate'] },
    async () => {
      const user = await makeUser(server)
      const { short_code } = await makeLink(server, user)
      const page = await openPage(browser, server.url, { user })
      await page.goto('/my-popups')
      await page.getByText("You haven't created any popups yet").waitFor()
      await page.goto('/dashboard')
      await page.getByRole('article').filter({ hasText: short_code }).waitFor()
      await page.context().setOffline(true)
      await page.getByLabel('Search links').fill('anything')
      await expectNotice(page, 'Error', 'Failed to load your URLs')
      await page.getByRole('button', { name: 'Try Again' }).waitFor()
      await page.context().setOffline(false)
      await page.getByText('No links match').waitFor()
      await page.context().close()
    },
  )

  it('no screen says Failed to fetch', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url)
    await page.goto('/auth')
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill(user.password)
    await page.context().setOffline(true)
    await page.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
    await expectNotice(page, 'Login Failed', 'The server cannot be reached')
    await expect.poll(() => page.getByText('Failed to fetch').count()).toBe(0)
    await page.context().close()
  })

  it('the QR code that cannot be drawn leaves the new link on the screen', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/')
    await page.getByLabel('Long URL').fill('https://example.com/qr')
    await page.getByRole('button', { name: 'Shorten' }).click()
    await page.getByRole('button', { name: 'Show QR Code' }).waitFor()
    await page.route('**/assets/qr-panel*', (route) => route.abort('internetdisconnected'))
    await page.getByRole('button', { name: 'Show QR Code' }).click()
    await page.getByText('This part of the screen could not be loaded.').waitFor()
    await page.getByLabel('Your short link').getByRole('link').first().waitFor()
    await page.context().close()
  })
})
