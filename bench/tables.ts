import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import pg from 'pg'
import { createLog } from '#server/log.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { type ApiFunction, readCatalog } from '#server/tables/catalog.ts'
import { compileCall, compileInsert, compileRead, type Statement } from '#server/tables/compile.ts'
import { parseAccept, parsePreferences } from '#server/tables/parse-headers.ts'
import { parseQuery } from '#server/tables/parse-query.ts'
import { planRead } from '#server/tables/read-plan.ts'
import { apiRules } from '#server/tables/rules.ts'
import { openScope } from '#server/tables/scope.ts'
import type { Identity } from '#server/tokens/tokens.ts'
import { startBenchServer } from './shared/built-server.ts'
import { addLinks, type BenchUser, codeOf, signUp } from './shared/people.ts'

// The table door against the same statements by `pg` alone, in the same transactions and by as many clients, in turns: how many of its
// requests a second are left (aim: half). Then calls that name their row, with 1,000 and with more rows of one owner (aim: within 20 %).

const clients = 8
const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const large = Number(process.env.BENCH_ROWS ?? 1_000_000)

interface Task {
  name: string
  method: 'GET' | 'POST'
  path: (n: number) => string
  body?: (n: number) => object
  statement: (n: number) => Statement
}

const { url, databaseUrl, database, close } = await startBenchServer({
  env: { RATE_LIMITS: 'off' },
})
const agent = new Agent({ keepAlive: true, maxSockets: clients })
const pool = new pg.Pool({ connectionString: databaseUrl, max: clients })
try {
  const person = await signUp(url)
  await database.query(`update app.user_plans set plan_type = 'business' where user_id = $1`, [
    person.id,
  ])
  // No plan allows as many links as are made here.
  await database.query(
    `create or replace function app.charge(account uuid, link boolean, custom boolean) returns void language sql as ''`,
  )
  await addLinks(database, person.id, 0, 1_000)
  const tasks = await tasksOf(person)
  console.log('requests a second     door      pg   share')
  for (const task of tasks) {
    const shares: { door: number; alone: number }[] = []
    for (let round = 0; round < rounds; round++) {
      shares.push({
        door: await perSecond((n) => throughDoor(person, task, n)),
        alone: await perSecond((n) => byPgAlone(person, task.statement(n))),
      })
    }
    const middle = shares.toSorted((a, b) => a.door / a.alone - b.door / b.alone)[rounds >> 1]
    if (middle) print(task.name, middle.door, middle.alone, middle.door / middle.alone)
  }

  const keyed = tasks.filter(({ name }) => name !== 'insert')
  const before = new Map<string, number>()
  for (const task of keyed)
    before.set(task.name, await perSecond((n) => throughDoor(person, task, n)))
  await addLinks(database, person.id, 1_000, large)
  await database.query('analyze app.shortened_urls')
  console.log(`\nrequests a second    1,000 ${String(large).padStart(9)}   share`)
  for (const task of keyed) {
    const after = await perSecond((n) => throughDoor(person, task, n))
    print(task.name, before.get(task.name) ?? 0, after, after / (before.get(task.name) ?? 1))
  }
} finally {
  agent.destroy()
  await pool.end()
  await close()
}
process.exit(0)

function print(name: string, one: number, other: number, share: number): void {
  const figures = [one, other].map((each) => each.toFixed(0).padStart(8)).join('')
  console.log(`${name.padEnd(18)}${figures}${share.toFixed(2).padStart(8)}`)
}

async function tasksOf(person: BenchUser): Promise<Task[]> {
  const reader = openDatabase(databaseUrl, createLog('fatal'))
  const catalog = await readCatalog(reader, 'api')
  await reader.close()
  const served = { catalog, rules: apiRules }
  const identity: Identity = {
    role: 'authenticated',
    claims: { sub: person.id, role: 'authenticated' },
  }
  const headers = new Headers({ prefer: 'return=representation' })
  const answer = { prefer: parsePreferences(headers), shape: parseAccept(headers) }
  const planOf = (relation: string, query: string) =>
    planRead(served, openScope(served, relation, identity), parseQuery(new URLSearchParams(query)))
  const read = (name: string, query: (n: number) => string): Task => ({
    name,
    method: 'GET',
    path: (n) => `shortened_urls?${query(n)}`,
    statement: (n) => compileRead(planOf('shortened_urls', query(n)), answer),
  })
  const columns = 'select=id,short_code,original_url,click_count,created_at'
  const newest = 'order=created_at.desc,id.desc&limit=50'
  const row = (n: number) => ({
    user_id: person.id,
    original_url: `https://example.com/${n}`,
    external_id: randomUUID(),
  })
  const canCreate = catalog.functions.get('can_create_url') as ApiFunction
  return [
    read('list', () => `user_id=eq.${person.id}&${columns}&${newest}`),
    read('single', (n) => `short_code=eq.${codeOf(person.id, n % 1_000)}&${columns}`),
    read('embedded list', () => `user_id=eq.${person.id}&${columns},popup:popups(title)&${newest}`),
    {
      name: 'rpc',
      method: 'POST',
      path: () => 'rpc/can_create_url',
      body: () => ({ _user_id: person.id }),
      statement: () =>
        compileCall(
          { sql: canCreate.sql, args: [{ name: '_user_id', type: 'uuid', value: person.id }] },
          canCreate.returns,
        ),
    },
    {
      name: 'insert',
      method: 'POST',
      path: () => `shortened_urls?${columns}`,
      body: row,
      statement: (n) =>
        compileInsert(planOf('shortened_urls', columns), answer, Object.keys(row(n)), [row(n)]),
    },
  ]
}

/** How often the work is done in a second by all clients together. */
async function perSecond(work: (n: number) => Promise<void>): Promise<number> {
  let done = 0
  const startedAt = performance.now()
  const until = startedAt + seconds * 1_000
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let n = client; performance.now() < until; n += clients) {
        await work(n)
        done++
      }
    }),
  )
  return (done * 1_000) / (performance.now() - startedAt)
}

function throughDoor(person: BenchUser, { method, path, body }: Task, n: number): Promise<void> {
  const text = body && JSON.stringify(body(n))
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/rest/v1/${path(n)}`,
      {
        method,
        agent,
        headers: {
          ...person.headers,
          prefer: 'return=representation',
          ...(text && { 'content-type': 'application/json' }),
        },
      },
      (response) => {
        response.resume()
        response.once('end', () =>
          (response.statusCode ?? 500) < 300
            ? resolve()
            : reject(new Error(`${path(n)}: ${response.statusCode}`)),
        )
      },
    )
    sent.once('error', reject)
    sent.end(text)
  })
}

async function byPgAlone(person: BenchUser, { text, values }: Statement): Promise<void> {
  const client = await pool.connect()
  try {
    const claims = pg.escapeLiteral(JSON.stringify({ sub: person.id, role: 'authenticated' }))
    await client.query(
      `begin; set local role authenticated; select set_config('request.jwt.claims', ${claims}, true)`,
    )
    await client.query(text, values)
    await client.query('commit')
  } finally {
    client.release()
  }
}
