import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { request } from '../requests.ts'
import { type Enrolled, makeEnrolled } from './second-factor.ts'

// What a thief with the password, but without the second factor, cannot do with a session at aal1.

let server: TestServer
let person: Enrolled
beforeAll(async () => {
  server = await sharedServer()
  person = await makeEnrolled(server)
})
const sessionOf = (token: string) =>
  String(
    (
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
        session_id: string
      }
    ).session_id,
  )

it.each([
  ['GET', '/user/sessions', undefined],
  ['GET', '/user/events', undefined],
  ['GET', '/user/export', undefined],
  ['GET', '/user/oauth/grants', undefined],
  ['PUT', '/user', { data: { display_name: 'Mallory' } }],
  ['POST', '/logout?scope=others', undefined],
])(
  'the server refuses %s %s without the second factor, and allows it with it',
  async (method, path, body) => {
    const refused = await request(server, path, { method, body, token: person.aal1 })
    expect([refused.status, refused.body['code']]).toEqual([403, 'insufficient_aal'])
    // Ending the other sessions comes last: the session without the factor is one of them.
    if (path.startsWith('/logout')) return
    const allowed = await request(server, path, { method, body, token: person.aal2 })
    expect(allowed.status).toBe(200)
  },
)

it('the server cannot end the session of the owner, by its id or everywhere, but can end itself', async () => {
  const mine = await makeEnrolled(server)
  const path = `/user/sessions/${sessionOf(mine.aal2)}`
  expect((await request(server, path, { method: 'DELETE', token: mine.aal1 })).status).toBe(403)
  const everywhere = await request(server, '/logout', { method: 'POST', token: mine.aal1 })
  expect([everywhere.status, everywhere.body['code']]).toEqual([403, 'insufficient_aal'])
  expect((await request(server, '/user', { token: mine.aal2 })).status).toBe(200)
  expect((await request(server, '/user', { token: mine.aal1 })).status).toBe(403)
})

it('the server cannot take the access of an app back', async () => {
  const path = `/user/oauth/grants?client_id=${randomUUID()}`
  const refused = await request(server, path, { method: 'DELETE', token: person.aal1 })
  expect([refused.status, refused.body['code']]).toEqual([403, 'insufficient_aal'])
  const heard = await request(server, path, { method: 'DELETE', token: person.aal2 })
  expect([heard.status, heard.body['code']]).toEqual([404, 'oauth_consent_not_found'])
})

it('the server can sign itself out', async () => {
  const mine = await makeEnrolled(server)
  const { status } = await request(server, '/logout?scope=local', {
    method: 'POST',
    token: mine.aal1,
  })
  expect(status).toBe(204)
  expect((await request(server, '/user', { token: mine.aal2 })).status).toBe(200)
})
