import { expect } from 'vitest'
import { type App, appCallback, askFor, makeApp, pkcePair, sendForm } from '../oauth/oauth-app.ts'
import { request } from '../requests.ts'
import { type Calls, nothing, refusal, signedIn, type World } from './world.ts'

const unknownRequest = [404, 'oauth_authorization_not_found']

/** A person's decisions about apps that want to act for them. */
export const oauthCalls: Calls = {
  async 'oauth.getAuthorizationDetails'(world) {
    const { client, person } = await signedIn(world)
    const { app, id } = await asked(world, 'links:read offline_access')
    const { data, error } = await client.oauth.getAuthorizationDetails(id)
    expect(error).toBeNull()
    expect(data).toEqual({
      authorization_id: id,
      redirect_uri: appCallback,
      client: {
        id: app.client_id,
        name: 'Example App',
        uri: 'https://app.example/',
        logo_uri: '',
        registration: 'dynamic',
      },
      user: { id: person.id, email: person.email },
      scope: 'offline_access links:read',
    })

    // It belongs to its first reader.
    const stranger = await signedIn(world)
    const theirs = await stranger.client.oauth.getAuthorizationDetails(id)
    expect(refusal(theirs)).toEqual(unknownRequest)
  },

  async 'oauth.approveAuthorization'(world) {
    const { client, person } = await signedIn(world)
    const { app, id, pair } = await asked(world, 'openid links:read')
    await client.oauth.getAuthorizationDetails(id)
    const { data, error } = await client.oauth.approveAuthorization(id, quietly)
    expect(error).toBeNull()
    const back = new URL(data?.redirect_url ?? '')
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([
      appCallback,
      'st-1',
    ])
    const code = back.searchParams.get('code') ?? ''
    const token = await tokenFor(world, app, code, pair.verifier)
    expect((await request(world, '/oauth/userinfo', { token })).body['sub']).toBe(person.id)

    // Scopes that were allowed before need no second question; more of them do.
    const again = await asked(world, 'links:read', app)
    const covered = await client.oauth.getAuthorizationDetails(again.id)
    expect(Object.keys(covered.data ?? {})).toEqual(['redirect_url'])
    const more = await asked(world, 'links:read links:write', app)
    expect((await client.oauth.getAuthorizationDetails(more.id)).data).toHaveProperty('scope')
    const twice = await client.oauth.approveAuthorization(id, quietly)
    expect(refusal(twice)).toEqual(unknownRequest)
  },

  async 'oauth.denyAuthorization'(world) {
    const { client } = await signedIn(world)
    const { id } = await asked(world, 'links:read')
    await client.oauth.getAuthorizationDetails(id)
    const { data, error } = await client.oauth.denyAuthorization(id, quietly)
    expect(error).toBeNull()
    const { searchParams } = new URL(data?.redirect_url ?? '')
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['access_denied', null])
    expect((await client.oauth.listGrants()).data).toEqual([])

    const unknown = await client.oauth.denyAuthorization(nothing, quietly)
    expect(refusal(unknown)).toEqual(unknownRequest)
  },

  async 'oauth.listGrants'(world) {
    const { client } = await signedIn(world)
    const { app, id } = await asked(world, 'links:read offline_access')
    await client.oauth.getAuthorizationDetails(id)
    await client.oauth.approveAuthorization(id, quietly)
    const { data, error } = await client.oauth.listGrants()
    expect(error).toBeNull()
    expect(data).toMatchObject([
      {
        client: { id: app.client_id, name: 'Example App' },
        scopes: ['offline_access', 'links:read'],
        granted_at: expect.any(String),
      },
    ])

    const nobody = await world.newClient().oauth.listGrants()
    expect(refusal(nobody)).toEqual([400, 'AuthSessionMissingError'])
  },

  async 'oauth.revokeGrant'(world) {
    const { client } = await signedIn(world)
    const { app, id, pair } = await asked(world, 'openid links:read')
    await client.oauth.getAuthorizationDetails(id)
    const { data } = await client.oauth.approveAuthorization(id, quietly)
    const code = new URL(data?.redirect_url ?? '').searchParams.get('code') ?? ''
    const token = await tokenFor(world, app, code, pair.verifier)
    expect((await request(world, '/user', { token })).status).toBe(200)
    expect((await client.oauth.revokeGrant({ clientId: app.client_id })).error).toBeNull()
    expect((await request(world, '/user', { token })).status).toBe(403)
    expect((await client.oauth.listGrants()).data).toEqual([])
    // Their own session goes on.
    expect((await client.getUser()).error).toBeNull()

    const again = await client.oauth.revokeGrant({ clientId: app.client_id })
    expect(refusal(again)).toEqual([404, 'oauth_consent_not_found'])
  },
}

const quietly = { skipBrowserRedirect: true }

/** A request of an app that waits for the person's answer. */
async function asked(world: World, scope: string, known?: App) {
  const app = known ?? (await makeApp(world, { client_uri: 'https://app.example/' }))
  const pair = pkcePair()
  return { app, pair, id: await askFor(world, app, pair, { scope, state: 'st-1' }) }
}

async function tokenFor(world: World, app: App, code: string, verifier: string) {
  const { status, body } = await sendForm(world, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    code,
    code_verifier: verifier,
    redirect_uri: appCallback,
  })
  expect(status).toBe(200)
  return String(body['access_token'])
}
