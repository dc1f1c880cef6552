import { randomBytes, randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policies } from '#server/auth/limits.ts'
import { decodeRefreshToken, encodeRefreshToken } from '#server/auth/refresh-token.ts'
import type { Database } from '#server/postgres/database.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { officialClient, refresh, request, signIn } from './requests.ts'

let server: TestServer
/** A second server on the same database, with the default limits. */
let limited: TestServer
beforeAll(async () => {
  server = await startTestServer()
  const { databaseUrl, sql } = server
  limited = {
    ...(await startTestServer({ rateLimits: true, trustedProxies: 1, databaseUrl })),
    sql,
  }
})
afterAll(async () => {
  await limited.close()
  await server.close()
})

async function rotated(user: TestUser, times: number): Promise<string[]> {
  const tokens = [user.refreshToken]
  for (let i = 0; i < times; i++) {
    const { status, body } = await refresh(server, tokens.at(-1))
    expect(status).toBe(200)
    tokens.push(String(body['refresh_token']))
  }
  return tokens
}

it('refresh ends the whole session when an old token is replayed', async () => {
  const user = await makeUser(server)
  const [first, , , current] = await rotated(user, 3)
  const replay = await refresh(server, first)
  expect(replay.status).toBe(400)
  expect(replay.body['code']).toBe('refresh_token_already_used')
  expect((await refresh(server, current)).body['code']).toBe('refresh_token_not_found')
  const bearer = await request(server, '/user', { token: user.accessToken })
  expect([bearer.status, bearer.body['code']]).toEqual([403, 'session_not_found'])
})

it('refresh hands a client that lost the answer the current token again', async () => {
  const user = await makeUser(server)
  const [first, second] = await rotated(user, 1)
  const again = await refresh(server, first)
  expect([again.status, again.body['refresh_token']]).toEqual([200, second])
  expect((await refresh(server, second)).status).toBe(200)
})

it('refresh leaves the other sessions of a person alone when one is replayed', async () => {
  const user = await makeUser(server)
  const client = officialClient(server)
  await client.signInWithPassword({ email: user.email, password: user.password })
  const [first] = await rotated(user, 2)
  expect((await refresh(server, first)).status).toBe(400)
  expect((await client.refreshSession()).error).toBeNull()
})

it('refresh refuses texts that were never refresh tokens of this server', async () => {
  const user = await makeUser(server)
  const bytes = Buffer.from(user.refreshToken, 'base64url')
  const altered = [...bytes.keys()].map((index) => {
    const copy = Buffer.from(bytes)
    copy[index] = (copy[index] ?? 0) ^ 1
    return copy.toString('base64url')
  })
  const others = [
    'x',
    'null',
    '%00',
    'A'.repeat(127),
    'A'.repeat(60_000),
    `${user.refreshToken}A`,
    '../etc',
    ' ',
  ]
  for (const token of [...altered, ...others]) {
    const { status, body } = await refresh(server, token)
    expect([status, body['code']]).toEqual([400, 'refresh_token_not_found'])
  }
  for (const token of ['', null, undefined, 7, ['x'], { a: 1 }]) {
    const { status, body } = await refresh(server, token)
    expect([status, body['code']]).toEqual([400, 'validation_failed'])
  }
  expect((await refresh(server, user.refreshToken)).status).toBe(200)
})

