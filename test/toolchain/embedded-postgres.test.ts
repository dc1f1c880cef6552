/** @module-tag extended */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createLog } from '#server/log.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { makePrivatePlace, query, startHolder } from './database-holder.ts'

const log = createLog('silent')
let place: Awaited<ReturnType<typeof makePrivatePlace>>
let running: EmbeddedPostgres | undefined

// One cluster for all tests but the last: making one takes longer than any of them.
beforeAll(async () => {
  place = await makePrivatePlace()
})
afterEach(async () => {
  await running?.stop()
  running = undefined
})
afterAll(() => place.remove())

async function start(): Promise<EmbeddedPostgres> {
  await mkdir(place.dataDir, { recursive: true })
  running = await startEmbeddedPostgres({ dataDir: place.dataDir, log })
  return running
}

async function postmasterPid(): Promise<number> {
  const text = await readFile(join(place.dataDir, 'postgres/postmaster.pid'), 'utf8')
  return Number.parseInt(text, 10)
}

/** The path of the socket that a connection string leads to. */
function socketOf(url: string): string {
  const { searchParams, port } = new URL(url)
  return join(searchParams.get('host') ?? '', `.s.PGSQL.${port}`)
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketOf(url), () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

test('the server logs in without superuser rights and owns its database', async () => {
  const { url } = await start()
  expect(
    await query(
      url,
      `select rolsuper, rolcreaterole, rolbypassrls, rolreplication,
         (select datdba = r.oid from pg_database where datname = current_database()) as owner
       from pg_roles r where rolname = current_user`,
    ),
  ).toEqual([
    {
      rolsuper: false,
      rolcreaterole: true,
      rolbypassrls: false,
      rolreplication: false,
      owner: true,
    },
  ])
  expect(
    await query(
      url,
      `select current_setting('fsync') as fsync, current_setting('data_checksums') as checksums,
         current_setting('listen_addresses') as addresses, current_setting('server_encoding') as encoding,
         current_setting('TimeZone') as zone, upper('ä') as upper_case`,
    ),
  ).toEqual([
    {
      fsync: 'on',
      checksums: 'on',
      addresses: '',
      encoding: 'UTF8',
      zone: 'UTC',
      upper_case: 'Ä',
    },
  ])
})

test.skipIf(process.platform === 'win32')(
  'the embedded PostgreSQL listens on a socket that its own user alone can open',
  async () => {
    const { url } = await start()
    expect(await answers(url)).toBe(true)
    const socket = socketOf(url)
    expect((await stat(join(place.dataDir, 'run'))).mode & 0o777).toBe(0o700)
    expect((await stat(socket)).mode & 0o777).toBe(0o700)
    if (process.getuid?.() !== 0) return
    // As root the test can be another user of the machine.
    const attempt = `require('node:net').connect(${JSON.stringify(socket)})
    .on('connect', () => process.exit(0)).on('error', ({ code }) => (console.log(code), process.exit(1)))`
    const { status, stdout } = spawnSync(process.execPath, ['-e', attempt], {
      uid: 65_534,
      cwd: '/',
      encoding: 'utf8',
    })
    expect([status, stdout.trim()]).toEqual([1, 'EACCES'])
  },
)

test('the embedded PostgreSQL listens in a temporary folder where the path is too long for a socket', async () => {
  const dataDir = join(place.dataDir, 'a-folder-with-a-long-name-'.repeat(4))
  await mkdir(dataDir, { recursive: true })
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  running = postgres
  expect(await query(postgres.url, 'select 1 as n')).toEqual([{ n: 1 }])
  const folder = dirname(socketOf(postgres.url))
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  await postgres.stop()
  expect(existsSync(folder)).toBe(false)
})

test('the embedded PostgreSQL requires passwords and stores them readable by the owner only', async () => {
  const { url } = await start()
  const wrong = new URL(url)
  wrong.password = 'wrong'
  await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/)
  const { mode } = await stat(join(place.dataDir, 'postgres.json'))
  expect(mode & 0o777).toBe(0o600)
})

