import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { appCallback, askFor, makeApp, pkcePair, sendForm } from '#test/auth/oauth/oauth-app.ts'
import { type Google, startGoogle } from '#test/auth/stand-ins/google.ts'
import { connectAgent } from '#test/mcp/agent.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import { setStage, type Stage } from '../stage.ts'

let google: Google
let stage: Stage
beforeAll(async () => {
  google = await startGoogle('127.0.0.1')
})
setStage(
  (ready) => {
    stage = ready
  },
  {
    environment: () => ({
      RATE_LIMITS: 'off',
      AUTH_PASSWORDS: 'off',
      AUTH_PROVIDER_GOOGLE_ISSUER: google.url,
      AUTH_PROVIDER_GOOGLE_CLIENT_ID: google.clientId,
      AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: google.clientSecret,
      AUTH_PROVIDER_GOOGLE_AUTO: 'on',
    }),
  },
)
afterAll(() => google.close())

let isRegistered = false
/** Once: a second registration has other keys. */
async function register(): Promise<void> {
  if (isRegistered) return
  isRegistered = true
  await google.register(`${stage.server.url}/auth/v1/callback`)
}

const enter = (page: Page) => page.getByRole('button', { name: 'Continue with Google' })

async function expectNoPasswords(page: Page) {
  expect(await page.getByLabel(/password|email/i).count()).toBe(0)
  expect(await page.getByText(/sign up|password/i).count()).toBe(0)
  const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
  expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0)
  await expectAccessible(page)
}

it(
  'a person of an organization reads that its provider is down, signs in, out, and stays signed out',
  { tags: ['extended'] },
  async () => {
    const page = await openPage(stage.browser, stage.server.url, { width: 360 })
    // The provider answers nothing yet.
    await page.goto('/settings?tab=security')
    await page.getByRole('alert').filter({ hasText: 'The provider may be down' }).waitFor()
    await enter(page).waitFor()
    await expectNoPasswords(page)

    await register()
    await page.goto('/auth')
    await enter(page).click()
    await page.waitForURL('**/dashboard')

    await page.goto('/settings?tab=security')
    await page.getByRole('heading', { name: 'Linked sign-ins' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Password' }).count()).toBe(0)
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page.getByRole('button', { name: 'Sign Out' }).click()
    await page.waitForURL((url) => url.pathname === '/')
    await page.goto('/dashboard')
    await enter(page).waitFor()
    expect(new URL(page.url()).pathname).toBe('/auth')
    await page.goto('/auth/forgot')
    await enter(page).waitFor()
    await expectNoPasswords(page)
    await enter(page).click()
    await page.waitForURL('**/dashboard')
    await page.context().close()
  },
)

it('a guarded page goes straight to the provider and back', async () => {
  await register()
  const page = await openPage(stage.browser, stage.server.url)
  await page.goto('/my-popups')
  await page.waitForURL('**/my-popups')
  await page.getByRole('heading', { level: 1, name: 'My Popups' }).waitFor()
  await page.context().close()
})

/** A page in which the app's address answers, although no app runs there. */
async function openBesideApp(): Promise<Page> {
  const page = await openPage(stage.browser, stage.server.url)
  await page.route('https://app.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>The app</title>' }),
  )
  return page
}

/** @returns the code that the app gets */
async function allowIn(page: Page, name: string): Promise<string> {
  await page.getByRole('heading', { name: `${name} wants to act for you` }).waitFor()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${appCallback}**`)
  return new URL(page.url()).searchParams.get('code') ?? ''
}

it('an agent signs in through the provider: the consent, then its tools', async () => {
  await register()
  const page = await openBesideApp()
  const { client } = await connectAgent(
    stage.server,
    async (asked) => {
      await page.goto(asked.href)
      return allowIn(page, 'Desk Agent')
    },
    'links:read links:write',
  )
  const given = { original_url: 'https://example.com/by-the-agent' }
  expect(await client.callTool({ name: 'create_link', arguments: given })).not.toHaveProperty(
    'isError',
    true,
  )
  const links = await client.callTool({ name: 'find_links', arguments: {} })
  expect(JSON.stringify(links)).toContain('by-the-agent')
  await client.close()
  await page.context().close()
})

it('an app gets its tokens from a person who has signed out, and presses the button of the provider', async () => {
  await register()
  const page = await openBesideApp()
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  const app = await makeApp(stage.server, { client_name: 'Link Robot', scope: 'openid links:read' })
  const pair = pkcePair()
  const id = await askFor(stage.server, app, pair, { scope: 'openid links:read' })
  await page.goto(`/oauth/consent?authorization_id=${id}`)
  await enter(page).click()
  const code = await allowIn(page, 'Link Robot')
  const { body } = await sendForm(stage.server, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    code,
    code_verifier: pair.verifier,
    redirect_uri: appCallback,
  })
  const token = String(body['access_token'])
  const links = await fetch(`${stage.server.url}/rest/v1/shortened_urls`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  expect(links.status).toBe(200)
  await page.context().close()
})

it('a person deletes the account after a new sign-in at the provider, in a new tab', async () => {
  await register()
  google.person = { ...google.person, sub: 'leaver', email: 'leaver@gmail.test' }
  const page = await openPage(stage.browser, stage.server.url)
  await page.goto('/settings?tab=account')
  await page.getByRole('button', { name: 'Delete Account' }).click()
  await stage.server.sql(`update auth.sessions set created_at = now() - interval '1 hour'`)
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' })
  await dialog.getByLabel('Your email').fill('leaver@gmail.test')
  await dialog.getByRole('button', { name: 'Delete Account' }).click()
  await enter(page).waitFor()
  await expectAccessible(page)
  const users = () => stage.server.sql(`select from auth.users where email = 'leaver@gmail.test'`)
  expect(await users()).toHaveLength(1)
  await enter(page).click()
  await expectNotice(page, 'Account deleted')
  expect(await users()).toHaveLength(0)
  await page.context().close()
})
