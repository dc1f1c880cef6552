import { generateKeyPairSync } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { everyCall } from '#test/auth/official-calls/every-call.ts'
import { type Outside, startOutside } from '#test/auth/official-calls/outside.ts'
import { refusal, signedIn, type World } from '#test/auth/official-calls/world.ts'
import { newEmail, officialAdmin } from '#test/auth/requests.ts'
import { plugKeyIn } from './account-factors.ts'
import { expectNoFaults, launchBrowser, openPage } from './browser.ts'
import { type BuiltServer, startBuiltServer } from './built-server.ts'
import { openClientPage } from './client-page.ts'

// Each call of the official client against the built server, in Chromium; test/auth/official-client.test.ts makes them in Node.

let outside: Outside
let server: BuiltServer
let browser: Browser
let page: Page
let keys: Awaited<ReturnType<typeof plugKeyIn>>
let world: World
beforeAll(async () => {
  outside = await startOutside()
  // Security keys want a site with a name; and the provider is another site than ours, as the real ones are.
  server = await startBuiltServer(outside.environment, 'localhost')
  await outside.google.register(`${server.url}/auth/v1/callback`)
  browser = await launchBrowser()
  page = await openPage(browser, server.url)
  keys = await plugKeyIn(page)
  const { newClient } = await openClientPage(page, server.anonKey)
  world = {
    ...server,
    outside,
    newClient,
    admin: officialAdmin(server),
    travel,
    key: {
      register: (client, friendlyName) => client.mfa.webauthn.register({ friendlyName }),
      authenticate: (client, factorId) => client.mfa.webauthn.authenticate({ factorId }),
    },
  }
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await outside.close()
})
afterEach(expectNoFaults)

/** In another tab of the same browser. */
async function travel(address: string): Promise<URL> {
  await page.context().clearCookies({ domain: new URL(outside.google.url).hostname })
  const tab = await page.context().newPage()
  try {
    await tab.goto(address)
    await tab.waitForURL(`${outside.app}**`)
    return new URL(tab.url())
  } finally {
    await tab.close()
  }
}

for (const [name, makeCall] of Object.entries(everyCall)) it(name, () => makeCall(world))

it('signs somebody in whose provider posts its answer across sites', async () => {
  const sub = newEmail()
  outside.google.person = { sub, email: sub, email_verified: true, name: 'Gina Google' }
  const client = world.newClient('pkce')
  const { data } = await client.signInWithOAuth({
    provider: 'google',
    options: {
      redirectTo: outside.app,
      skipBrowserRedirect: true,
      queryParams: { response_mode: 'form_post' },
    },
  })
  const posted = page
    .context()
    .waitForEvent('request', (request) => request.url() === `${server.url}/auth/v1/callback`)
  const back = await travel(data.url ?? '')
  expect((await posted).method()).toBe('POST')
  const exchanged = await client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
  expect(exchanged.data.user).toMatchObject({ email: sub, identities: [{ id: sub }] })
})

it('refuses another key, and a copy of the key whose counter lags behind (AU14)', async () => {
  const { client, person } = await signedIn(world)
  await world.key.register(client, 'Blue key')
  const original = await credentialOnKey()
  const { client: again } = await signedIn(world, person)
  const [factor] = (await again.mfa.listFactors()).data?.webauthn ?? []
  const stepUp = async () => refusal(await world.key.authenticate(again, factor?.id ?? ''))
  expect(await stepUp()).toBeNull()

  const stepUpWith = async (credential: typeof original) => {
    const { cdp, authenticatorId } = keys
    const { credentialId } = credential
    await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential })
    return stepUp()
  }
  const refused = [422, 'mfa_verification_failed']
  // The copy was made before the last use.
  expect(await stepUpWith(original)).toEqual(refused)
  // Another key with the same name on it.
  expect(await stepUpWith({ ...original, privateKey: newPrivateKey(), signCount: 100 })).toEqual(
    refused,
  )
  // It was the counter, and the other key: plugged in the same way, the original is taken.
  expect(await stepUpWith({ ...original, signCount: 100 })).toBeNull()
})

/** What was put on the key last. */
async function credentialOnKey() {
  const { cdp, authenticatorId } = keys
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
  const credential = credentials.at(-1)
  if (!credential) throw new Error('the key has no credential')
  return credential
}

function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
}
