import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Google, startGoogle } from '#test/auth/stand-ins/google.ts'
import { expectAccessible, expectNotice, forgive, noticesOf, openPage } from '../browser.ts'
import { setStage, type Stage } from '../stage.ts'

let google: Google
let stage: Stage
beforeAll(async () => {
  google = await startGoogle('127.0.0.1')
})
setStage(
  async (ready) => {
    stage = ready
    await google.register(`${stage.server.url}/auth/v1/callback`)
    // An admin by hand, so that no other one is the last.
    await stage.server.sql(`insert into auth.users (email) values ('kept@example.com')`)
    await stage.server.sql(
      `update app.user_roles set role = 'admin'
        where user_id = (select id from auth.users where email = 'kept@example.com')`,
    )
  },
  {
    environment: () => ({
      RATE_LIMITS: 'off',
      AUTH_PASSWORDS: 'off',
      AUTH_PROVIDER_GOOGLE_ISSUER: google.url,
      AUTH_PROVIDER_GOOGLE_CLIENT_ID: google.clientId,
      AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: google.clientSecret,
      AUTH_PROVIDER_GOOGLE_ADMIN_CLAIM: 'groups=hoplet-admins',
    }),
  },
)
afterAll(() => google.close())

let serial = 0
let page: Page
/** Sign-ins that were begun: how each left for the provider. */
let departures: string[]
beforeEach(async () => {
  const sub = `due-${++serial}`
  google.person = { sub, email: `${sub}@gmail.test`, email_verified: true, name: sub }
  google.person.groups = ['hoplet-admins']
  departures = []
  page = await openPage(stage.browser, stage.server.url)
  page.context().on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/auth/v1/authorize') departures.push(searchParams.get('prompt') ?? 'login')
  })
  await page.goto('/auth')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.waitForURL('**/admin')
  await adminScreen(page)
  expect(departures.splice(0)).toEqual(['login'])
})
afterEach(async () => {
  google.isDown = false
  await page.context().close()
})

const adminScreen = (of: Page) => of.getByRole('heading', { level: 1, name: 'Admin' }).waitFor()
/** Waits for a screen of admins with its data: its frame is there before the session is known. */
async function backAt(of: Page, path: string): Promise<void> {
  await of.waitForURL((url) => url.href === `${stage.server.url}${path}`)
  if (path === '/admin') await adminScreen(of)
  else await of.getByRole('row', { name: google.person.email }).waitFor()
}
const sessions = () =>
  stage.server.sql(
    `select s.claims_until > now() as counts from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1`,
    [google.person.email],
  )
const dialog = (of: Page) => of.getByRole('dialog', { name: 'Your session has ended' })

/** Makes the claims of the person's sessions due, as after AUTH_CLAIM_HOURS. */
async function makeDue(): Promise<void> {
  await stage.server.sql(
    `update auth.sessions set claims_until = now() - interval '1 hour'
      where user_id = (select id from auth.users where email = $1)`,
    [google.person.email],
  )
}

/** Makes the access token of this browser an old one, and looks at the tab again. */
async function refreshIn(...pages: Page[]): Promise<void> {
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem('hoplet.auth') ?? '{}') as object
    localStorage.setItem('hoplet.auth', JSON.stringify({ ...session, expires_at: 1 }))
  })
  for (const each of pages)
    await each.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
}

it('an admin with claims that are due opens a page, and is signed in again without a question', async () => {
  await makeDue()
  await page.goto('/admin/users')
  // The session before has ended.
  await expect.poll(sessions).toEqual([{ counts: true }])
  await backAt(page, '/admin/users')
  expect(departures).toEqual(['none'])
  expect(noticesOf(page)).not.toContain('Your session has ended. Sign in again.')
})

it('an admin who has left the group is none after the hours, without a question', async () => {
  google.person.groups = ['staff']
  await makeDue()
  await page.goto('/admin')
  await page.waitForURL(`${stage.server.url}/`)
  expect(departures).toEqual(['none'])
  await page.goto('/dashboard')
  await page.getByRole('heading', { level: 1, name: 'My Links' }).waitFor()
})

