import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { type MailingServer, startMailingServer } from '../mailed/mailbox.ts'
import { request } from '../requests.ts'
import { codeOf, enroll, stepUp, wrongCode } from './second-factor.ts'
import { authSettings } from '../stand-ins/settings.ts'
import { newPhone, type SmsGateway, startSmsGateway } from '../stand-ins/sms.ts'

let server: MailingServer
let gateway: SmsGateway
beforeAll(async () => {
  gateway = await startSmsGateway()
  server = await startMailingServer({ auth: authSettings({ SMS_WEBHOOK_URL: gateway.url }) })
})
afterAll(async () => {
  await server.close()
  await gateway.close()
})

/** The email: its subject, and the sentence that names the factor. */
const news = async (email: string) => {
  const mails = await server.mailsFor(email)
  return mails.map(({ parsed: { subject, text = '' } }) => [
    subject,
    /an authenticator app|a security key|a phone number/.exec(text)?.[0],
  ])
}
const remove = (token: string, id: unknown) =>
  request(server, `/factors/${String(id)}`, { method: 'DELETE', token })

it('the server tells the owner by mail of each factor that is added and removed', async () => {
  const { email, accessToken } = await makeUser(server)
  const begun = await enroll(server, accessToken)
  const { secret } = begun.body['totp'] as { secret: string }
  const id = String(begun.body['id'])
  await stepUp(server, accessToken, id, await wrongCode(secret))
  // Begun, and wrongly answered: nothing has changed yet.
  expect(await news(email)).toEqual([])
  const raised = await stepUp(server, accessToken, id, await codeOf(secret))
  const token = String(raised.body['access_token'])
  const app = ['A second factor was added', 'an authenticator app']
  expect(await news(email)).toEqual([app])

  const number = newPhone()
  const phone = await enroll(server, token, { factor_type: 'phone', phone: number })
  const path = `/factors/${String(phone.body['id'])}`
  const asked = await request(server, `${path}/challenge`, { token, body: {} })
  const body = { challenge_id: asked.body['id'], code: await gateway.codeFor(number) }
  expect((await request(server, `${path}/verify`, { token, body })).status).toBe(200)
  expect(await news(email)).toEqual([app, ['A second factor was added', 'a phone number']])

  const unused = await enroll(server, token, { factor_type: 'totp', friendly_name: 'never used' })
  expect((await remove(token, unused.body['id'])).status).toBe(200)
  expect(await news(email)).toHaveLength(2)
  expect((await remove(token, id)).status).toBe(200)
  expect((await news(email)).slice(2)).toEqual([
    ['A second factor was removed', 'an authenticator app'],
  ])
  // The link leads to the settings, and nothing in the email signs a reader in.
  expect((await server.mailFor(email)).link).toBe(`${server.url}/settings`)
})

it('the server tells the owner too when the operator takes a factor away', async () => {
  const { id, email, accessToken } = await makeUser(server)
  const { body } = await enroll(server, accessToken)
  const { secret } = body['totp'] as { secret: string }
  await stepUp(server, accessToken, String(body['id']), await codeOf(secret))
  const path = `/admin/users/${id}/factors/${String(body['id'])}`
  const send = (method: string) => request(server, path, { method, token: server.serviceRoleKey })
  expect([(await send('DELETE')).status, (await send('DELETE')).status]).toEqual([200, 404])
  expect((await news(email)).map(([subject]) => subject)).toEqual([
    'A second factor was added',
    'A second factor was removed',
  ])
})
