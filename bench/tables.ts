import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createLog } from '#server/log.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { type ApiFunction, readCatalog } from '#server/tables/catalog/catalog.ts'
import { compileCall, compileInsert, compileRead, type Statement } from '#server/tables/compile.ts'
import { parseAccept, parsePreferences } from '#server/tables/parse/parse-headers.ts'
import { parseQuery } from '#server/tables/parse/parse-query.ts'
import { planRead } from '#server/tables/read-plan.ts'
import { apiRules } from '#server/tables/rules.ts'
import { openScope } from '#server/tables/scope.ts'
import type { Identity } from '#server/tokens/tokens.ts'
import { startBenchServer } from './shared/built-server.ts'
import { cpuOf } from './shared/cpu.ts'
import { addLinks, type BenchUser, codeOf, signUp } from './shared/people.ts'

// The table door against the same statements by `pg` alone, in the same transactions and by as many clients, in turns: how many of its
// requests a second are left (aim: half), and the processor time that a request takes in the server and in PostgreSQL, against that of
// the `pg` client and PostgreSQL. wrk loads the door: the HTTP client of Node takes as much as the door from the cores that all
// of them share. Then calls that name their row by two owners, one with many links and one with 1,000, in turns (aim: within 20 %).

if (spawnSync('sh', ['-c', 'command -v wrk']).status !== 0) {
  process.stderr.write('This bench needs wrk: apt-get install wrk\n')
  process.exit(1)
}
const clients = 8
const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const large = Number(process.env.BENCH_ROWS ?? 1_000_000)

interface Task {
  name: string
  method: 'GET' | 'POST'
  /** With `{n}` for the number of a link, below 1,000. */
  path: string
  /** With `{at}` for the number of the request. */
  body?: () => object
  statement: (n: number) => Statement
}

interface Speed {
  perSecond: number
  /** Processor time of a request in microseconds. */
  cpu: number
}

const { url, databaseUrl, database, pid, folder, close } = await startBenchServer({
  env: { RATE_LIMITS: 'off' },
})
const postgres = Number(
  readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
)
const pool = new pg.Pool({ connectionString: databaseUrl, max: clients })
try {
  // No plan allows as many links as are made here.
  await database.query(
    `create or replace function app.charge(account uuid, link boolean, custom boolean) returns boolean language sql as 'select false'`,
  )
  const person = await ownerOf(1_000)
  const tasks = await tasksOf(person)
  for (const task of tasks) {
    // Measured is compiled code.
    await throughDoor(person, task)
    await byPgAlone(person, task)
  }
  printHead(['door', 'pg'])
  for (const task of tasks)
    print(
      task.name,
      await middleOf(
        () => throughDoor(person, task),
        () => byPgAlone(person, task),
      ),
    )

  const owners = [await ownerOf(large), await ownerOf(1_000)] as const
  // Otherwise PostgreSQL writes it beside the requests.
  await database.query('checkpoint')
  printHead([large, 1_000].map((each) => each.toLocaleString('en')))
  for (const { name } of tasks.filter((task) => task.name !== 'insert')) {
    const [many, few] = await Promise.all(
      owners.map(async (owner) => {
        const task = (await tasksOf(owner)).find((each) => each.name === name)
        return () => throughDoor(owner, task as Task)
      }),
    )
    if (many && few) print(name, await middleOf(many, few))
  }
} finally {
  await pool.end()
  await close()
}
process.exit(0)

/** A person on the business plan with this many links. */
async function ownerOf(links: number): Promise<BenchUser> {
  const owner = await signUp(url)
  await database.query(`update app.user_plans set plan_type = 'business' where user_id = $1`, [
    owner.id,
  ])
  await addLinks(database, owner.id, 0, links)
  return owner
}

/** Measures both in turns, and returns the pair with the median share. */
async function middleOf(
  one: () => Promise<Speed>,
  other: () => Promise<Speed>,
): Promise<[Speed, Speed]> {
  const pairs: [Speed, Speed][] = []
  for (let round = 0; round < rounds; round++) pairs.push([await one(), await other()])
  const shareOf = ([a, b]: [Speed, Speed]) => a.perSecond / b.perSecond
  return pairs.toSorted((a, b) => shareOf(a) - shareOf(b))[rounds >> 1] as [Speed, Speed]
}