it('an open screen without input goes to the provider and comes back, in one of two tabs', async () => {
  const other = await page.context().newPage()
  await other.goto('/admin/users')
  await backAt(other, '/admin/users')
  await makeDue()
  await refreshIn(page, other)
  await expect.poll(sessions).toEqual([{ counts: true }])
  await backAt(page, '/admin')
  await backAt(other, '/admin/users')
  await expect.poll(() => dialog(page).count()).toBe(0)
  await expect.poll(() => dialog(other).count()).toBe(0)
  expect(departures).toEqual(['none'])
})

it('a screen with typed text stays, and goes on after a sign-in in a new tab', async () => {
  await page.goto('/')
  const field = page.getByLabel('Long URL')
  await field.fill('https://example.com/typed')
  await makeDue()
  await refreshIn(page)
  await dialog(page).waitFor()
  await expectAccessible(page)
  expect(departures).toEqual([])
  const opened = page.context().waitForEvent('page')
  await dialog(page).getByRole('link', { name: 'Sign In' }).click()
  const tab = await opened
  await tab.waitForURL('**/admin')
  await dialog(page).waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe('https://example.com/typed')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await expectNotice(page, '✨ URL Shortened!')
})

it('a hidden tab waits until it is shown, and a tab with input asks meanwhile', async () => {
  const hidden = await page.context().newPage()
  await hidden.goto('/admin/users')
  await backAt(hidden, '/admin/users')
  const show = (state: 'hidden' | 'visible') =>
    hidden.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await show('hidden')
  await page.goto('/')
  await page.getByLabel('Long URL').fill('https://example.com/beside')
  await makeDue()
  await refreshIn(page)
  await dialog(page).waitFor()
  await expect
    .poll(() => hidden.evaluate(() => localStorage.getItem('hoplet.silent')))
    .toBe('google')
  expect(new URL(hidden.url()).pathname).toBe('/admin/users')
  expect(departures).toEqual([])
  await show('visible')
  await expect.poll(sessions).toEqual([{ counts: true }])
  await backAt(hidden, '/admin/users')
  await dialog(page).waitFor({ state: 'detached' })
  expect(await page.getByLabel('Long URL').inputValue()).toBe('https://example.com/beside')
  expect(departures).toEqual(['none'])
})

it('a person whom the provider does not know any more reads why, and comes back to the page', async () => {
  await page.context().clearCookies({ name: /^_session/ })
  await makeDue()
  await page.goto('/admin/users')
  await page.getByText('Your organization asks you to sign in again.').waitFor()
  expect(departures).toEqual(['none'])
  await expectAccessible(page)
  await page.reload()
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await backAt(page, '/admin/users')
  expect(departures).toEqual(['none', 'login'])
})

it('while the provider is down a session goes on without the rights of its claims, and says so', async () => {
  google.isDown = true
  await makeDue()
  await page.goto('/admin')
  await page.waitForURL(`${stage.server.url}/`)
  await expectNotice(
    page,
    'Your admin rights are paused',
    'Your sign-in provider does not answer. Sign in again later.',
  )
  await page.goto('/dashboard')
  await page.getByRole('heading', { level: 1, name: 'My Links' }).waitFor()
  expect(await sessions()).toEqual([{ counts: false }])
  google.isDown = false
  await page.goto('/admin')
  await expect.poll(sessions).toEqual([{ counts: true }])
  await backAt(page, '/admin')
  expect(departures).toEqual(['none'])
  forgive(/503/)
})

it('an admin confirms a change with a new sign-in at the provider, in a new tab', async () => {
  await stage.server.sql(`update auth.sessions set created_at = now() - interval '1 hour'`)
  await page.goto('/admin/users?q=kept@example.com')
  await page.getByRole('button', { name: 'Edit kept@example.com' }).click()
  await page.getByLabel('Role').selectOption('user')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  const again = page.getByRole('dialog', { name: 'Please sign in again to confirm this.' })
  await again.waitFor()
  await expectAccessible(page)
  const opened = page.context().waitForEvent('page')
  await again.getByRole('button', { name: 'Continue with Google' }).click()
  await (await opened).waitForURL('**/admin')
  await expectNotice(page, 'User updated successfully')
  expect(departures).toEqual(['login'])
  expect(await sessions()).toEqual([{ counts: true }])
  const roles = await stage.server.sql(
    `select r.role from app.user_roles r join auth.users u on u.id = r.user_id where u.email = 'kept@example.com'`,
  )
  expect(roles).toEqual([{ role: 'user' }])
})