test('the embedded PostgreSQL stops every process; the next start has the same data and address', async () => {
  const first = await start()
  await query(first.url, 'create table kept_at_stop (n int)')
  await first.stop()
  expect(await answers(first.url)).toBe(false)
  const second = await start()
  expect(second.url).toBe(first.url)
  expect(await query(second.url, 'select * from kept_at_stop')).toEqual([])
})

test('the embedded PostgreSQL recreates a lost password file and keeps the data', async () => {
  const first = await start()
  await query(first.url, 'create table kept_password (n int)')
  await first.stop()
  await rm(join(place.dataDir, 'postgres.json'))
  const second = await start()
  expect(second.url).not.toBe(first.url)
  expect(await query(second.url, 'select * from kept_password')).toEqual([])
})

test('the embedded PostgreSQL refuses the data of another PostgreSQL version with advice', async () => {
  await (await start()).stop()
  running = undefined
  await writeFile(join(place.dataDir, 'postgres/PG_VERSION'), '17\n')
  await expect(start()).rejects.toThrow(/PostgreSQL 17.*PostgreSQL 18.*npm run upgrade-postgres/)
  await writeFile(join(place.dataDir, 'postgres/PG_VERSION'), '18\n')
})

test('the embedded PostgreSQL starts despite a pid file with the number of another program', async () => {
  await (await start()).stop()
  const stranger = `${process.pid}\n${place.dataDir}/postgres\n1\n5432\n\n127.0.0.1\n1 1\nready\n`
  await writeFile(join(place.dataDir, 'postgres/postmaster.pid'), stranger)
  const { url } = await start()
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await postmasterPid()).not.toBe(process.pid)
})

test('the embedded PostgreSQL restarts PostgreSQL on the same socket with all committed data when it dies', async () => {
  const { url } = await start()
  await query(url, 'create table kept_death as select generate_series(1, 1000) as n')
  for (let round = 1; round <= 3; round++) {
    const before = await postmasterPid()
    process.kill(before, 'SIGKILL')
    await expect
      .poll(() => query(url, 'select count(*)::int as n from kept_death').catch(() => 'down'), {
        timeout: 240_000,
        interval: 50,
      })
      .toEqual([{ n: 1000 }])
    expect(await postmasterPid()).not.toBe(before)
  }
})

test('the embedded PostgreSQL stops the orphan of a killed server without losing committed data', async () => {
  const holder = startHolder(place.dataDir)
  const url = await holder.ready
  await query(url, 'create table kept_orphan as select 1 as n')
  const orphan = await postmasterPid()
  holder.child.kill('SIGKILL')
  await holder.ended
  expect(await query(url, 'select n from kept_orphan')).toEqual([{ n: 1 }])
  const next = await start()
  expect(await postmasterPid()).not.toBe(orphan)
  expect(await query(next.url, 'select n from kept_orphan')).toEqual([{ n: 1 }])
})

test('the embedded PostgreSQL keeps the database running on Ctrl-C until the server has drained', async () => {
  const holder = startHolder(place.dataDir)
  const url = await holder.ready
  process.kill(-holder.pid, 'SIGINT')
  expect(await holder.ended).toBe(0)
  expect(await answers(url)).toBe(false)
  const next = await start()
  expect(await query(next.url, 'select count(*)::int as n from drained')).toEqual([{ n: 1 }])
})

test('the embedded PostgreSQL starts after a first start that was killed at any moment', async () => {
  for (const moment of [0, 150, 350, 600]) {
    const round = await makePrivatePlace()
    const holder = startHolder(round.dataDir)
    await new Promise<void>((resolve) => {
      holder.child.stdout?.on('data', () => resolve())
      void holder.ended.then(() => resolve())
    })
    await sleep(moment)
    holder.child.kill('SIGKILL')
    await holder.ended
    const postgres = await startEmbeddedPostgres({ dataDir: round.dataDir, log })
    expect(await query(postgres.url, 'select current_database() as name')).toEqual([
      { name: 'hoplet' },
    ])
    await postgres.stop()
    await round.remove()
  }
})