function printHead(names: string[]): void {
  const columns = `${names.map((name) => name.padStart(10)).join('')}   share`
  const [requests, cpu] = ['requests a second', 'processor time of a request, us']
  console.log(`\n${' '.repeat(18)}${requests.padEnd(34)}${cpu}`)
  console.log(`${' '.repeat(18)}${columns}${' '.repeat(6)}${columns}`)
}

/** Prints the figures of both, and the share of the first in the second. */
function print(name: string, [one, other]: [Speed, Speed]): void {
  const columns = (['perSecond', 'cpu'] as const).map((of) => {
    const figures = [one[of], other[of]].map((each) => each.toFixed(0).padStart(10)).join('')
    return `${figures}${(one[of] / other[of]).toFixed(2).padStart(8)}`
  })
  console.log(`${name.padEnd(18)}${columns.join('      ')}`)
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
  const read = (name: string, query: (n: number | string) => string): Task => ({
    name,
    method: 'GET',
    path: `shortened_urls?${query('{n}')}`,
    statement: (n) => compileRead(planOf('shortened_urls', query(n % 1_000)), answer),
  })
  const columns = 'select=id,short_code,original_url,click_count,created_at'
  const newest = 'order=created_at.desc,id.desc&limit=50'
  const row = (n: number | string) => ({
    user_id: person.id,
    original_url: `https://example.com/${n}`,
    external_id: `${randomUUID()}-${n}`,
  })
  const canCreate = catalog.functions.get('can_create_url') as ApiFunction
  return [
    read('list', () => `user_id=eq.${person.id}&${columns}&${newest}`),
    read('single', (n) => `short_code=eq.${codeOf(person.id, n)}&${columns}`),
    read('embedded list', () => `user_id=eq.${person.id}&${columns},popup:popups(title)&${newest}`),
    {
      name: 'rpc',
      method: 'POST',
      path: 'rpc/can_create_url',
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
      path: `shortened_urls?${columns}`,
      body: () => row('{at}'),
      statement: (n) =>
        compileInsert(planOf('shortened_urls', columns), answer, Object.keys(row(n)), [row(n)]),
    },
  ]
}

async function throughDoor(person: BenchUser, task: Task): Promise<Speed> {
  const script = join(folder, 'requests.lua')
  await writeFile(script, requestsOf(person, task))
  const before = cpuOf(pid) + cpuOf(postgres)
  const options = ['-t1', `-c${clients}`, `-d${seconds}s`, '--timeout', '30s', '-s', script]
  const wrk = spawn('wrk', [...options, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  wrk.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await new Promise((resolve) => wrk.once('close', resolve))
  const find = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0)
  const done = find(/(\d+) requests in/)
  if (done === 0 || /Non-2xx/.test(output)) throw new Error(`${task.name}: ${output}`)
  return {
    perSecond: find(/Requests\/sec:\s+([\d.]+)/),
    cpu: (cpuOf(pid) + cpuOf(postgres) - before) / done,
  }
}

function requestsOf(person: BenchUser, { method, path, body }: Task): string {
  const headers = {
    ...person.headers,
    Prefer: 'return=representation',
    ...(body && { 'Content-Type': 'application/json' }),
  }
  const entries = Object.entries(headers).map(([name, value]) => `['${name}'] = '${value}'`)
  const text = body ? `[[${JSON.stringify(body())}]]` : 'nil'
  return `
local at = 0
local path, body = '/rest/v1/${path}', ${text}
local headers = { ${entries.join(', ')} }
request = function()
  at = at + 1
  local named = path:gsub('{n}', at % 1000)
  return wrk.format('${method}', named, headers, body and body:gsub('{at}', at))
end
`
}

async function byPgAlone(person: BenchUser, { statement }: Task): Promise<Speed> {
  const before = { own: process.cpuUsage(), postgres: cpuOf(postgres) }
  const startedAt = performance.now()
  const until = startedAt + seconds * 1_000
  let done = 0
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let n = client; performance.now() < until; n += clients) {
        await runAlone(person, statement(n))
        done++
      }
    }),
  )
  const perSecond = (done * 1_000) / (performance.now() - startedAt)
  const { user, system } = process.cpuUsage(before.own)
  return { perSecond, cpu: (user + system + cpuOf(postgres) - before.postgres) / done }
}

async function runAlone(person: BenchUser, { text, values }: Statement): Promise<void> {
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
