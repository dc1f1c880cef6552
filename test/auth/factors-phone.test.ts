import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { officialClient, request } from './requests.ts'
import { challenge, enroll } from './second-factor.ts'
import { newPhone, type SmsGateway, startSmsGateway } from './stand-ins/sms.ts'

let server: TestServer
let gateway: SmsGateway
beforeAll(async () => {
  gateway = await startSmsGateway()
  server = await startWithPhones(false)
})
afterAll(async () => {
  await server.close()
  await gateway.close()
})
beforeEach(() => {
  Object.assign(gateway, { sent: [], status: 200 })
})

const startWithPhones = (rateLimits: boolean) => {
  const { auth } = createConfig(parseVariables({ SMS_WEBHOOK_URL: gateway.url }))
  return startTestServer({ auth, rateLimits })
}

it('drives a phone with the official client from first to last', async () => {
  const { email, password } = await makeUser(server)
  const client = officialClient(server)
  await client.signInWithPassword({ email, password })
  const number = newPhone()
  const { data: factor } = await client.mfa.enroll({
    factorType: 'phone',
    friendlyName: 'Mobile',
    phone: `${number.slice(0, 3)} (${number.slice(3, 6)}) ${number.slice(6)}`,
  })
  expect(factor).toMatchObject({ type: 'phone', friendly_name: 'Mobile', phone: number.slice(1) })
  expect(gateway.sent).toEqual([])
  const factorId = factor?.id ?? ''
  const asked = await client.mfa.challenge({ factorId, channel: 'sms' })
  expect(asked.data).toMatchObject({ type: 'phone', expires_at: expect.any(Number) as number })
  expect(gateway.sent).toEqual([
    { phone: number, code: expect.stringMatching(/^\d{6}$/) as string },
  ])
  const code = gateway.sent[0]?.code ?? ''
  const verify = (given: string) =>
    client.mfa.verify({ factorId, challengeId: asked.data?.id ?? '', code: given })
  expect((await verify(code === '123456' ? '654321' : '123456')).error?.code).toBe(
    'mfa_verification_failed',
  )
  expect((await verify(code)).error).toBeNull()
  expect((await verify(code)).error?.code).toBe('mfa_challenge_expired')
  const { data } = await client.mfa.getAuthenticatorAssuranceLevel()
  expect(data).toMatchObject({
    currentLevel: 'aal2',
    currentAuthenticationMethods: [{ method: 'mfa/phone' }, { method: 'password' }],
  })
  expect((await client.mfa.listFactors()).data?.phone).toMatchObject([
    { id: factorId, phone: number.slice(1), status: 'verified' },
  ])
  const stored = await server.sql('select * from auth.challenges where factor_id = $1', [factorId])
  expect(JSON.stringify(stored)).not.toContain(code)
  expect((await client.mfa.unenroll({ factorId })).error).toBeNull()
})

it('sends one message a minute', async () => {
  const { accessToken } = await makeUser(server)
  const { body } = await enroll(server, accessToken, { factor_type: 'phone', phone: newPhone() })
  const answers = []
  for (let n = 0; n < 3; n++) {
    answers.push(await challenge(server, accessToken, String(body['id'])))
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 429, 429])
  expect(answers[1]?.body['code']).toBe('over_sms_send_rate_limit')
  expect(answers[1]?.body['message']).toMatch(
    /^For security purposes, you can only request this after \d+ seconds?\.$/,
  )
  expect(gateway.sent).toHaveLength(1)
})

it('sends five messages an hour to one number, whoever asks', async () => {
  const limited = await startWithPhones(true)
  const number = newPhone()
  const statuses = []
  for (let n = 0; n < 7; n++) {
    const { accessToken } = await makeUser(limited)
    const { body } = await enroll(limited, accessToken, { factor_type: 'phone', phone: number })
    statuses.push((await challenge(limited, accessToken, String(body['id']))).status)
  }
  await limited.close()
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
  expect(gateway.sent).toHaveLength(5)
})

it('says that a message could not be sent, and leaves no challenge behind', async () => {
  gateway.status = 500
  const { accessToken } = await makeUser(server)
  const { body } = await enroll(server, accessToken, { factor_type: 'phone', phone: newPhone() })
  const answer = await challenge(server, accessToken, String(body['id']))
  expect([answer.status, answer.body['code']]).toEqual([422, 'sms_send_failed'])
  expect(
    await server.sql('select 1 from auth.challenges where factor_id = $1', [body['id']]),
  ).toEqual([])
})

it('has a number once, and a begun one can be begun again', async () => {
  const { accessToken } = await makeUser(server)
  const number = newPhone()
  const begin = (token: string) => enroll(server, token, { factor_type: 'phone', phone: number })
  expect((await begin(accessToken)).status).toBe(200)
  const { body } = await begin(accessToken)
  const asked = await challenge(server, accessToken, String(body['id']))
  const verified = await request(server, `/factors/${String(body['id'])}/verify`, {
    token: accessToken,
    body: { challenge_id: asked.body['id'], code: gateway.sent[0]?.code },
  })
  const again = await begin(String(verified.body['access_token']))
  expect([again.status, again.body['code']]).toEqual([422, 'mfa_verified_factor_exists'])
})

it.each(['', '12', '+0123456789', 'abcdefghij', '+491511234567890123'])(
  'refuses the number “%s”',
  async (number) => {
    const { accessToken } = await makeUser(server)
    const answer = await enroll(server, accessToken, { factor_type: 'phone', phone: number })
    expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed'])
  },
)
