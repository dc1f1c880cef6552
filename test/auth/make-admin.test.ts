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
