import { generate } from 'otplib'
import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { refresh, request, signIn } from '../requests.ts'
import { challenge, codeOf, enroll, mailsFor, makeEnrolled, stepUp } from './second-factor.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
it('the server needs sign-in', async () => {
  const { factorId } = await makeEnrolled(server)
  for (const [method, path] of [
    ['POST', '/factors'],
    ['DELETE', `/factors/${factorId}`],
    ['POST', `/factors/${factorId}/challenge`],
    ['POST', `/factors/${factorId}/verify`],
  ] as const) {
    const answer = await request(server, path, { method, ...(method === 'POST' && { body: {} }) })
    expect([answer.status, answer.body['code']]).toEqual([401, 'no_authorization'])
  }
})

it('the server belongs to one account only', async () => {
  const [owner, other] = [await makeEnrolled(server), await makeEnrolled(server)]
  const asked = await challenge(server, owner.aal1, owner.factorId)
  const verify = { challenge_id: asked.body['id'], code: await codeOf(owner.secret) }
  for (const [method, path, body] of [
    ['DELETE', `/factors/${owner.factorId}`],
    ['POST', `/factors/${owner.factorId}/challenge`, {}],
    ['POST', `/factors/${owner.factorId}/verify`, verify],
    ['POST', '/factors/nonsense/challenge', {}],
  ] as const) {
    const answer = await request(server, path, { method, body, token: other.aal2 })
    expect([answer.status, answer.body['code']]).toEqual([404, 'mfa_factor_not_found'])
  }
  // A challenge of one's own factor is not one of another's.
  const crossed = await request(server, `/factors/${other.factorId}/verify`, {
    token: other.aal1,
    body: { challenge_id: asked.body['id'], code: await codeOf(other.secret) },
  })
  expect([crossed.status, crossed.body['code']]).toEqual([422, 'mfa_factor_not_found'])
  const own = await request(server, `/factors/${owner.factorId}/verify`, {
    token: owner.aal1,
    body: verify,
  })
  expect(own.status).toBe(200)
})

it('the server accepts a code once, however often and however concurrently it is sent', async () => {
  const { user, factorId, secret } = await makeEnrolled(server)
  const sessions = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const { body } = await signIn(server, user.email, user.password)
      const token = String(body['access_token'])
      const asked = await challenge(server, token, factorId)
      return { token, challengeId: asked.body['id'] }
    }),
  )
  const tryAll = async (code: string) => {
    const answers = await Promise.all(
      sessions.map(({ token, challengeId }) =>
        request(server, `/factors/${factorId}/verify`, {
          token,
          body: { challenge_id: challengeId, code },
        }),
      ),
    )
    return answers.filter(({ status }) => status === 200).length
  }
  const code = await codeOf(secret)
  expect(await tryAll(code)).toBe(1)
  const { body } = await signIn(server, user.email, user.password)
  const later = String(body['access_token'])
  expect((await stepUp(server, later, factorId, code)).body['code']).toBe('mfa_verification_failed')
  // The code itself is still of this minute: without the memory of the last step it would be taken again.
  await server.sql('update auth.factors set last_step = null where id = $1', [factorId])
  expect((await stepUp(server, later, factorId, code)).status).toBe(200)
})

it('the server accepts the codes one step before and after, and no further', async () => {
  const { aal1, factorId, secret } = await makeEnrolled(server)
  await server.sql('update auth.factors set last_step = null where id = $1', [factorId])
  await codeOf(secret)
  const at = (seconds: number) =>
    generate({ secret, epoch: Math.floor(Date.now() / 1000) + seconds })
  for (const seconds of [-60, 60, 300]) {
    expect((await stepUp(server, aal1, factorId, await at(seconds))).status).toBe(422)
  }
  for (const seconds of [-30, 0, 30]) {
    expect((await stepUp(server, aal1, factorId, await at(seconds))).status).toBe(200)
  }
})

it('the server raises the session to aal2 and voids earlier tokens', async () => {
  const { user, factorId, secret, aal2, aal1 } = await makeEnrolled(server)
  const [bystander, here] = [
    await signIn(server, user.email, user.password),
    await signIn(server, user.email, user.password),
  ]
  const stepped = await stepUp(
    server,
    String(here.body['access_token']),
    factorId,
    await codeOf(secret),
  )
  expect(stepped.status).toBe(200)
  for (const token of [aal1, String(bystander.body['access_token'])]) {
    expect((await request(server, '/user', { token })).body['code']).toBe('session_not_found')
  }
  expect((await request(server, '/user', { token: aal2 })).status).toBe(200)
  // The access token from before has not risen with its session: it changes nothing, and the tables refuse it.
  const before = String(here.body['access_token'])
  const change = await request(server, '/user', {
    token: before,
    method: 'PUT',
    body: { password: 'another long password' },
  })
  expect(change.body['code']).toBe('insufficient_aal')
  const tables = await fetch(`${server.url}/rest/v1/shortened_urls`, {
    headers: { Authorization: `Bearer ${before}` },
  })
  expect(tables.status).toBe(403)
  // The refresh token from before the second factor is two behind.
  expect((await refresh(server, here.body['refresh_token'])).body['code']).toBe(
    'refresh_token_already_used',
  )
})

it('the server keeps the secret encrypted, and shows it in the first answer only', async () => {
  const { user, aal2, secret, factorId } = await makeEnrolled(server)
  const stored = await server.sql('select * from auth.factors where id = $1', [factorId])
  expect(JSON.stringify(stored)).not.toContain(secret)
  const shown = await request(server, '/user', { token: aal2 })
  expect(shown.body['factors']).toEqual([
    {
      id: factorId,
      factor_type: 'totp',
      status: 'verified',
      friendly_name: '',
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
      last_challenged_at: expect.any(String) as string,
    },
  ])
  // Sealed for its own row: moved to another factor it opens nothing.
  const other = await makeEnrolled(server)
  await server.sql(
    `update auth.factors set last_step = null, secret = (select secret from auth.factors where id = $2) where id = $1`,
    [other.factorId, factorId],
  )
  expect(
    (await stepUp(server, other.aal1, other.factorId, await codeOf(secret))).body['code'],
  ).toBe('mfa_verification_failed')
  expect(user.id).not.toBe(other.user.id)
})

it('emails the person when a factor was added, and only then', async () => {
  const { user, aal1, factorId, secret } = await makeEnrolled(server)
  await stepUp(server, aal1, factorId, await codeOf(secret))
  const mails = (await mailsFor(server, user.email)).map(({ subject, text }) => ({ subject, text }))
  expect(mails).toEqual([
    {
      subject: 'A second factor was added',
      text: expect.stringContaining('an authenticator app') as string,
    },
  ])
})

it('the server names the site in the app when the client does not', async () => {
  const user = await makeUser(server)
  const { body } = await enroll(server, user.accessToken)
  const uri = new URL((body['totp'] as { uri: string }).uri)
  expect(uri.searchParams.get('issuer')).toBe(new URL(server.url).host.replace(':', ' '))
  expect(decodeURIComponent(uri.pathname)).toContain(user.email)
})
