import { beforeAll, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { request, signIn } from '../requests.ts'
import { codeOf, type Enrolled, mailsFor, makeEnrolled, stepUp } from './second-factor.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
/** Forgets the password and follows the mail. @returns the session's access token */
async function recover({ user }: Enrolled): Promise<string> {
  expect((await request(server, '/recover', { body: { email: user.email } })).status).toBe(200)
  const text = (await mailsFor(server, user.email)).at(-1)?.text ?? ''
  const code = /\b\d{6}\b/.exec(text.replaceAll(/^https?:\S+$/gm, ''))?.[0]
  const { status, body } = await request(server, '/verify', {
    body: { type: 'recovery', email: user.email, token: code },
  })
  expect(status).toBe(200)
  return String(body['access_token'])
}

it('the server does not let a recovery email replace the second factor', async () => {
  const person = await makeEnrolled(server)
  // Otherwise this email would be the first proof of the address, and proving it clears the account.
  await server.sql('update auth.users set email_proven_at = now() where id = $1', [person.user.id])
  const token = await recover(person)
  const change = (bearer: string) =>
    request(server, '/user', { method: 'PUT', token: bearer, body: { password: 'a new one 42' } })
  const read = async (bearer: string) =>
    (
      await fetch(`${server.url}/rest/v1/user_plans?select=plan_type`, {
        headers: { apikey: server.anonKey, authorization: `Bearer ${bearer}` },
      })
    ).status
  const refused = await change(token)
  expect([refused.status, refused.body['code']]).toEqual([401, 'insufficient_aal'])
  expect(await read(token)).toBe(403)
  const gone = await request(server, `/factors/${person.factorId}`, { method: 'DELETE', token })
  expect([gone.status, gone.body['code']]).toEqual([422, 'insufficient_aal'])
  // The session that had shown the factor before has it still.
  expect(await read(person.aal2)).toBe(200)

  const stepped = await stepUp(server, token, person.factorId, await codeOf(person.secret))
  expect(stepped.status).toBe(200)
  expect((await change(String(stepped.body['access_token']))).status).toBe(200)
  expect((await signIn(server, person.user.email, 'a new one 42')).status).toBe(200)
})
