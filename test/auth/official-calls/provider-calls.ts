import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { newEmail, type OfficialClient } from '../requests.ts'
import { type Calls, nothing, refusal, signedIn, type World } from './world.ts'

/** Signing in with a provider. */
export const providerCalls: Calls = {
  async signInWithOAuth(world) {
    const { sub, email } = newPersonAtGoogle(world)
    const client = world.newClient('implicit')
    const { data, error } = await client.signInWithOAuth(toGoogle(world))
    expect(error).toBeNull()
    expect(data.provider).toBe('google')
    const back = await world.travel(data.url ?? '')
    expect([back.origin + back.pathname, back.search]).toEqual([world.outside.app, ''])
    const fragment = new URLSearchParams(back.hash.slice(1))
    const { data: set } = await client.setSession({
      access_token: fragment.get('access_token') ?? '',
      refresh_token: fragment.get('refresh_token') ?? '',
    })
    expect(set.user).toMatchObject({ email, identities: [{ provider: 'google', id: sub }] })

    // The client only makes the address; the server says no there.
    const unknown = await client.signInWithOAuth({
      provider: 'github',
      options: { skipBrowserRedirect: true },
    })
    const response = await fetch(unknown.data.url ?? '', {
      headers: { 'x-supabase-api-version': '2024-01-01' },
      redirect: 'manual',
    })
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        code: 'validation_failed',
        message: 'Unsupported provider: provider is not enabled',
      },
    ])
  },

  async 'exchangeCodeForSession (of a provider)'(world) {
    const { sub, email, name } = newPersonAtGoogle(world)
    const client = world.newClient('pkce')
    const back = await world.travel(await addressToSignIn(world, client))
    expect(back.hash).toBe('')
    const code = back.searchParams.get('code') ?? ''
    const { data, error } = await client.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email,
      app_metadata: { provider: 'google', providers: ['google'] },
      user_metadata: { full_name: name },
      identities: [{ provider: 'google', id: sub }],
    })
    const claims = await client.getClaims()
    expect(claims.data?.claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'oauth' }] })

    await addressToSignIn(world, client)
    const never = await client.exchangeCodeForSession('x'.repeat(43))
    expect(refusal(never)).toEqual([404, 'flow_state_not_found'])
  },

  async signInWithIdToken(world) {
    const { issuer } = world.outside
    issuer.person = { sub: `one-${newEmail()}`, email: newEmail(), email_verified: true }
    const nonce = 'once and never again'
    const hashed = createHash('sha256').update(nonce).digest('hex')
    const client = world.newClient()
    const { data, error } = await client.signInWithIdToken({
      provider: 'keycloak',
      token: await issuer.token(hashed),
      nonce,
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email: issuer.person['email'],
      app_metadata: { provider: 'keycloak' },
    })
    expect((await client.getUser()).data.user?.id).toBe(data.user?.id)

    const replayed = await client.signInWithIdToken({
      provider: 'keycloak',
      token: await issuer.token(hashed),
      nonce: 'another one',
    })
    expect(replayed.error?.status).toBe(400)
    expect(replayed.error?.message).toBe('Nonces mismatch')
  },

  async linkIdentity(world) {
    const { sub } = newPersonAtGoogle(world)
    const { client, person } = await signedIn(world, undefined, 'pkce')
    const { data: user, error } = await link(world, client)
    expect(error).toBeNull()
    expect(user.user).toMatchObject({
      id: person.id,
      email: person.email,
      app_metadata: { provider: 'email', providers: ['email', 'google'] },
    })

    const stranger = await signedIn(world, undefined, 'pkce')
    const { data } = await stranger.client.linkIdentity(toGoogle(world))
    const back = await world.travel(data.url ?? '')
    expect(back.searchParams.get('error_code')).toBe('identity_already_exists')
    const { data: theirs } = await stranger.client.getUserIdentities()
    expect(theirs?.identities.map(({ id }) => id)).not.toContain(sub)
  },

  async 'linkIdentity (with an id_token)'(world) {
    const { issuer } = world.outside
    issuer.person = { sub: `one-${newEmail()}`, email: newEmail(), email_verified: true }
    const { client, person } = await signedIn(world)
    const token = await issuer.token()
    const { data, error } = await client.linkIdentity({ provider: 'keycloak', token })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id: person.id, email: person.email })
    expect(data.user?.app_metadata['providers']).toEqual(['email', 'keycloak'])

    const stranger = await signedIn(world)
    const taken = await stranger.client.linkIdentity({
      provider: 'keycloak',
      token: await issuer.token(),
    })
    expect(refusal(taken)).toEqual([422, 'identity_already_exists'])
  },

  async getUserIdentities(world) {
    const { sub } = newPersonAtGoogle(world)
    const { client, person } = await signedIn(world, undefined, 'pkce')
    await link(world, client)
    const { data, error } = await client.getUserIdentities()
    expect(error).toBeNull()
    expect(data?.identities).toMatchObject([
      { provider: 'email', id: person.id, identity_data: { email: person.email } },
      { provider: 'google', id: sub, identity_data: { iss: world.outside.google.url } },
    ])

    const nobody = await world.newClient().getUserIdentities()
    expect(refusal(nobody)).toEqual([400, 'AuthSessionMissingError'])
  },

  async unlinkIdentity(world) {
    newPersonAtGoogle(world)
    const { client, person } = await signedIn(world, undefined, 'pkce')
    await link(world, client)
    const identities = (await client.getUserIdentities()).data?.identities ?? []
    const [own, linked] = identities
    if (!own || !linked) throw new Error('not linked')
    const unknown = { ...linked, identity_id: nothing }
    expect(refusal(await client.unlinkIdentity(unknown))).toEqual([422, 'identity_not_found'])
    const { data, error } = await client.unlinkIdentity(linked)
    expect([data, error]).toEqual([{}, null])
    expect((await client.getUser()).data.user).toMatchObject({
      id: person.id,
      app_metadata: { providers: ['email'] },
    })
    const last = await client.unlinkIdentity(own)
    expect(refusal(last)).toEqual([422, 'single_identity_not_deletable'])
  },
}

let serial = 0
function newPersonAtGoogle({ outside: { google } }: World) {
  const sub = `google-${process.pid}-${++serial}`
  google.person = { sub, email: `${sub}@gmail.test`, email_verified: true, name: `Person ${sub}` }
  return google.person
}

const toGoogle = ({ outside }: World) =>
  ({
    provider: 'google',
    options: { redirectTo: outside.app, skipBrowserRedirect: true },
  }) as const

async function addressToSignIn(world: World, client: OfficialClient): Promise<string> {
  const { data } = await client.signInWithOAuth(toGoogle(world))
  return data.url ?? ''
}

/** Links the person at Google to the one who is signed in. */
async function link(world: World, client: OfficialClient) {
  const { data, error } = await client.linkIdentity(toGoogle(world))
  if (error) throw error
  const back = await world.travel(data.url ?? '')
  return client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
}
