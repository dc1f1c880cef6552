/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, forgive, openPage, signIn } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { chooseForLink } from '../menus.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** On another device, or by an admin. */
async function endElsewhere(user: TestUser): Promise<void> {
  const { status } = await fetch(`${server.url}/auth/v1/logout?scope=global`, {
    method: 'POST',
    headers: user.headers,
  })
  expect(status).toBe(204)
}

async function signInAgain(page: Page, { password }: TestUser): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Sign In' }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** In another tab of the same browser, which is signed out by now. */
async function signInBeside(page: Page, user: TestUser): Promise<void> {
  const other = await page.context().newPage()
  // Each new tab of a test starts with the session that the test began with.
  await other.goto('/robots.txt')
  await other.evaluate(() => localStorage.removeItem('hoplet.auth'))
  await signIn(other, user)
}

const linksOf = (user: TestUser) =>
  server.sql('select original_url from app.shortened_urls where user_id = $1', [user.id])

function countLogouts(page: Page): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.url().includes('/auth/v1/logout')) count++
  })
  return () => count
}

describe('a session that was ended elsewhere', () => {
  it('is announced, and the pressed action runs once the person has signed in again', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    const logouts = countLogouts(page)
    await page.goto('/')
    await page.getByText('Free plan').waitFor()
    await page.getByLabel('Long URL').fill('https://example.com/typed')
    await endElsewhere(user)
    await page.getByRole('button', { name: 'Shorten' }).click()
    await page.getByText('Your session has ended').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await expect
      .poll(() => page.getByLabel('Long URL').inputValue())
      .toBe('https://example.com/typed')
    await signInAgain(page, user)
    await expectNotice(page, '✨ URL Shortened!')
    expect(await linksOf(user)).toEqual([{ original_url: 'https://example.com/typed' }])
    expect(logouts()).toBe(0)
    await page.context().close()
  })

  it('is announced by a button of the settings that asks the auth door', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/settings?tab=account')
    const button = page.getByRole('button', { name: 'Download JSON' })
    await button.waitFor()
    await endElsewhere(user)
    const downloading = page.waitForEvent('download')
    await button.click()
    await signInAgain(page, user)
    expect((await downloading).suggestedFilename()).toMatch(/\.json$/)
    await page.context().close()
  })

  it('is announced by a form of the auth client, which keeps its input and can be sent again', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/settings?tab=security')
    const field = page.getByLabel('New password')
    await field.fill('another-pass-word-42')
    await endElsewhere(user)
    await page.getByRole('button', { name: 'Change Password' }).click()
    await signInAgain(page, user)
    await page.getByText('Your session has ended. Sign in again.').first().waitFor()
    expect(await field.inputValue()).toBe('another-pass-word-42')
    await page.getByRole('button', { name: 'Change Password' }).click()
    await expectNotice(page, 'Password changed')
    await page.context().close()
  })

  it('keeps the input of a dialog', async () => {
    const user = await makeUser(server)
    await makeLink(server, user, { short_code: 'edited-late' })
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await chooseForLink(page.getByRole('article'), 'Edit')
    await page.getByRole('textbox', { name: 'Redirect URL' }).fill('https://example.com/late')
    await endElsewhere(user)
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await page.getByText('Your session has ended').waitFor()
    await signInAgain(page, user)
    await expectNotice(page, 'Updated!')
    expect(await linksOf(user)).toEqual([{ original_url: 'https://example.com/late' }])
    await page.context().close()
  })

  it('refuses a wrong password, and the right one in another tab is enough', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/')
    await page.getByText('Free plan').waitFor()
    await page.getByLabel('Long URL').fill('https://example.com/by-another-tab')
    await endElsewhere(user)
    await page.getByRole('button', { name: 'Shorten' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').fill('not the password')
    await dialog.getByRole('button', { name: 'Sign In' }).click()
    await dialog.getByText('Invalid login credentials').waitFor()
    await signInBeside(page, user)
    await dialog.waitFor({ state: 'detached' })
    await expectNotice(page, '✨ URL Shortened!')
    await page.context().close()
  })

  it('never runs the pressed action as another account, and shows that account nothing', async () => {
    const [ada, bob] = [await makeUser(server), await makeUser(server)]
    const page = await openPage(browser, server.url, { user: ada })
    await page.goto('/')
    await page.getByText('Free plan').waitFor()
    await page.getByLabel('Long URL').fill('https://example.com/secret-of-ada')
    await endElsewhere(ada)
    await page.getByRole('button', { name: 'Shorten' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await signInBeside(page, bob)
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByLabel('Long URL').inputValue()).toBe('')
    expect([...(await linksOf(ada)), ...(await linksOf(bob))]).toEqual([])
    await page.context().close()
  })

  it('leads to the sign-in screen when the page is loaded again, and back', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard?q=menu')
    await page.getByText('No links match').waitFor()
    await endElsewhere(user)
    await page.reload()
    await page.waitForURL('**/auth?*')
    await expectNotice(page, 'Your session has ended. Sign in again.')
    await expect.poll(() => page.evaluate(() => localStorage.getItem('hoplet.auth'))).toBeNull()
    await fillIn(page, user)
    await page.waitForURL('**/dashboard?q=menu')
    await page.context().close()
  })
})

