import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import type { BucketPolicy } from '#server/primitives/token-bucket.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { request } from '../requests.ts'
import { challenge, enroll } from './second-factor.ts'
import { newPhone, type SmsGateway, startSmsGateway } from '../stand-ins/sms.ts'

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
  return startTestServer({ auth, rateLimits, trustedProxies: 1 })
}

let pumped = 0
/** Begins a phone as a second factor, asks for its code and, as a thief of messages does, takes it away again. */
async function pump(at: TestServer, token: string, from: string, phone = newPhone()) {
  // The other requests come from elsewhere, to stay below their own bound.
  const elsewhere = `10.0.${Math.floor(++pumped / 250)}.${(pumped % 250) + 1}`
  const wanted = { factor_type: 'phone', phone }
  const { body } = await request(at, '/factors', { token, body: wanted, from: elsewhere })
  const path = `/factors/${String(body['id'])}`
  const answer = await request(at, `${path}/challenge`, { token, body: {}, from })
  await request(at, path, { method: 'DELETE', token, from: elsewhere })
  return answer
}

it('the server sends one message a minute', async () => {
  const { accessToken } = await makeUser(server)
  const { body } = await enroll(server, accessToken, { factor_type: 'phone', phone: newPhone() })
  const answers = []
  for (let n = 0; n < 3; n++) {
    answers.push(await challenge(server, accessToken, String(body['id'])))
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 429, 429])
  expect(answers[1]?.body['code']).toBe('over_sms_send_rate_limit')
  expect(answers[1]?.body['message']).toMatch(
    /^For security purposes, you can only request another code by text message after \d+ seconds?\.$/,
  )
  expect(gateway.sent).toHaveLength(1)
})

it('the server sends at most five messages an hour to one number, for all accounts together', async () => {
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

it('the server sends ten messages an hour for one account, however many factors come and go', async () => {
  const limited = await startWithPhones(true)
  const { accessToken } = await makeUser(limited)
  const statuses = []
  for (let n = 0; n < 14; n++) {
    const answer = await pump(limited, accessToken, `192.0.2.${n}`)
    statuses.push(answer.status)
    if (answer.status === 429) expect(answer.body['code']).toBe('over_sms_send_rate_limit')
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  expect(gateway.sent).toHaveLength(10)
  const other = await makeUser(limited)
  expect((await pump(limited, other.accessToken, '192.0.2.50')).status).toBe(200)
  await limited.close()
})

it('the server sends twenty messages an hour for one address, and refusals count for no number', async () => {
  const limited = await startWithPhones(true)
  const number = newPhone()
  const people = await Promise.all(Array.from({ length: 5 }, () => makeUser(limited)))
  const from = '192.0.2.60'
  const statuses = []
  for (let n = 0; n < 22; n++) {
    const { accessToken = '' } = people[n % people.length] ?? {}
    statuses.push((await pump(limited, accessToken, from, n < 20 ? newPhone() : number)).status)
  }
  expect(statuses).toEqual([...Array<number>(20).fill(200), 429, 429])
  const stranger = await makeUser(limited)
  for (let n = 0; n < 5; n++)
    expect((await pump(limited, stranger.accessToken, '192.0.2.61', number)).status).toBe(200)
  expect((await pump(limited, stranger.accessToken, '192.0.2.61', number)).status).toBe(429)
  await limited.close()
})

it('the server sends 500 messages an hour in all', async () => {
  const limited = await startWithPhones(true)
  const all: BucketPolicy = { name: 'sms server', burst: 500, windowSeconds: 3_600 }
  const { accessToken } = await makeUser(limited)
  expect((await pump(limited, accessToken, '192.0.2.70')).status).toBe(200)
  await Promise.all(Array.from({ length: 499 }, () => limited.context.budgets.take(all, 'all')))
  const { status, body } = await pump(limited, accessToken, '192.0.2.70')
  expect([status, body['code']]).toEqual([429, 'over_sms_send_rate_limit'])
  expect(gateway.sent).toHaveLength(1)
  await limited.close()
})

it('the server says that a message could not be sent, and leaves no challenge behind', async () => {
  gateway.status = 500
  const { accessToken } = await makeUser(server)
  const { body } = await enroll(server, accessToken, { factor_type: 'phone', phone: newPhone() })
  const answer = await challenge(server, accessToken, String(body['id']))
  expect([answer.status, answer.body['code']]).toEqual([422, 'sms_send_failed'])
  expect(
    await server.sql('select 1 from auth.challenges where factor_id = $1', [body['id']]),
  ).toEqual([])
  // The next try need not wait for a message that never came; the one after that does.
  gateway.status = 200
  const again = async () => (await challenge(server, accessToken, String(body['id']))).status
  expect([await again(), await again()]).toEqual([200, 429])
})

it('the server has a number once, and an unfinished enrollment can start again', async () => {
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
  'the server refuses the number “%s”',
  async (number) => {
    const { accessToken } = await makeUser(server)
    const answer = await enroll(server, accessToken, { factor_type: 'phone', phone: number })
    expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed'])
  },
)
