import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Google, startGoogle } from '#test/auth/stand-ins/google.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { expectNoFaults, launchBrowser, openPage } from './browser.ts'
import { type BuiltServer, startBuiltServer } from './built-server.ts'
import { bundleOfficialClient, type ClientWindow } from './official-client.ts'

let google: Google
let server: BuiltServer
let browser: Browser
let script: string
beforeAll(async () => {
  // Another site than ours, so that Chromium keeps cookies as it does with the real one.
  google = await startGoogle('localhost')
  server = await startBuiltServer({
    AUTH_PROVIDER_GOOGLE_ISSUER: google.url,
    AUTH_PROVIDER_GOOGLE_CLIENT_ID: google.clientId,
    AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: google.clientSecret,
  })
  await google.register(`${server.url}/auth/v1/callback`)
  browser = await launchBrowser()
  script = await bundleOfficialClient()
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await google.close()
})
afterEach(expectNoFaults)
let serial = 0
beforeEach(() => {
  const sub = `google-${++serial}`
  google.person = { sub, email: `${sub}@gmail.test`, email_verified: true, name: 'Gina Google' }
})

/** A page of the web app, with the official client on the same storage. */
async function openWithClient(user?: TestUser): Promise<Page> {
  const page = await openPage(browser, server.url, user ? { user } : {})
  await page.goto('/')
  await page.evaluate(script)
  await page.evaluate((key) => {
    const shared = window as unknown as ClientWindow
    shared.client = new shared.OfficialAuth.AuthClient({
      url: `${location.origin}/auth/v1`,
      headers: { apikey: key },
      storageKey: 'hoplet.auth',
      flowType: 'pkce',
      autoRefreshToken: false,
      detectSessionInUrl: false,
    })
  }, server.anonKey)
  return page
}

/** The account that the web app has in its storage, once it is one of the person at Google. */
async function accountIn(page: Page) {
  const handle = await page.waitForFunction((sub) => {
    const kept = JSON.parse(localStorage.getItem('hoplet.auth') ?? '{}') as {
      user?: { id: string; email: string; identities?: { id: string }[] }
    }
    return kept.user?.identities?.some(({ id }) => id === sub) ? kept.user : undefined
  }, google.person.sub)
  return handle.jsonValue()
}

it('signs somebody in with Google, from another site and back (signInWithOAuth)', async () => {
  const page = await openWithClient()
  await page.evaluate(() => {
    const { client } = window as unknown as ClientWindow
    void client.signInWithOAuth({
      provider: 'google',
      options: { redirectTo: `${location.origin}/auth` },
    })
  })
  expect(await accountIn(page)).toMatchObject({ email: google.person.email })
  expect(await page.evaluate(() => document.cookie)).toBe('')
  await page.context().close()
})

it('signs somebody in whose provider posts its answer across sites', async () => {
  const page = await openWithClient()
  const posted = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/auth/v1/callback'),
  )
  await page.evaluate(() => {
    const { client } = window as unknown as ClientWindow
    void client.signInWithOAuth({
      provider: 'google',
      options: {
        redirectTo: `${location.origin}/auth`,
        queryParams: { response_mode: 'form_post' },
      },
    })
  })
  await posted
  expect(await accountIn(page)).toMatchObject({ email: google.person.email })
  await page.context().close()
})

it('links Google to somebody’s account (linkIdentity)', async () => {
  const user = await makeUser(server)
  const page = await openWithClient(user)
  await page.evaluate(() => {
    const { client } = window as unknown as ClientWindow
    void client.linkIdentity({
      provider: 'google',
      options: { redirectTo: `${location.origin}/settings` },
    })
  })
  expect(await accountIn(page)).toMatchObject({ id: user.id, email: user.email })
  await page.context().close()
})
