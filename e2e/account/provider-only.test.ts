import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Google, startGoogle } from '#test/auth/stand-ins/google.ts'
import { expectAccessible, openPage } from '../browser.ts'
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
