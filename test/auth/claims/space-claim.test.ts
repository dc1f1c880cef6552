import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { inviteTo, makeSpace, type TestSpace } from '#test/spaces/space-client.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Issuer, startIssuer } from '../stand-ins/issuer.ts'
import { authSettings } from '../stand-ins/settings.ts'
import { enterAtIssuer } from './sign-ins.ts'

const app = 'https://app.example/signed-in'
let issuer: Issuer
let server: TestServer
let space: TestSpace
beforeAll(async () => {
  issuer = await startIssuer()
  server = await startTestServer({
    auth: authSettings({
      AUTH_PROVIDER_ACME_ISSUER: issuer.url,
      AUTH_PROVIDER_ACME_CLIENT_ID: issuer.clientId,
      AUTH_PROVIDER_ACME_CLIENT_SECRET: 'secret',
      AUTH_PROVIDER_ACME_SPACE_CLAIM: 'team',
      AUTH_REDIRECT_URLS: app,
    }),
  })
  space = await makeSpace(server)
})
afterAll(async () => {
  await server.close()
  await issuer.close()
})
let serial = 0
beforeEach(() => {
  const sub = `spaces-${++serial}`
  issuer.person = { sub, email: `${sub}@acme.test`, email_verified: true }
  issuer.userInfo = undefined
})

const enterWith = async (team: unknown) => {
  Object.assign(issuer.person, { team })
  return enterAtIssuer(server, issuer, app)
}
const rolesOf = async (person: string) => {
  const rows = await server.sql<{ slug: string; role: string }>(
    'select s.slug, m.role from app.members m join app.spaces s on s.id = m.account_id where m.person_id = $1 order by 1',
    [person],
  )
  return rows.map(({ slug, role }) => `${slug}:${role}`)
}

it('a claim gives a membership and its role, changes and takes it', async () => {
  const { id } = await enterWith([`${space.slug}:viewer`, 'unknown-space', 'Bad Value', 7])
  expect(await rolesOf(id)).toEqual([`${space.slug}:viewer`])
  await enterWith(space.slug)
  expect(await rolesOf(id)).toEqual([`${space.slug}:editor`])
  await enterWith([])
  expect(await rolesOf(id)).toEqual([])
})

it('a claim leaves a membership by invitation as it is', async () => {
  const { id, token } = await enterWith(undefined)
  const secret = await inviteTo(server, space.owner, 'viewer')
  const joined = await fetch(`${server.url}/rest/v1/rpc/accept_invitation`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ _token: secret }),
  })
  expect(joined.status).toBe(200)
  await enterWith([`${space.slug}:owner`])
  expect(await rolesOf(id)).toEqual([`${space.slug}:viewer`])
  await enterWith([])
  expect(await rolesOf(id)).toEqual([`${space.slug}:viewer`])
})

it('a claim never takes the last owner, who signs in all the same', async () => {
  const other = await makeSpace(server)
  const { id } = await enterWith([`${other.slug}:owner`])
  expect(await rolesOf(id)).toEqual([`${other.slug}:owner`])
  await server.sql('delete from app.members where account_id = $1 and person_id <> $2', [
    other.id,
    id,
  ])
  for (const team of [[], [`${other.slug}:viewer`]]) {
    const again = await enterWith(team)
    expect(again.id).toBe(id)
    expect(await rolesOf(id)).toEqual([`${other.slug}:owner`])
  }
  // The control: with another owner it is taken.
  await other.join('owner').catch(() => {})
  await server.sql(
    `insert into app.members (account_id, person_id, role) values ($1, $2, 'owner') on conflict do nothing`,
    [other.id, other.owner.id],
  )
  await enterWith([])
  expect(await rolesOf(id)).toEqual([])
})

it('a claim takes no seat that the plan does not have', async () => {
  const full = await makeSpace(server, { plan: 'free' })
  await full.join('viewer')
  const { id } = await enterWith([`${full.slug}:viewer`])
  expect(await rolesOf(id)).toEqual([])
})
