import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { refresh, request, signIn } from '../requests.ts'
import { codeOf, makeEnrolled, stepUp } from './second-factor.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
const nobody = '00000000-0000-4000-8000-000000000000'

/** The answer of each door to a token: status, and the code where the door has one. */
async function doors(token: string): Promise<Record<string, [number, unknown]>> {
  const headers = {
    apikey: server.anonKey,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  }
  const ask = async (method: string, path: string, body?: unknown): Promise<[number, unknown]> => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer: unknown = text ? JSON.parse(text) : null
    const code = typeof answer === 'object' && answer !== null && 'code' in answer
    return [response.status, code ? answer.code : undefined]
  }
  return {
    read: await ask('GET', '/rest/v1/user_plans?select=plan_type'),
    write: await ask('PATCH', `/rest/v1/profiles?id=eq.${nobody}`, {
      display_name: 'x',
    }),
    rpc: await ask('POST', '/rest/v1/rpc/can_create_url', { _user_id: nobody }),
    function: await ask('POST', '/functions/v1/system-status', {}),
    user: await ask('GET', '/auth/v1/user'),
  }
}

it('the server serves a session that lacks the second factor at the auth door only', async () => {
  const { user, aal1, aal2, factorId, secret } = await makeEnrolled(server)
  const refused = [403, 'insufficient_aal']
  expect(await doors(aal1)).toEqual({
    read: refused,
    write: refused,
    rpc: refused,
    function: [403, undefined],
    user: [200, undefined],
  })
  const open = await doors(aal2)
  expect(open).toMatchObject({ read: [200, undefined], user: [200, undefined] })
  // Control: the same doors let a person without a second factor in.
  const { accessToken } = await makeUser(server)
  expect(await doors(accessToken)).toEqual(open)

  const again = await signIn(server, user.email, user.password)
  const stepped = await stepUp(
    server,
    String(again.body['access_token']),
    factorId,
    await codeOf(secret),
  )
  expect(await doors(String(stepped.body['access_token']))).toEqual(open)
  // Its token from before the step has not risen with the session.
  expect(await doors(String(again.body['access_token']))).toMatchObject({ read: refused })
})

it('the check would accept the password alone without that check (control)', async () => {
  const broken = await startTestServer()
  try {
    const { aal1 } = await makeEnrolled(broken)
    const read = () =>
      fetch(`${broken.url}/rest/v1/user_plans?select=plan_type`, {
        headers: { apikey: broken.anonKey, authorization: `Bearer ${aal1}` },
      })
    expect((await read()).status).toBe(403)
    await broken.sql(`create or replace function auth.session_status(session uuid, account uuid, token_aal text default 'aal2')
      returns text language sql stable as $$select 'live'$$`)
    expect((await read()).status).toBe(200)
  } finally {
    await broken.close()
  }
})

it('the server asks for the remaining factor as soon as the one that a session used is removed', async () => {
  const { user, aal2, aal2Refresh, factorId, secret } = await makeEnrolled(server)
  const first = String((await signIn(server, user.email, user.password)).body['access_token'])
  const stepped = await stepUp(server, first, factorId, await codeOf(secret))
  const byFirst = String(stepped.body['access_token'])
  const second = await request(server, '/factors', { token: aal2, body: { factor_type: 'totp' } })
  const other = second.body['totp'] as { secret: string }
  const verified = await stepUp(server, aal2, String(second.body['id']), await codeOf(other.secret))
  expect(verified.status).toBe(200)
  const bySecond = String(verified.body['access_token'])

  await request(server, `/factors/${factorId}`, { method: 'DELETE', token: bySecond })
  expect((await doors(byFirst))['read']).toEqual([403, 'insufficient_aal'])
  expect((await doors(bySecond))['read']).toEqual([200, undefined])
  const { body } = await refresh(server, stepped.body['refresh_token'])
  expect(claims(String(body['access_token']))).toMatchObject({
    aal: 'aal1',
    amr: [{ method: 'password' }],
  })
  expect((await refresh(server, aal2Refresh)).status).toBe(400)
})

it('the server leaves an app its session, which rests on the consent', async () => {
  const { user, aal1 } = await makeEnrolled(server)
  const [client] = await server.sql(
    `insert into auth.oauth_clients (client_name, redirect_uris, scope)
      values ('App', '{https://app.example/back}', 'links:read') returning id`,
  )
  const { session_id: id } = claims(aal1)
  await server.sql(
    `update auth.sessions set oauth_client_id = $2, scope = 'links:read' where id = $1`,
    [id, client?.['id']],
  )
  const [standing] = await server.sql('select auth.session_status($1, $2) as standing', [
    id,
    user.id,
  ])
  expect(standing).toEqual({ standing: 'live' })
})

function claims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >
}
