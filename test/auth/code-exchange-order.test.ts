import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { pkcePair } from './oauth/oauth-app.ts'
import { request } from './requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
it('the server waits for a password change without holding the code, so that the two do not deadlock', async () => {
  const user = await makeUser(server)
  const { verifier, challenge } = pkcePair()
  const code = randomBytes(32).toString('base64url')
  await server.sql(
    `insert into auth.flow_states (provider, redirect_to, code_challenge, code_challenge_method, auth_code_hash, user_id,
        authentication_method, returned_at, expires_at)
      values ('google', 'x', $1, 's256', encode(sha256($2::bytea), 'hex'), $3, 'oauth', now(), now() + interval '5 minutes')`,
    [challenge, Buffer.from(code), user.id],
  )
  const change = new pg.Client({ connectionString: server.superuserUrl })
  await change.connect()
  try {
    // A password change locks the account, then deletes the codes that were not exchanged.
    await change.query('begin')
    await change.query('select 1 from auth.users where id = $1 for update', [user.id])
    const exchange = request(server, '/token?grant_type=pkce', {
      body: { auth_code: code, code_verifier: verifier },
    })
    await waitForLock(change)
    await change.query('delete from auth.flow_states where user_id = $1 and exchanged_at is null', [
      user.id,
    ])
    await change.query('commit')
    const { status, body } = await exchange
    expect([status, body['code']]).toEqual([404, 'flow_state_not_found'])
  } finally {
    await change.end()
  }
})

/** Until some query of this database waits for a lock. */
async function waitForLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rowCount) return
  }
}
