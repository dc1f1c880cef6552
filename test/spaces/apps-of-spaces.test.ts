import { beforeAll, describe, expect, it } from 'vitest'
import {
  appCallback,
  askFor,
  makeApp,
  pkcePair,
  sendForm,
  type App,
} from '#test/auth/oauth/oauth-app.ts'
import { request } from '#test/auth/requests.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { bearer, call, connectAgent, post } from '#test/mcp/agent.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { makeAccount, send } from '#test/tables/accounts.ts'
import { actingFor, inviteTo, makeSpace, type TestSpace } from './space-client.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

/** A person who has joined the space. */
async function member(space: TestSpace, role: 'owner' | 'editor' | 'viewer'): Promise<TestUser> {
  const user = await makeUser(server, { plan: 'business' })
  const token = await inviteTo(server, space.owner, role)
  const joined = await send(server, user, 'POST', 'rpc/accept_invitation', { _token: token })
  expect(joined.status).toBe(200)
  return user
}

/** The person lets the app act for the account. */
async function tokenFor(user: TestUser, app: App, account: string | null) {
  const pair = pkcePair()
  const id = await askFor(server, app, pair, { scope: 'links:read links:write members:read' })
  await request(server, `/oauth/authorizations/${id}`, { token: user.accessToken })
  const decided = await request(server, `/oauth/authorizations/${id}/consent`, {
    token: user.accessToken,
    body: { action: 'approve', account_id: account },
  })
  if (decided.status !== 200) return { status: decided.status, token: '' }
  const code = new URL(String(decided.body['redirect_url'])).searchParams.get('code') ?? ''
  const { status, body } = await sendForm(server, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    code,
    code_verifier: pair.verifier,
    redirect_uri: appCallback,
  })
  return { status, token: String(body['access_token']) }
}

const as = (token: string, account?: string) => ({
  headers: {
    authorization: `Bearer ${token}`,
    ...(account !== undefined && { 'x-hoplet-account': account }),
  },
})
const list = (who: { headers: Record<string, string> }) =>
  send(server, who, 'GET', 'shortened_urls?select=user_id')

describe('an app', () => {
  it('acts for the space that the person chose, and for no other account', async () => {
    const space = await makeSpace(server)
    const user = await member(space, 'editor')
    const own = { original_url: 'https://example.com/own' }
    await send(server, user, 'POST', 'shortened_urls', own)
    await send(server, space.owner, 'POST', 'shortened_urls', {
      original_url: 'https://example.com/',
    })
    const app = await makeApp(server)
    const { token } = await tokenFor(user, app, space.id)
    expect((await list(as(token))).body).toEqual([{ user_id: space.id }])
    expect((await list(as(token, space.id))).status).toBe(200)
    expect((await list(as(token, user.id))).status).toBe(403)
    // The control: without a choice it is the person's own account.
    const personal = await tokenFor(user, await makeApp(server), null)
    expect((await list(as(personal.token))).body).toEqual([{ user_id: user.id }])
    expect((await list(as(personal.token, space.id))).status).toBe(403)
    const grants = await request(server, '/user/oauth/grants', { token: user.accessToken })
    expect(JSON.stringify(grants.body)).toContain(`"account_id":"${space.id}"`)
  })

  it('has the rights of the role that its person has at present, and ends with the membership', async () => {
    const space = await makeSpace(server)
    const user = await member(space, 'editor')
    const { token } = await tokenFor(user, await makeApp(server), space.id)
    const make = () =>
      send(server, as(token), 'POST', 'shortened_urls', { original_url: 'https://example.com/' })
    expect((await make()).status).toBe(201)
    const role = { _person: user.id, _role: 'viewer' }
    expect((await send(server, space.owner, 'POST', 'rpc/set_member_role', role)).status).toBe(204)
    expect((await make()).status).toBe(403)
    expect((await list(as(token))).status).toBe(200)
    await send(server, space.owner, 'POST', 'rpc/remove_member', { _person: user.id })
    // As the process that has heard of it, or by the session that is gone.
    expect([401, 403]).toContain((await list(as(token))).status)
    const grants = await request(server, '/user/oauth/grants', { token: user.accessToken })
    expect(grants.body).toEqual([])
  })

  it('gets no space that the person is not a member of', async () => {
    const space = await makeSpace(server)
    const stranger = await makeUser(server)
    expect((await tokenFor(stranger, await makeApp(server), space.id)).status).toBe(403)
    expect((await tokenFor(stranger, await makeApp(server), stranger.id)).status).toBe(200)
  })
})

describe('an agent', () => {
  it('of an owner invites a person after a confirmation', async () => {
    const space = await makeSpace(server)
    const user = await member(space, 'owner')
    const { token } = await connectAgent(server, async (asked) => {
      const response = await fetch(asked, { redirect: 'manual' })
      const id = new URL(response.headers.get('location') ?? '').searchParams.get(
        'authorization_id',
      )
      await request(server, `/oauth/authorizations/${id}`, { token: user.accessToken })
      const decided = await request(server, `/oauth/authorizations/${id}/consent`, {
        token: user.accessToken,
        body: { action: 'approve', account_id: space.id },
      })
      return new URL(String(decided.body['redirect_url'])).searchParams.get('code') ?? ''
    })
    const tool = async (name: string, given: object = {}) => {
      const response = await post(server, call(name, given), bearer(token))
      const text = await response.text()
      const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
      return (JSON.parse(data) as { result: { structuredContent: Record<string, unknown> } }).result
        .structuredContent
    }
    expect(await tool('list_people')).toMatchObject({
      members: [{ role: 'owner' }, { role: 'owner' }],
    })
    const first = await tool('invite_person', { role: 'viewer' })
    expect(first).toMatchObject({ status: 'needs_confirmation' })
    const invitations = () => send(server, space.owner, 'GET', 'invitations?used_by=is.null')
    expect((await invitations()).body).toEqual([])
    const done = await tool('invite_person', {
      role: 'viewer',
      confirmation: first['confirmation'],
    })
    const secret = new URL(String(done['link'])).hash.slice(1)
    const guest = await makeAccount(server)
    const joined = await send(server, guest, 'POST', 'rpc/accept_invitation', { _token: secret })
    expect(joined.body).toMatchObject({ id: space.id, role: 'viewer' })
    expect((await list(actingFor(space.id, guest))).status).toBe(200)

    const confirmed = async (name: string, given: object) => {
      const { confirmation } = await tool(name, given)
      return tool(name, { ...given, confirmation })
    }
    const change = { person_id: guest.id, role: 'editor' }
    expect(await confirmed('set_member_role', change)).toEqual({ status: 'done' })
    const other = await inviteTo(server, space.owner, 'viewer')
    const { invitations: all } = (await tool('list_people')) as {
      invitations: { id: string; used_by: string | null }[]
    }
    const open = all.find(({ used_by: by }) => by === null)
    expect(await tool('withdraw_invitation', { id: open?.id })).toEqual({ id: open?.id })
    const late = await send(server, guest, 'POST', 'rpc/read_invitation', { _token: other })
    expect(late.body).toBeNull()
    expect(await confirmed('remove_member', { person_id: guest.id })).toEqual({ status: 'done' })
    expect((await list(actingFor(space.id, guest))).status).toBe(403)
  })
})
