/** @module-tag extended */
import { generateKeyPairSync } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { everyCall } from '#test/auth/official-calls/every-call.ts'
import { refusal, signedIn, type World } from '#test/auth/official-calls/world.ts'
import { newEmail, officialAdmin } from '#test/auth/requests.ts'
import { plugKeyIn } from './account-factors.ts'
import { openPage } from './browser.ts'
import { openClientPage } from './client-page.ts'
import { type OutsideStage, setOutsideStage } from './outside-stage.ts'

// Each call of the official client against the built server, in Chromium; test/auth/official-client.test.ts makes them in Node.

let stage: OutsideStage
let page: Page
let keys: Awaited<ReturnType<typeof plugKeyIn>>
let world: World
setOutsideStage(async (ready) => {
  stage = ready
  const { server, browser, outside } = stage
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

/** In another tab of the same browser. */
async function travel(address: string): Promise<URL> {
  await page.context().clearCookies({ domain: new URL(stage.outside.google.url).hostname })
  const tab = await page.context().newPage()
  try {
    await tab.goto(address)
    await tab.waitForURL(`${stage.outside.app}**`)
    return new URL(tab.url())
  } finally {
    await tab.close()
  }
}

for (const [name, makeCall] of Object.entries(everyCall)) it(name, () => makeCall(world))

it('the server signs a person in when the provider posts its answer across sites', async () => {
  const sub = newEmail()
  stage.outside.google.person = { sub, email: sub, email_verified: true, name: 'Gina Google' }
  const client = world.newClient('pkce')
  const { data } = await client.signInWithOAuth({
    provider: 'google',
    options: {
      redirectTo: stage.outside.app,
      skipBrowserRedirect: true,
      queryParams: { response_mode: 'form_post' },
    },
  })
  const posted = page
    .context()
    .waitForEvent('request', (request) => request.url() === `${stage.server.url}/auth/v1/callback`)
  const back = await travel(data.url ?? '')
  expect((await posted).method()).toBe('POST')
  const exchanged = await client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
  expect(exchanged.data.user).toMatchObject({ email: sub, identities: [{ id: sub }] })
})

it('the server refuses another key, and a copy of the key with a counter that lags behind', async () => {
  const { client, person } = await signedIn(world)
  const former = (await credentialsOnKey()).map(({ credentialId }) => credentialId)
  await world.key.register(client, 'Blue key')
  const original = (await credentialsOnKey()).find((one) => !former.includes(one.credentialId))
  if (!original) throw new Error('the key has no new credential')
  const { client: again } = await signedIn(world, person)
  const [factor] = (await again.mfa.listFactors()).data?.webauthn ?? []
  const stepUp = async () => refusal(await world.key.authenticate(again, factor?.id ?? ''))
  expect(await stepUp()).toBeNull()

  const stepUpWith = async (credential: NonNullable<typeof original>) => {
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

/** In no order. */
async function credentialsOnKey() {
  const { cdp, authenticatorId } = keys
  return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials
}

function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
}
