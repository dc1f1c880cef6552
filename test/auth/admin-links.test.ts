import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import {
  newEmail,
  officialAdmin,
  officialClient,
  type OfficialClient,
  request,
  signIn,
} from './requests.ts'

let server: TestServer
let admin: OfficialClient['admin']
beforeAll(async () => {
  server = await sharedServer()
  admin = officialAdmin(server)
})
const mailsTo = (email: string) =>
  server.sql<{ template: string }>('select template from app.mail_outbox where recipient = $1', [
    email,
  ])
/** Proves an address as a mailed link does. */
const prove = (id: string) =>
  server.sql('update auth.users set email_proven_at = now() where id = $1', [id])

it.each(['signup', 'invite', 'magiclink'] as const)(
  'the server makes a %s link for a new person, which signs them in once',
  async (type) => {
    const email = newEmail()
    const { data, error } = await admin.generateLink({
      type,
      email,
      ...(type === 'signup' && { password: 'correct horse 42' }),
    } as Parameters<typeof admin.generateLink>[0])
    expect(error).toBeNull()
    expect(await mailsTo(email)).toEqual([])
    const { properties, user } = data
    expect(user?.email).toBe(email)
    expect(properties?.action_link).toMatch(`${server.url}/auth/v1/verify?token=`)
    expect(properties?.email_otp).toMatch(/^\d{6}$/)
    const client = officialClient(server)
    const token_hash = properties?.hashed_token ?? ''
    const verified = await client.verifyOtp({
      token_hash,
      type: type === 'magiclink' ? 'email' : type,
    })
    expect(verified.error).toBeNull()
    expect((await client.getUser()).data.user?.email).toBe(email)
    expect((await client.verifyOtp({ token_hash, type })).error?.code).toBe('otp_expired')
    if (type === 'signup')
      expect((await signIn(server, email, 'correct horse 42')).status).toBe(200)
  },
)

it('the server changes an address by one link to each', async () => {
  const user = await makeUser(server)
  await prove(user.id)
  const next = newEmail()
  const link = async (type: 'email_change_current' | 'email_change_new') => {
    const { data, error } = await admin.generateLink({ type, email: user.email, newEmail: next })
    expect(error).toBeNull()
    return data.properties?.hashed_token ?? ''
  }
  const [current, fresh] = [await link('email_change_current'), await link('email_change_new')]
  const client = officialClient(server)
  await client.verifyOtp({ token_hash: current, type: 'email_change' })
  expect((await admin.getUserById(user.id)).data.user?.email).toBe(user.email)
  await client.verifyOtp({ token_hash: fresh, type: 'email_change' })
  expect((await admin.getUserById(user.id)).data.user?.email).toBe(next)
})

it('the server keeps nothing of a stranger who signed up with the address before', async () => {
  const email = newEmail()
  const stranger = 'the password of a stranger'
  await admin.createUser({ email, password: stranger, user_metadata: { display_name: 'Mallory' } })
  const { data } = await admin.generateLink({ type: 'invite', email })
  expect(data.user?.user_metadata).toEqual({})
  const { error } = await officialClient(server).verifyOtp({
    token_hash: data.properties?.hashed_token ?? '',
    type: 'invite',
  })
  expect(error).toBeNull()
  expect((await signIn(server, email, stranger)).body['code']).toBe('invalid_credentials')
})

it.each([
  ['no type', { email: 'a@example.com' }, 'validation_failed'],
  ['an unknown type', { type: 'phone_change', email: 'a@example.com' }, 'validation_failed'],
  ['no address', { type: 'magiclink' }, 'validation_failed'],
  ['no new address', { type: 'email_change_new', email: 'known@example.com' }, 'validation_failed'],
  ['a weak password', { type: 'signup', email: 'a@example.com', password: 'x' }, 'weak_password'],
])('the server makes no link with %s', async (_, body, code) => {
  await admin.createUser({ email: 'known@example.com', email_confirm: true })
  const answer = await request(server, '/admin/generate_link', {
    token: server.serviceRoleKey,
    body,
  })
  expect(answer.status).toBeLessThan(500)
  expect(answer.body['code']).toBe(code)
})

it('the server sends the browser to the site itself when an address is not allowed', async () => {
  const email = newEmail()
  const { data } = await admin.generateLink({
    type: 'magiclink',
    email,
    options: { redirectTo: 'https://evil.example/' },
  })
  expect(data.properties?.redirect_to).toBe(server.url)
})
