/** @module-tag extended */

import { afterEach, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { request, signIn } from '../requests.ts'
import { codeOf, type Enrolled, makeEnrolled, stepUp, wrongCode } from './second-factor.ts'

let server: TestServer
const start = async (rateLimits: boolean) => {
  server = await startTestServer({ rateLimits, trustedProxies: 1 })
}
afterEach(() => server.close())

/** Wrong codes, each with a new challenge, until one is held back. @returns how many were compared */
async function guess(victim: Enrolled, wrong: number, from: (n: number) => string) {
  const code = await wrongCode(victim.secret)
  const held: number[] = []
  let compared = 0
  for (let n = 0; n < wrong; n++) {
    const answer = await stepUp(server, victim.aal1, victim.factorId, code, from(n))
    if (answer.body['code'] === 'mfa_verification_failed') compared++
    else held.push(answer.status)
  }
  return { compared, held: new Set(held) }
}

it('the server slows guessing: of 30 wrong codes in a minute, 10 are compared', async () => {
  await start(true)
  const victim = await makeEnrolled(server)
  expect(await guess(victim, 30, () => '192.0.2.1')).toEqual({
    compared: 10,
    held: new Set([429]),
  })
  // Not even the right one, and not as a matter of this process: the count is in the database.
  const right = await stepUp(
    server,
    victim.aal1,
    victim.factorId,
    await codeOf(victim.secret),
    '192.0.2.1',
  )
  expect([right.status, right.body['code']]).toEqual([429, 'over_request_rate_limit'])
  expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await server.sql('select sum(failures)::int as wrong from auth.challenges')).toEqual([
    { wrong: 10 },
  ])
  // Another network is not held back for that.
  const owner = await stepUp(
    server,
    victim.aal1,
    victim.factorId,
    await codeOf(victim.secret),
    '192.0.2.9',
  )
  expect(owner.status).toBe(200)
})

it('the server counts all unknown networks together, and the owner’s own network separately', async () => {
  await start(true)
  const victim = await makeEnrolled(server)
  const found = await guess(victim, 40, (n) => `192.0.2.${n + 1}`)
  expect(found).toEqual({ compared: 20, held: new Set([429]) })
  // makeEnrolled has an aal2 session at the address that is seen without a proxy.
  const { body } = await signIn(server, victim.user.email, victim.user.password)
  const home = await stepUp(
    server,
    String(body['access_token']),
    victim.factorId,
    await codeOf(victim.secret),
  )
  expect(home.status).toBe(200)
})

it('the check would compare all of them without the limits (control)', async () => {
  await start(false)
  const victim = await makeEnrolled(server)
  expect(await guess(victim, 40, () => '192.0.2.1')).toEqual({ compared: 40, held: new Set() })
})

it('the server counts concurrent requests too', async () => {
  await start(true)
  const victim = await makeEnrolled(server)
  const code = await wrongCode(victim.secret)
  const ids: unknown[] = []
  for (let n = 0; n < 5; n++) {
    const asked = await request(server, `/factors/${victim.factorId}/challenge`, {
      token: victim.aal1,
      body: {},
      from: '192.0.2.1',
    })
    ids.push(asked.body['id'])
  }
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      request(server, `/factors/${victim.factorId}/verify`, {
        token: victim.aal1,
        from: '192.0.2.1',
        body: { challenge_id: ids[n % 5], code },
      }),
    ),
  )
  expect(answers.filter(({ body }) => body['code'] === 'mfa_verification_failed')).toHaveLength(10)
})
