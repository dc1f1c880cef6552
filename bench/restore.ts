import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createLog } from '#server/log.ts'
import { runningEmbeddedUrl, startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { makeLink, makeUser } from '#test/factories.ts'
import { startBuilt } from '#test/visits/built.ts'
import { countOf, plantLinks } from '#test/visits/plant.ts'
import { startBenchServer } from './shared/built-server.ts'
import { browser } from '#test/visits/visit.ts'

// The drill: a server with 100,000 links and clicks is backed up while people make links and visitors click, and restored on an empty
// folder. The restore compares the hash of each table with that of the snapshot; this counts rows and clicks on its own.

const links = Number(process.env.BENCH_LINKS ?? 100_000)
const clicks = links * 3
const folder = await mkdtemp(join(tmpdir(), 'hoplet-restore-'))
const backup = join(folder, 'backup.tar.gz.age')
const passphrase = 'a passphrase for the drill'

async function command(args: string[], env: Record<string, string>) {
  const entry = new URL('../dist/server/command.js', import.meta.url).pathname
  const startedAt = performance.now()
  const child = spawn(
    '/usr/bin/env',
    ['time', '-f', 'at most %M kB of memory, %U s of processor', process.execPath, entry, ...args],
    {
      env: { PATH: process.env.PATH, BACKUP_PASSPHRASE: passphrase, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`${args[0]} ended with ${String(code)}`)
  const seconds = (performance.now() - startedAt) / 1_000
  process.stdout.write(`${args[0]}: ${seconds.toFixed(1)} s\n`)
  return seconds
}

let failed = false
const server = await startBenchServer({
  keptIn: join(folder, 'running'),
  // A long backup has time for more links than a plan allows.
  env: { RATE_LIMITS: 'off', PLANS: 'off' },
})
try {
  const sql = async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await server.database.query<Row>(text, values)).rows
  const dataDir = join(folder, 'running', 'server')
  const { anonKey } = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8')) as {
    anonKey: string
  }
  const people = { url: server.url, anonKey, sql }
  const ann = await makeUser(people)
  for (let at = 0; at < links; at += 10_000) {
    const codes = Array.from({ length: Math.min(10_000, links - at) }, (_, i) => ({
      code: `d-${at + i}`,
      url: `https://example.com/${at + i}`,
    }))
    await plantLinks(sql, codes)
  }
  const link = await makeLink(people, ann)
  let answered = 0
  const visit = async () => {
    const response = await fetch(`${server.url}/${link.short_code}`, {
      redirect: 'manual',
      headers: { 'user-agent': browser },
    })
    if (response.status === 302) answered++
  }
  await visit()
  for (let tries = 0; (await countOf(sql, link.id)) < 1 && tries < 600; tries++)
    await new Promise((resolve) => setTimeout(resolve, 100))
  await sql(`insert into app.click_events select (jsonb_populate_record(e, jsonb_build_object('at', now() - make_interval(mins => n)))).*
    from (select to_jsonb(x) as j, x as e from app.click_events x limit 1) one, generate_series(1, ${clicks}) n`)
  let isDone = false
  let written = 0
  const load = (work: () => Promise<unknown>) =>
    (async () => {
      while (!isDone) await work()
    })()
  const loads = [
    load(visit),
    load(visit),
    load(visit),
    load(async () => {
      await makeLink(people, ann)
      written++
    }),
  ]
  while (answered < 500) await new Promise((resolve) => setTimeout(resolve, 50))
  const [answeredBefore, writtenBefore] = [answered, written]
  const url = (await runningEmbeddedUrl(join(folder, 'running'))) ?? ''
  const backupSeconds = await command(['backup', backup], { DATABASE_URL: url, DATA_DIR: dataDir })
  const [answeredAfter, writtenAfter] = [answered, written]
  isDone = true
  await Promise.all(loads)
  process.stdout.write(
    `during the backup: ${answeredAfter - answeredBefore} visits and ${writtenAfter - writtenBefore} new links\n`,
  )

  const empty = join(folder, 'restored')
  const seconds = await command(['restore', backup], { DATA_DIR: empty })
  process.stdout.write(
    `backup ${((backupSeconds / 60 / links) * 100_000).toFixed(2)}, restore ${((seconds / 60 / links) * 100_000).toFixed(2)} minutes per 100,000 links\n`,
  )
  await command(['verify', backup], { DATA_DIR: empty })

  // The clicks of the journal are counted by the first start.
  const postgres = await startEmbeddedPostgres({ dataDir: empty, log: createLog('fatal') })
  const restoredServer = await startBuilt({ DATABASE_URL: postgres.url, DATA_DIR: empty })
  await restoredServer.end('SIGTERM')
  const superuser = new URL(postgres.superuserUrl)
  superuser.pathname = new URL(postgres.url).pathname
  const client = new pg.Client({ connectionString: superuser.href })
  await client.connect()
  const restoredSql = async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await client.query<Row>(text, values)).rows
  const counted = await countOf(restoredSql, link.id)
  const [row] = await restoredSql<{ links: number; hits: number }>(
    'select (select count(*)::int from app.shortened_urls) as links, (select count(*)::int from app.click_events) as hits',
  )
  await client.end()
  await postgres.stop()
  const isCounted = counted >= answeredBefore && counted <= answeredAfter
  const hasLinks =
    (row?.links ?? 0) >= links + 1 + writtenBefore && (row?.links ?? 0) <= links + 1 + writtenAfter
  process.stdout.write(
    `restored: ${row?.links} links (${writtenBefore} to ${writtenAfter} written by then), ${row?.hits} hits; ` +
      `clicks on one link: ${counted} (${answeredBefore} answered before the backup, ${answeredAfter} after it)\n` +
      `left behind: ${(await readdir(empty)).join(', ')}\n`,
  )
  failed = !isCounted || !hasLinks || seconds > (180 * links) / 100_000
} finally {
  await server.close()
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
