import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { runningEmbeddedUrl } from '#server/postgres/embedded.ts'
import { startHoplet } from '#server/start.ts'
import { createTablesDoor } from '#server/tables/door.ts'
import { apiRules } from '#server/tables/rules.ts'

/**
 * What does one row through the table door cost, against the same row by `pg` alone? Processor time of this process and
 * of PostgreSQL, for requests one after another; the door is called without HTTP.
 */
const rounds = 2_000

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-bench-row-'))
  const variables = { PORT: '0', RATE_LIMITS: 'off', DATA_DIR: folder }
  const config = createConfig(parseVariables(variables))
  const log = createLog('fatal')
  const hoplet = await startHoplet(config, log)
  const pool = new pg.Pool({ connectionString: await runningEmbeddedUrl(folder), max: 1 })
  try {
    const { context } = hoplet
    const [user, session] = [randomUUID(), randomUUID()]
    await context.database.transactionAs({ role: 'hoplet_auth' }, async (db) => {
      await db.query('insert into auth.users (id, email) values ($1, $2)', [user, 'a@example.com'])
      await db.query('insert into auth.sessions (id, user_id, refresh_key) values ($1, $2, $3)', [
        session,
        user,
        randomBytes(32),
      ])
    })
    const claims = { sub: user, role: 'authenticated', aud: 'authenticated', session_id: session }
    const token = await context.tokens.sign(claims, 3_600)
    const headers = { apikey: context.tokens.anonKey, authorization: `Bearer ${token}` }
    const door = createTablesDoor({ ...context, schema: 'api', rules: apiRules })
    const place = context.hosts.placeOf({})
    const info = { address: '127.0.0.1', place, requestId: randomUUID(), log }
    await context.database.transactionAs({ role: 'authenticated', claims }, (db) =>
      db.query(
        `insert into api.shortened_urls (user_id, original_url) values ($1, 'https://example.com/')`,
        [user],
      ),
    )
    const query = `select=*&user_id=eq.${user}&order=created_at.desc&limit=1`
    const pid = postmasterOf(folder)

    const plain = await measure(pid, async () => {
      const client = await pool.connect()
      await client.query('begin')
      await client.query('set local role hoplet_owner')
      await client.query(
        'select * from app.shortened_urls where user_id = $1 order by created_at desc limit 1',
        [user],
      )
      await client.query('commit')
      client.release()
    })
    const throughDoor = await measure(pid, async () => {
      const url = `http://127.0.0.1/rest/v1/shortened_urls?${query}`
      const response = await door(new Request(url, { headers }), info)
      if (response.status !== 200) throw new Error(await response.text())
      await response.text()
    })
    const ratio = (of: 'node' | 'postgres') => (throughDoor[of] / plain[of]).toFixed(2)
    console.log('pg alone ', print(plain))
    console.log('the door ', print(throughDoor))
    console.log(
      `the door costs ${ratio('node')} of pg alone in Node, ${ratio('postgres')} in PostgreSQL`,
    )
  } finally {
    await pool.end()
    await hoplet.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Cost {
  node: number
  postgres: number
}

/** Milliseconds of processor time for one round, after a warm-up. */
async function measure(pid: number, round: () => Promise<void>): Promise<Cost> {
  for (let i = 0; i < 300; i++) await round()
  const [node, postgres] = [process.cpuUsage(), ticksUnder(pid)]
  for (let i = 0; i < rounds; i++) await round()
  const { user, system } = process.cpuUsage(node)
  return {
    node: (user + system) / 1_000 / rounds,
    // A tick of /proc is 10 ms.
    postgres: ((ticksUnder(pid) - postgres) * 10) / rounds,
  }
}

function postmasterOf(folder: string): number {
  return Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** The processor time that the children of a process have used, in ticks. */
function ticksUnder(parent: number): number {
  let ticks = 0
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      if (Number(fields[1]) === parent) ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // It has ended.
    }
  }
  return ticks
}

function print({ node, postgres }: Cost): string {
  return `${node.toFixed(3)} ms of Node, ${postgres.toFixed(3)} ms of PostgreSQL a row`
}

await main()
process.exit(0)
