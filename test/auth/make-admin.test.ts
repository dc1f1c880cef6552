import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { explain, makeAdmin } from '#server/commands/make-admin.ts'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { pressLink } from './mailed/mailbox.ts'
import { request } from './requests.ts'

const log = createLog('silent')
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** The output of the command, and whether it succeeded. */
async function run(args: string[], variables: Record<string, string>): Promise<[boolean, string]> {
  const config = createConfig(parseVariables({ RATE_LIMITS: 'off', PORT: '0', ...variables }))
  return makeAdmin(args, config, log).then(
    (message) => [true, message],
    (error: unknown) => [false, explain(error)],
  )
}

it('npm run admin makes the account admin while the server runs, and the server knows at once', async () => {
  const user = await makeUser(server)
  const other = await makeUser(server)
  const roles = async () => {
    const response = await fetch(
      `${server.url}/rest/v1/user_roles?select=role&user_id=eq.${user.id}`,
      {
        headers: user.headers,
      },
    )
    return response.json()
  }
  expect(await roles()).toEqual([{ role: 'user' }])
  const there = { DATABASE_URL: server.databaseUrl }
  expect(await run([` ${user.email.toUpperCase()} `], there)).toEqual([
    true,
    expect.stringContaining('is an admin now') as string,
  ])
  expect(await roles()).toEqual([{ role: 'admin' }])
  expect(await run([user.email], there)).toEqual([true, `${user.email} is an admin already.`])
  expect(await server.sql(`select user_id from app.user_roles where role = 'admin'`)).toEqual([
    { user_id: user.id },
  ])
  expect(other.id).not.toBe(user.id)
})

it.each([
  ['no address', [], /^Usage: npm run admin -- EMAIL/],
  ['two addresses', ['a@example.com', 'b@example.com'], /^Usage:/],
  ['a flag', ['--help'], /^Usage:/],
  ['a sign-in link without an address', ['--sign-in'], /^Usage:/],
  ['a sign-in link for nobody', ['--sign-in', 'nobody@example.com'], /^No account has/],
  [
    'an address without an account',
    ['nobody@example.com'],
    /^No account has the e-mail address nobody@example.com/,
  ],
])('npm run admin refuses %s', async (_, args, message) => {
  expect(await run(args, { DATABASE_URL: server.databaseUrl })).toEqual([
    false,
    expect.stringMatching(message) as string,
  ])
})

it('make-admin names the problem of the database', async () => {
  expect(await run(['a@example.com'], { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' })).toEqual([
    false,
    expect.stringMatching(/^The database cannot be reached: .*ECONNREFUSED/) as string,
  ])
  expect(await run(['a@example.com'], { DATA_DIR: join(tmpdir(), 'hoplet-nothing-here') })).toEqual(
    [false, expect.stringMatching(/no accounts in .*hoplet-nothing-here yet/) as string],
  )
})

it('npm run admin works on the embedded database, with its server running and without', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-admin-'))
  const there = { DATA_DIR: dataDir }
  try {
    const config = createConfig(parseVariables({ PORT: '0', RATE_LIMITS: 'off', ...there }))
    const hoplet = await startHoplet(config, log)
    const { tokens } = hoplet.context
    const people = { url: hoplet.url, anonKey: tokens.anonKey, sql: async () => [] }
    const [first, second] = [await makeUser(people), await makeUser(people)]
    expect((await run([first.email], there))[1]).toContain('is an admin now')
    await hoplet.stop()
    expect((await run([first.email], there))[1]).toContain('is an admin already')
    expect((await run([second.email], there))[1]).toContain('is an admin now')
    expect((await run([second.email], there))[1]).toContain('is an admin already')
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

it('npm run admin -- --sign-in makes a link that signs in once, also without passwords', async () => {
  const user = await makeUser(server)
  await server.sql(
    `update auth.users set encrypted_password = 'kept', email_proven_at = null where id = $1`,
    [user.id],
  )
  const there = { DATABASE_URL: server.databaseUrl, PUBLIC_URL: server.url }
  const [isMade, message] = await run(['--sign-in', user.email.toUpperCase()], there)
  expect([isMade, message]).toEqual([true, expect.stringContaining('once and within 10 minutes')])
  const link = message.split('\n').at(-1) ?? ''
  const [row] = await server.sql(
    `select round(extract(epoch from expires_at - created_at) / 60)::int as minutes from auth.one_time_tokens where user_id = $1`,
    [user.id],
  )
  expect(row).toMatchObject({ minutes: 10 })

  const { auth } = server.context.config
  auth.passwords = false
  try {
    expect((await fetch(link)).status).toBe(200)
    const { location, fragment } = await pressLink(server, link)
    expect(location.pathname).toBe('/auth')
    const token = fragment.get('access_token') ?? ''
    const { body } = await request(server, '/user', { token })
    expect(body['email']).toBe(user.email)
    const events = await request(server, '/user/events', { token })
    expect(JSON.stringify(events.body)).toContain('"sign-in link made on the machine"')
    // It is used up, and has changed nothing about the account.
    expect((await fetch(link)).status).toBe(403)
    expect(
      await server.sql('select encrypted_password, email_proven_at from auth.users where id = $1', [
        user.id,
      ]),
    ).toEqual([{ encrypted_password: 'kept', email_proven_at: null }])
  } finally {
    auth.passwords = true
  }
})

it('npm run admin -- --sign-in refuses a blocked account, and its second factor is asked for', async () => {
  const user = await makeUser(server)
  const there = { DATABASE_URL: server.databaseUrl, PUBLIC_URL: server.url }
  await server.sql(
    `insert into auth.factors (user_id, factor_type, status) values ($1, 'totp', 'verified')`,
    [user.id],
  )
  const [, message] = await run(['--sign-in', user.email], there)
  const { fragment } = await pressLink(server, message.split('\n').at(-1) ?? '')
  const token = fragment.get('access_token') ?? ''
  expect((await request(server, '/user/sessions', { token })).body['code']).toBe('insufficient_aal')
  await server.sql(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [
    user.id,
  ])
  expect(await run(['--sign-in', user.email], there)).toEqual([
    false,
    expect.stringContaining('is blocked'),
  ])
})

it('npm run admin makes an admin by a claim one by hand', async () => {
  const { id, email } = await makeUser(server)
  await server.sql(
    `update app.user_roles set role = 'admin', claim_provider = 'acme' where user_id = $1`,
    [id],
  )
  const [, said] = await run([email], { DATABASE_URL: server.databaseUrl })
  expect(said).toContain('is an admin now')
  expect(
    await server.sql('select role, claim_provider from app.user_roles where user_id = $1', [id]),
  ).toEqual([{ role: 'admin', claim_provider: null }])
})
