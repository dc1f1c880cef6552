import { generateKeyPair as generateKeyPairWithCallback } from 'node:crypto'
import { promisify } from 'node:util'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { expectNoFaults, launchBrowser, openPage } from './browser.ts'
import { type BuiltServer, startBuiltServer } from './built-server.ts'
import { bundleOfficialClient, type ClientWindow } from './official-client.ts'

const generateKeyPair = promisify(generateKeyPairWithCallback)

let server: BuiltServer
let browser: Browser
let script: string
beforeAll(async () => {
  server = await startBuiltServer({ RATE_LIMITS: 'off' }, 'localhost')
  browser = await launchBrowser()
  script = await bundleOfficialClient()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})
afterEach(expectNoFaults)

it('sets a security key up and steps up with it, with the official client in Chromium (AU14)', async () => {
  const user = await makeUser(server)
  const { page, keys } = await pageWithKey()
  await signIn(page, user)
  const made = await page.evaluate(async () => {
    const { client } = window as unknown as ClientWindow
    const { data, error } = await client.mfa.webauthn.register({ friendlyName: 'Blue key' })
    return { error: error?.message, factors: data?.user.factors }
  })
  expect(made).toMatchObject({
    error: undefined,
    factors: [{ factor_type: 'webauthn', friendly_name: 'Blue key', status: 'verified' }],
  })
  expect(await level(page)).toEqual({
    now: 'aal2',
    next: 'aal2',
    methods: ['mfa/webauthn', 'password'],
  })
  expect(await credentialOf(keys)).toMatchObject({ rpId: 'localhost', isResidentCredential: false })

  await signIn(page, user)
  expect(await level(page)).toEqual({ now: 'aal1', next: 'aal2', methods: ['password'] })
  expect(await readPlan(page)).toBe(403)
  expect(await stepUp(page)).toBeUndefined()
  expect(await level(page)).toEqual({
    now: 'aal2',
    next: 'aal2',
    methods: ['mfa/webauthn', 'password'],
  })
  expect(await readPlan(page)).toBe(200)

  const removed = await page.evaluate(async () => {
    const { client } = window as unknown as ClientWindow
    const { data } = await client.mfa.listFactors()
    const answer = await client.mfa.unenroll({ factorId: data?.webauthn[0]?.id ?? '' })
    await client.refreshSession()
    return answer.error?.message
  })
  expect(removed).toBeUndefined()
  expect(await level(page)).toEqual({ now: 'aal1', next: 'aal1', methods: ['password'] })
  await page.context().close()
})

it('refuses another key, and a copy of the key whose counter lags behind', async () => {
  const user = await makeUser(server)
  const { page, keys } = await pageWithKey()
  await signIn(page, user)
  await page.evaluate(async () => {
    const { client } = window as unknown as ClientWindow
    await client.mfa.webauthn.register({ friendlyName: 'Blue key' })
  })
  const original = await credentialOf(keys)
  await signIn(page, user)
  expect(await stepUp(page)).toBeUndefined()

  // The copy was made before the last use.
  await signIn(page, user)
  expect(await stepUpWith(original)).toBe('mfa_verification_failed')
  // Another key with the same name on it.
  expect(await stepUpWith({ ...original, privateKey: await newPrivateKey(), signCount: 100 })).toBe(
    'mfa_verification_failed',
  )
  expect(await level(page)).toMatchObject({ now: 'aal1' })
  // It was the counter, and the other key: plugged in the same way, the original is taken.
  expect(await stepUpWith({ ...original, signCount: 100 })).toBeUndefined()
  expect(await level(page)).toMatchObject({ now: 'aal2' })
  await page.context().close()

  async function stepUpWith(credential: typeof original): Promise<string | undefined> {
    const { cdp, id: authenticatorId } = keys
    const { credentialId } = credential
    await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential })
    return stepUp(page)
  }
})

interface Keys {
  cdp: CDPSession
  id: string
}

/** A page of the site with the official client in it and Chromium's own security key plugged in. */
async function pageWithKey(): Promise<{ page: Page; keys: Keys }> {
  const page = await openPage(browser, server.url)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'usb',
      hasResidentKey: false,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.goto('/auth')
  await page.evaluate(script)
  return { page, keys: { cdp, id: authenticatorId } }
}

async function signIn(page: Page, { email, password }: TestUser): Promise<void> {
  const error = await page.evaluate(
    async ({ email, password, key }) => {
      const shared = window as unknown as ClientWindow
      shared.client = new shared.OfficialAuth.AuthClient({
        url: `${location.origin}/auth/v1`,
        headers: { apikey: key },
        storageKey: 'test.auth',
        autoRefreshToken: false,
      })
      const answer = await shared.client.signInWithPassword({ email, password })
      return answer.error?.message
    },
    { email, password, key: server.anonKey },
  )
  expect(error).toBeUndefined()
}

/** What is on the key. */
async function credentialOf({ cdp, id: authenticatorId }: Keys) {
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
  const [credential] = credentials
  if (!credential) throw new Error('the key has no credential')
  return credential
}

async function newPrivateKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
}

/** @returns the code of the error, if any */
function stepUp(page: Page): Promise<string | undefined> {
  return page.evaluate(async () => {
    const { client } = window as unknown as ClientWindow
    const { data } = await client.mfa.listFactors()
    const factorId = data?.webauthn[0]?.id ?? ''
    const { error } = await client.mfa.webauthn.authenticate({ factorId })
    return error ? String(error.code) : undefined
  })
}

function level(page: Page) {
  return page.evaluate(async () => {
    const { client } = window as unknown as ClientWindow
    const { data } = await client.mfa.getAuthenticatorAssuranceLevel()
    return {
      now: data?.currentLevel,
      next: data?.nextLevel,
      methods: data?.currentAuthenticationMethods.map((entry) =>
        typeof entry === 'string' ? entry : entry.method,
      ),
    }
  })
}

function readPlan(page: Page): Promise<number> {
  return page.evaluate(async (key) => {
    const { client } = window as unknown as ClientWindow
    const { data } = await client.getSession()
    const response = await fetch('/rest/v1/user_plans?select=plan_type', {
      headers: { apikey: key, authorization: `Bearer ${data.session?.access_token ?? ''}` },
    })
    return response.status
  }, server.anonKey)
}
