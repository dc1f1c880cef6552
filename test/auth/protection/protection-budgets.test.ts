/** @module-tag extended */

import { generateKeyPairSync } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { type Database, openDatabase } from '#server/postgres/database.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countingHasher, newEmail, request, signIn } from '../requests.ts'

const signingKey = JSON.stringify(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
)
const hasher = countingHasher()
let first: TestServer
let second: TestServer
const settings = { rateLimits: true, trustedProxies: 1, signingKey }
beforeAll(async () => {
  first = await startTestServer(settings, { hasher })
  second = await startTestServer({ ...settings, databaseUrl: first.databaseUrl }, { hasher })
})
beforeEach(() => {
  hasher.verified = 0
})
afterAll(async () => {
  await second.close()
  await first.close()
})

/** Addresses that no other test has used: each has a full budget. */
let used = 0
function addresses(count: number): string[] {
  return Array.from({ length: count }, () => {
    used += 1
    return `10.1.${Math.floor(used / 250)}.${(used % 250) + 1}`
  })
}

/** Wrong passwords for one account from a fifth as many addresses, each to any of the servers. */
async function attack(email: string, servers: TestServer[], count: number): Promise<void> {
  const strangers = addresses(count / 5)
  for (let n = 0; n < count; n += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const server = servers[i % servers.length] ?? first
        return signIn(server, email, `guess ${n + i}`, strangers[(n + i) % strangers.length])
      }),
    )
  }
}

it('the server lets at most 20 of 1,000 guesses at two servers reach the hash, and the owner in with 2 tries', async () => {
  const owner = await makeUser(first)
  await attack(owner.email, [first, second], 1_000)
  expect(hasher.verified).toBeGreaterThan(0)
  expect(hasher.verified).toBeLessThanOrEqual(20)
  expect((await signIn(first, owner.email, owner.password, '192.0.2.7')).status).toBe(429)
  expect((await signIn(second, owner.email, owner.password, '192.0.2.7')).status).toBe(200)
})

it('the server remembers an attack, and the owner’s own network, across a restart', async () => {
  const owner = await makeUser(first)
  expect((await signIn(first, owner.email, owner.password, '192.0.2.8')).status).toBe(200)
  await attack(owner.email, [first], 200)
  const before = hasher.verified
  const restarted = await startTestServer(
    { ...settings, databaseUrl: first.databaseUrl },
    { hasher },
  )
  try {
    expect((await signIn(restarted, owner.email, 'a new guess', '192.0.2.9')).status).toBe(429)
    expect(hasher.verified).toBe(before)
    expect((await signIn(restarted, owner.email, owner.password, '192.0.2.8')).status).toBe(200)
  } finally {
    await restarted.close()
  }
})

it('the check would let twice as many through if each server counted alone (control)', async () => {
  const alone = (url: string): Database => {
    const whole = openDatabase(url, createLog('fatal'))
    return {
      ...whole,
      transactionAs: (caller, work) =>
        whole.transactionAs(caller, (db) =>
          work({
            query: (sql, values) =>
              sql.includes('auth.budgets')
                ? Promise.reject(new Error('broken'))
                : db.query(sql, values),
          }),
        ),
    }
  }
  const servers = await Promise.all(
    [1, 2].map(() =>
      startTestServer(
        { ...settings, databaseUrl: first.databaseUrl },
        { hasher, database: alone(first.databaseUrl) },
      ),
    ),
  )
  try {
    const owner = await makeUser(first)
    hasher.verified = 0
    await attack(owner.email, servers, 200)
    // Each of them has five free guesses: more than that says that they do not count together.
    expect(hasher.verified).toBeGreaterThanOrEqual(10)
    // And without a word from the database none is looser than it would be alone.
    expect(hasher.verified).toBeLessThanOrEqual(40)
  } finally {
    for (const server of servers) await server.close()
  }
})

it('the server counts one address at all servers together', async () => {
  const statuses = []
  for (let n = 0; n < 40; n++) {
    const server = n % 2 === 0 ? first : second
    const body = { email: newEmail(), password: 'six666' }
    statuses.push((await request(server, '/signup', { body, from: '192.0.2.10' })).status)
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(30)
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
})

it('the server gives no token twice to twenty concurrent requests', async () => {
  const policy = { name: 'test', burst: 5, windowSeconds: 3_600 }
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? first : second).context.budgets.take(policy, 'one'),
    ),
  )
  expect(answers.filter((wait) => wait === undefined)).toHaveLength(5)
  const waits = answers.filter((wait) => wait !== undefined)
  expect(Math.max(...waits)).toBeLessThanOrEqual(720)
  expect(Math.min(...waits)).toBeGreaterThan(600)
})

it('the server keeps counting on its own, as strictly, while the database does not answer', async () => {
  const policy = { name: 'held', burst: 3, windowSeconds: 3_600 }
  const take = () => first.context.budgets.take(policy, 'one')
  expect(await take()).toBeUndefined()
  const holder = new pg.Client({ connectionString: first.superuserUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('lock table auth.budgets in access exclusive mode')
    const answers = []
    for (let n = 0; n < 4; n++) answers.push((await take()) === undefined)
    expect(answers).toEqual([true, true, false, false])
  } finally {
    await holder.end()
  }
})

it('the server keeps neither the address of a person nor anything of a password', async () => {
  const owner = await makeUser(first)
  await attack(owner.email, [first], 200)
  const rows = await first.sql<{ key: string }>('select key from auth.budgets')
  expect(rows.length).toBeGreaterThan(100)
  for (const { key } of rows) expect(key).toMatch(/^[a-z -]+ [0-9a-f]{32}$/)
})