async function fillIn(page: Page, user: TestUser): Promise<void> {
  await page.getByLabel('Email').fill(user.email)
  await page.getByLabel('Password', { exact: true }).fill(user.password)
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
}

describe('where a person wanted to go', () => {
  it.each([
    '/affiliates',
    '/bio-link',
    '/my-popups',
    '/popup-generator',
    '/settings?tab=security',
    '/dashboard?q=x',
  ])('%s is where the sign-in leads', async (wanted) => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url)
    await page.goto(wanted)
    await page.waitForURL('**/auth?*')
    await fillIn(page, user)
    await page.waitForURL(`**${wanted}`)
    await page.context().close()
  })

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/no-page',
    '/\\evil.example',
    'javascript:1',
  ])('%s is not a page of the app, so My Links opens', async (next) => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url)
    await page.goto(`/auth?next=${encodeURIComponent(next)}`)
    await fillIn(page, user)
    await page.waitForURL(`${server.url}/dashboard`)
    await page.context().close()
  })

  it('one press of Back leads from there to the page before', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url)
    await page.goto('/upgrade')
    await page.getByRole('link', { name: 'Hoplet' }).first().click()
    await page.waitForURL(`${server.url}/`)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Affiliates' }).last().click()
    await page.waitForURL('**/auth?*')
    await fillIn(page, user)
    await page.waitForURL('**/affiliates')
    await page.goBack()
    expect(new URL(page.url()).pathname).toBe('/')
    await page.context().close()
  })

  it('the link that led to the sign-in is made afterwards, in one entry of the history', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url)
    await page.goto('/upgrade')
    await page.getByRole('link', { name: 'Hoplet' }).first().click()
    await page.getByLabel('Long URL').fill('https://example.com/kept')
    await page.getByRole('button', { name: 'Shorten' }).click()
    await page.getByRole('link', { name: 'Go to Login' }).click()
    await page.waitForURL('**/auth?*')
    await fillIn(page, user)
    await page
      .getByRole('region', { name: 'Your short link' })
      .getByText('https://example.com/kept')
      .waitFor()
    await page.goBack()
    await page.waitForURL('**/upgrade')
    await page.context().close()
  })
})

describe('signing out', () => {
  it('clears the input of the shortener: the next account does not see it, nor do signed-out people', async () => {
    const [ada, bob] = [await makeUser(server), await makeUser(server)]
    const page = await openPage(browser, server.url, { user: ada })
    await page.goto('/')
    await page.getByText('Free plan').waitFor()
    await page.getByLabel('Long URL').fill('https://example.com/?token=secret')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('button', { name: 'Sign Out' }).click()
    await page.getByRole('banner').getByRole('link', { name: 'Sign In' }).waitFor()
    await expect.poll(() => page.getByLabel('Long URL').inputValue()).toBe('')
    await page.reload()
    await expect.poll(() => page.getByLabel('Long URL').inputValue()).toBe('')
    await signIn(page, bob)
    await page.goto('/')
    await page.getByText('Free plan').waitFor()
    await expect.poll(() => page.getByLabel('Long URL').inputValue()).toBe('')
    await expect
      .poll(() => page.evaluate(() => JSON.stringify(sessionStorage)))
      .not.toContain('secret')
    await page.context().close()
  })

  it('signing out works without a network, at once, and reaches the server later', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await page.getByText('No links yet').waitFor()
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Sign Out' }).click()
    await page.waitForURL(`${server.url}/`)
    await expect.poll(() => page.evaluate(() => localStorage.getItem('hoplet.auth'))).toBeNull()
    await page.context().setOffline(false)
    const sessions = () =>
      server.sql('select count(*)::int as n from auth.sessions where user_id = $1', [user.id])
    await expect.poll(sessions).toEqual([{ n: 0 }])
    forgive(/ERR_INTERNET_DISCONNECTED/)
    await page.context().close()
  })

  it('in one tab leaves nothing on the screen of another', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    const other = await page.context().newPage()
    await other.goto('/dashboard')
    await other.getByText('No links yet').waitFor()
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('button', { name: 'Sign Out' }).click()
    await other.waitForURL('**/auth?*')
    await expect.poll(() => other.getByText('Your session has ended').count()).toBe(0)
    await page.context().close()
  })
})

describe('signing up', () => {
  async function signUp(page: Page, code: string): Promise<void> {
    await page.goto('/auth?mode=sign-up')
    await page.getByLabel('Email').fill(`new-${code.toLowerCase()}-${Date.now()}@example.com`)
    await page.getByLabel('Password', { exact: true }).fill('correct horse 42')
    await page.getByLabel('Referral code').fill(code)
    await page.getByRole('main').getByRole('button', { name: 'Sign Up' }).first().click()
    await expectNotice(page, 'Account Created!', 'You can now log in')
  }

  it('says when a referral code is unknown, and nothing when it counts', async () => {
    const referrer = await makeUser(server)
    await server.sql(`insert into app.affiliate_codes (user_id, code) values ($1, 'KNOWN123')`, [
      referrer.id,
    ])
    const page = await openPage(browser, server.url)
    await signUp(page, 'KNOWN123')
    await page.waitForTimeout(300)
    await expect.poll(() => page.getByText('Referral code not found').count()).toBe(0)
    await signUp(page, 'NOBODY12')
    await expectNotice(page, 'Referral code not found', 'NOBODY12')
    await page.context().close()
  })
})