it('refresh refuses a banned or deleted person', async () => {
  const user = await makeUser(server)
  await server.sql(`update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [
    user.id,
  ])
  // A ban ends every session.
  expect((await refresh(server, user.refreshToken)).body['code']).toBe('refresh_token_not_found')
  await server.sql('delete from auth.users where id = $1', [user.id])
  expect((await refresh(server, user.refreshToken)).body['code']).toBe('refresh_token_not_found')
})

it(
  'refresh waits for a session that another transaction holds, and answers 409 when that takes too long',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    const holder = new pg.Client({ connectionString: server.superuserUrl })
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query('select 1 from auth.sessions where user_id = $1 for update', [user.id])
      const { status, body } = await refresh(server, user.refreshToken)
      expect([status, body['code']]).toEqual([409, 'conflict'])
      const waiting = refresh(server, user.refreshToken)
      await holder.query('select pg_sleep(0.3)')
      await holder.query('commit')
      expect((await waiting).status).toBe(200)
    } finally {
      await holder.end()
    }
  },
)

/** 20 tabs refresh one token at once, `rounds` times. @returns how many answers did not keep their tab signed in with the one current token */
async function tabs(on: TestServer, rounds: number): Promise<number> {
  const user = await makeUser(on)
  let token = user.refreshToken
  let bad = 0
  for (let round = 1; round <= rounds; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(on, token)))
    const given = answers.map(({ status, body }) =>
      status === 200 ? String(body['refresh_token']) : '',
    )
    token = given[0] ?? ''
    bad += given.filter((one) => one === '' || one !== token).length
  }
  const [current] = await on.sql<{ counter: number }>(
    'select refresh_counter::int as counter from auth.sessions where user_id = $1',
    [user.id],
  )
  return current?.counter === rounds ? bad : bad + 20
}

/** The same server over a database layer that alters its statements. */
async function brokenServer(alter: (sql: string) => string): Promise<TestServer> {
  const broken = await startTestServer()
  const whole = broken.context.database
  const database: Database = {
    ...whole,
    transactionAs: (caller, work) =>
      whole.transactionAs(caller, (db) =>
        work({ query: (text, values) => db.query(alter(text), values) }),
      ),
  }
  broken.context.database = database
  return broken
}

describe('20 tabs at once', () => {
  it(
    'rotate once, all get the same token, and none of 2,000 is signed out, in a hundred rounds',
    { tags: ['extended'] },
    async () => {
      expect(await tabs(limited, 100)).toBe(0)
    },
  )

  it('lose sessions without the row lock (control)', async () => {
    const broken = await brokenServer((sql) => sql.replace('for update', ''))
    try {
      expect(await tabs(broken, 3)).toBeGreaterThan(0)
    } finally {
      await broken.close()
    }
  })
})

describe('the limits of one address', () => {
  const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status)
  const forged = () => encodeRefreshToken(randomUUID(), 0n, randomBytes(32))

  it('do not count genuine refreshes: forty people behind it stay signed in', async () => {
    const people = await Promise.all(Array.from({ length: 40 }, () => makeUser(server)))
    const from = '192.0.2.40'
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(
        people.map(({ refreshToken }) => refresh(limited, refreshToken, from)),
      )
      expect(statusesOf(answers)).toEqual(people.map(() => 200))
    }
  })

  it('count forged, unknown and malformed ones, beside which genuine ones go on', async () => {
    const user = await makeUser(server)
    for (const [from, token] of [
      ['192.0.2.41', forged],
      ['192.0.2.42', () => 'x'],
      ['192.0.2.43', () => undefined],
      ['192.0.2.44', () => altered(user.refreshToken)],
    ] as const) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => refresh(limited, token(), from)),
      )
      const statuses = statusesOf(answers)
      expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(31)
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(9)
      expect((await refresh(limited, user.refreshToken, from)).status).toBe(200)
      expect((await signIn(limited, user.email, 'guess', from)).status).toBe(429)
    }
  })

  it('end where one session refreshes faster than any person’s tabs', async () => {
    const user = await makeUser(server)
    const id = String(decodeJwt(user.accessToken)['session_id'])
    // All tokens, and those that come back meanwhile, one in 20 ms.
    const drain = () => {
      while (limited.context.rateLimits.take(policies.refresh, id) === undefined);
    }
    const timer = setInterval(drain, 1)
    try {
      await expect
        .poll(async () => {
          drain()
          const { status, headers } = await refresh(limited, user.refreshToken)
          return [status, Number(headers.get('retry-after'))]
        })
        .toEqual([429, 1])
    } finally {
      clearInterval(timer)
    }
    expect((await refresh(limited, (await makeUser(server)).refreshToken)).status).toBe(200)
  })

  /** A token of the right form with another MAC. */
  function altered(token: string): string {
    const decoded = decodeRefreshToken(token)
    return encodeRefreshToken(decoded?.sessionId ?? '', decoded?.counter ?? 0n, randomBytes(32))
  }
})

it('the check would let a replayed session live on if the session were not deleted (control)', async () => {
  const broken = await brokenServer((sql) =>
    sql.startsWith('delete from auth.sessions') ? `${sql} and false` : sql,
  )
  try {
    const user = await makeUser(broken)
    let token: unknown = user.refreshToken
    for (let i = 0; i < 3; i++) token = (await refresh(broken, token)).body['refresh_token']
    expect((await refresh(broken, user.refreshToken)).status).toBe(400)
    expect((await refresh(broken, token)).status).toBe(200)
  } finally {
    await broken.close()
  }
})

it('refresh does not bring back a session that was not refreshed for 90 days', async () => {
  const age = (user: TestUser, days: number) =>
    server.sql(
      "update auth.sessions set refreshed_at = now() - $2 * interval '1 day' where user_id = $1",
      [user.id, days],
    )
  const [fresh, stale] = [await makeUser(server), await makeUser(server)]
  await age(fresh, 89)
  await age(stale, 91)
  expect((await refresh(server, fresh.refreshToken)).status).toBe(200)
  const answer = await refresh(server, stale.refreshToken)
  expect([answer.status, answer.body['code']]).toEqual([400, 'refresh_token_not_found'])
})
