import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { request } from './requests.ts'
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
