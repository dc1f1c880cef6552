import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { deleteOldRows } from '#test/delete-old-rows.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { request } from '../requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const count = async (table: string) =>
  Number((await server.sql(`select count(*)::int as n from auth.${table}`))[0]?.['n'])

it('the server removes expired rows, and nothing that is still valid', async () => {
  const user = await makeUser(server)
  await server.context.securityEvents.flush()
  await server.sql(`insert into auth.budgets (key, tokens, at) values
    ('account 1', 1, now() - interval '2 days'), ('account 2', 1, now()),
    ('first send 1', 0, now() - interval '6 minutes'), ('first send 2', 0, now())`)
  for (const [kind, age] of [
    ['recovery', '2 days'],
    ['magiclink', '1 minute'],
  ]) {
    await server.sql(
      `insert into auth.one_time_tokens (user_id, kind, email, secret_hash, code_hash, expires_at)
        values ($1, $2, 'a@example.com', $2, 'x', now() - $3::interval)`,
      [user.id, kind, age],
    )
    await server.sql(
      `insert into auth.flow_states (provider, redirect_to, expires_at) values ('x', 'y', now() - $1::interval)`,
      [age],
    )
    await server.sql(
      `insert into auth.factors (user_id, factor_type, created_at) values ($1, 'totp', now() - $2::interval)`,
      [user.id, age],
    )
  }
  await server.sql(
    `insert into auth.sessions (user_id, refresh_key, refreshed_at) values ($1, 'x', now() - interval '91 days')`,
    [user.id],
  )
  await server.sql(
    `insert into auth.security_events (user_id, event, at) values ($1, 'old', now() - interval '91 days')`,
    [user.id],
  )
  await server.sql(
    `with app as (
        insert into auth.oauth_clients (client_name, redirect_uris, scope) values ('App', '{https://app.example/}', 'openid') returning id)
      insert into auth.oauth_authorizations (client_id, redirect_uri, scope, code_challenge, code_challenge_method, expires_at, exchanged_at)
        select id, 'x', 'openid', 'x', 's256', now() + expires * interval '1 minute', now() + exchanged * interval '1 minute'
        from app, (values (5, null), (-5, null), (-5, -6), (-1500, -1501)) old (expires, exchanged)`,
  )
  await deleteOldRows(server.context)
  // One that waits, and one with a code that could be spent again.
  expect(await count('oauth_authorizations')).toBe(2)
  expect(await server.sql('select key from auth.budgets order by key')).toEqual([
    { key: 'account 2' },
    { key: 'first send 2' },
  ])
  for (const table of ['one_time_tokens', 'flow_states', 'factors', 'sessions', 'security_events'])
    expect([table, await count(table)]).toEqual([table, 1])
  expect((await request(server, '/user', { token: user.accessToken })).status).toBe(200)
})

it('the server does not let the auth service delete security events', async () => {
  await expect(
    server.context.database.transactionAs({ role: 'hoplet_auth' }, (db) =>
      db.query('delete from auth.security_events'),
    ),
  ).rejects.toThrow('permission denied')
})

it('the server stores events that a database outage has delayed', async () => {
  const user = await makeUser(server)
  await server.context.securityEvents.flush()
  const { database } = server.context
  const { transactionAs } = database
  const { DatabaseUnavailableError } = await import('#server/postgres/database.ts')
  database.transactionAs = () => Promise.reject(new DatabaseUnavailableError('gone'))
  const facts = { user_id: user.id, session_id: null, address: '', user_agent: null, facts: {} }
  server.context.securityEvents.add({ event: 'data exported', ...facts })
  await server.context.securityEvents.flush()
  database.transactionAs = transactionAs
  await server.context.securityEvents.flush()
  expect(
    await server.sql(
      'select event from auth.security_events where user_id = $1 order by id desc limit 1',
      [user.id],
    ),
  ).toEqual([{ event: 'data exported' }])
})

it('the server ends sessions that were idle for SESSION_IDLE_DAYS, and by default those of 90 days', async () => {
  const config = createConfig(parseVariables({ SESSION_IDLE_DAYS: '30' }))
  const strict = await startTestServer({ auth: { ...server.context.config.auth, ...config.auth } })
  for (const [one, kept] of [
    [server, 3],
    [strict, 2],
  ] as const) {
    const user = await makeUser(one)
    await one.sql(
      `insert into auth.sessions (user_id, refresh_key, refreshed_at)
        select $1, 'x', now() - d * interval '1 day' from unnest('{29,31,91}'::int[]) d`,
      [user.id],
    )
    await deleteOldRows(one.context)
    const left = await one.sql('select id from auth.sessions where user_id = $1', [user.id])
    expect(left).toHaveLength(kept)
    expect((await request(one, '/user', { token: user.accessToken })).status).toBe(200)
  }
  await strict.close()
})
