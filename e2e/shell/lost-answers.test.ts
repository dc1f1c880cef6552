/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const inserts = '**/rest/v1/shortened_urls?select=*'

/** The server acts, and its answer never comes. */
async function loseAnswers(page: Page): Promise<void> {
  await page.route(inserts, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    await route.abort('connectionreset')
  })
}

const codesOf = async (user: TestUser) =>
  (
    await server.sql<{ short_code: string }>(
      'select short_code from app.shortened_urls where user_id = $1',
      [user.id],
    )
  ).map(({ short_code }) => short_code)

describe('a link after a lost answer', () => {
  it.each(['', 'my-own-code'])(
    'is found by the retry and not made twice (code %j)',
    async (code) => {
      const user = await makeUser(server)
      const page = await openPage(browser, server.url, { user })
      await page.goto('/')
      await page.getByText('Free plan').waitFor()
      await loseAnswers(page)
      await page.getByLabel('Long URL').fill('https://example.com/lost')
      await page.getByLabel('Custom code').fill(code && `${code}-${user.id.slice(0, 8)}`)
      await page.getByRole('button', { name: 'Shorten' }).click()
      await expectNotice(page, 'Error', 'Failed to create short URL. Please try again.')
      // The link was charged, and the card says so.
      await page.getByLabel('Plan and usage').getByText('1 / 50').waitFor()
      await page.unroute(inserts)
      await page.getByRole('button', { name: 'Shorten' }).click()
      await expectNotice(page, '✨ URL Shortened!')
      const codes = await codesOf(user)
      expect(codes.length).toBe(1)
      await page
        .getByLabel('Your short link')
        .getByText(codes[0] ?? '')
        .waitFor()
      await page.getByLabel('Plan and usage').getByText('1 / 50').waitFor()
      forgive(/ERR_CONNECTION_RESET/)
      await page.context().close()
    },
  )

  it('makes another link when the address has changed meanwhile', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/')
    await page.getByText('Free plan').waitFor()
    await loseAnswers(page)
    await page.getByLabel('Long URL').fill('https://example.com/one')
    await page.getByRole('button', { name: 'Shorten' }).click()
    await expectNotice(page, 'Error', 'Failed to create short URL. Please try again.')
    await page.unroute(inserts)
    await page.getByLabel('Long URL').fill('https://example.com/two')
    await page.getByRole('button', { name: 'Shorten' }).click()
    await expectNotice(page, '✨ URL Shortened!')
    expect((await codesOf(user)).length).toBe(2)
    forgive(/ERR_CONNECTION_RESET/)
    await page.context().close()
  })
})

describe('input while a link is being made', () => {
  it('stays, while the text of the made link is cleared', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/')
    await page.getByText('Free plan').waitFor()
    let goOn = () => {}
    const held = new Promise<void>((resolve) => (goOn = resolve))
    await page.route(inserts, async (route) => {
      await held
      await route.continue()
    })
    const url = page.getByLabel('Long URL')
    await url.fill('https://example.com/first')
    await page.getByLabel('Custom code').fill(`first-${user.id.slice(0, 8)}`)
    await page.getByRole('button', { name: 'Shorten' }).click()
    await page.getByRole('button', { name: 'Creating...' }).waitFor()
    await url.fill('https://example.com/second')
    goOn()
    await expectNotice(page, '✨ URL Shortened!')
    await expect.poll(() => url.inputValue()).toBe('https://example.com/second')
    await expect.poll(() => page.getByLabel('Custom code').inputValue()).toBe('')
    await page.context().close()
  })
})

describe('an address that is refused', () => {
  it('tells the reason: this server itself, a reserved word', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/')
    await page.getByText('Free plan').waitFor()
    await page.getByLabel('Long URL').fill(`${server.url}/abc`)
    await page.getByRole('button', { name: 'Shorten' }).click()
    await expectNotice(page, 'Invalid URL', 'This URL leads to this server itself')
    await page.getByLabel('Long URL').fill('https://example.com/')
    await page.getByLabel('Custom code').fill('login')
    await page.getByRole('button', { name: 'Shorten' }).click()
    await expectNotice(page, 'Code Reserved')
    await page.context().close()
  })
})
