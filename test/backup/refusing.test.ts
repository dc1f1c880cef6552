/** @module-tag extended */

import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { writeArchive } from '#server/backup/archive.ts'
import { checkBackup, openBackup, writeBackup, writeStream } from '#server/backup/backup-file.ts'
import type { RestoreOptions } from '#server/backup/restore.ts'
import type { Entry } from '#server/backup/tar.ts'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { migrate, migrations } from '#server/postgres/migrate.ts'
import { startHoplet } from '#server/start.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { makeLink, makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { browser } from '#test/visits/visit.ts'
import { everyRowOf, restoreInto, schemaOf, sourceOf } from './backed-up.ts'

const wait = { timeout: Number(process.env.WAIT ?? 5_000) }
const passphrase = 'a passphrase for tests'
const clean: (() => Promise<unknown>)[] = []
let server: TestServer
let folder: string
/** A backup of `server`. */
let good: string
/** A restore must not touch it: a database with an account and a link. */
let target: TestDatabase

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hoplet-refusing-'))
  clean.push(() => rm(folder, { recursive: true, force: true }))
  server = await startTestServer()
  clean.push(() => server.close())
  const ann = await makeUser(server)
  for (let i = 0; i < 20; i++) await makeLink(server, ann)
  good = join(folder, 'good.tar.gz')
  await writeBackup(sourceOf(server), good, undefined)
  target = await createTestDatabase()
  clean.push(() => target.drop())
  await plantLinks(target.sql, [{ code: 'kept', url: 'https://example.com/' }])
})
afterAll(async () => {
  for (const step of clean.splice(0).toReversed()) await step()
})

/** The good backup with other entries. */
async function rewritten(change: (entry: Entry) => Entry | undefined): Promise<string> {
  const path = join(folder, `rewritten-${Math.random()}.tar.gz`)
  async function* entries(): AsyncGenerator<Entry> {
    for await (const entry of openBackup(good, undefined)) {
      const changed = change({ name: entry.name, data: Buffer.from(entry.data) })
      if (changed) yield changed
    }
  }
  await writeStream(path, writeArchive(entries(), undefined))
  return path
}

const withManifest = (change: (manifest: Record<string, unknown>) => object) =>
  rewritten(({ name, data }) => ({
    name,
    data:
      name === 'manifest.json'
        ? Buffer.from(
            JSON.stringify(change(JSON.parse(data.toString()) as Record<string, unknown>)),
          )
        : data,
  }))

async function expectRefusal(
  path: string,
  message: RegExp,
  options: Partial<RestoreOptions> = {},
): Promise<void> {
  const before = await everyRowOf(target)
  const attempt = restoreInto(target, path, clean, { replaces: true, ...options })
  await expect(attempt).rejects.toThrow(message)
  expect(await everyRowOf(target)).toEqual(before)
}

it('a restore refuses a truncated or altered backup, with nothing changed', async () => {
  const whole = await readFile(good)
  const path = join(folder, 'bad.tar.gz')
  await writeFile(path, whole.subarray(0, whole.length / 2))
  await expectRefusal(path, /truncated/)
  whole[whole.length - 3_000] = (whole[whole.length - 3_000] ?? 0) ^ 1
  await writeFile(path, whole)
  await expectRefusal(path, /altered|damaged/)
  const encrypted = join(folder, 'encrypted.tar.gz.age')
  await writeBackup(sourceOf(server), encrypted, passphrase)
  await expectRefusal(encrypted, /set BACKUP_PASSPHRASE/)
  await expectRefusal(encrypted, /passphrase is wrong/, { passphrase: 'another passphrase' })
  const sealed = await readFile(encrypted)
  await writeFile(path, sealed.subarray(0, sealed.length / 2))
  await expectRefusal(path, /truncated/, { passphrase })
  await writeFile(path, 'something else, for example a dump of another program')
  await expectRefusal(path, /not a backup of Hoplet/)
})

it('a restore refuses keys that are none, when it is verified already', async () => {
  const junk = await rewritten(({ name, data }) => ({
    name,
    data: name === 'keys.json' ? Buffer.from('{"signingKey":"junk"}') : data,
  }))
  await expect(checkBackup(junk, undefined)).rejects.toThrow('keys.json does not have the keys')
  expect(await checkBackup(good, undefined)).toMatchObject({ manifest: { format: 2 } })
})

it('a restore refuses a backup of a newer or another version', async () => {
  await expectRefusal(
    await withManifest((m) => ({ ...m, format: 3, more: 1 })),
    /newer Hoplet \(format 3/,
  )
  const known = migrations.map(({ name }) => ({ name, checksum: '' }))
  const { manifest } = await checkBackup(good, undefined)
  const next = { name: '9999_next.sql', checksum: 'x' }
  const newer = await withManifest((m) => ({ ...m, migrations: [...manifest.migrations, next] }))
  await expectRefusal(newer, /newer Hoplet: it has migration 9999_next.sql/)
  await expectRefusal(await withManifest((m) => ({ ...m, migrations: known })), /another Hoplet/)
  await expectRefusal(
    await withManifest((m) => ({ ...m, migrations: 'none' })),
    /damaged: manifest/,
  )
})

it('a restore compares every table with the snapshot, and undoes everything if one differs', async () => {
  const fewer = await rewritten((entry) =>
    entry.name.startsWith('tables/app.user_plans/') ? undefined : entry,
  )
  await expectRefusal(fewer, /app.user_plans has 0 rows instead of the 1 /)
  const other = await rewritten(({ name, data }) => ({
    name,
    data: name.startsWith('tables/app.shortened_urls/')
      ? Buffer.from(data.toString().replace('https://example.com/', 'https://example.net/'))
      : data,
  }))
  await expectRefusal(other, /app.shortened_urls has 20 rows instead of the 20 .* or other ones/)
  const foreign = await rewritten((entry) =>
    entry.name === 'contents.json'
      ? { name: 'tables/app.nothing/00000001', data: entry.data }
      : entry,
  )
  await expectRefusal(foreign, /damaged/)
})

it('a restore replaces accounts only when told to, and never under a running server', async () => {
  await expectRefusal(good, /has 1 accounts and 1 links.*--replace=test_/, { replaces: false })
  const before = await everyRowOf(server)
  await expect(
    restoreInto({ url: server.databaseUrl }, good, clean, { replaces: true }),
  ).rejects.toThrow(/Hoplet is running on the database/)
  expect((await everyRowOf(server)).get('auth.users')).toEqual(before.get('auth.users'))
  const second = await createTestDatabase()
  clean.push(() => second.drop())
  await plantLinks(second.sql, [{ code: 'gone', url: 'https://example.com/' }])
  await restoreInto(second, good, clean, { replaces: true })
  expect((await everyRowOf(second)).get('auth.users')).toEqual(before.get('auth.users'))
  expect(await schemaOf(second)).toEqual(await schemaOf(server))
})

it('a restore refuses to back up when a policy would hide rows', async () => {
  await target.sql('alter policy owner_all on app.popups using (false)')
  const source = { ...sourceOf(server), databaseUrl: target.url }
  const path = join(folder, 'hidden.tar.gz')
  await expect(writeBackup(source, path, undefined)).rejects.toThrow(
    'Policies hide rows from a backup: app.popups.',
  )
  await target.sql('alter policy owner_all on app.popups using (true)')
  await writeBackup(source, path, undefined)
})

it('a restore leaves nothing when the database goes away while it is read', async () => {
  const path = join(folder, 'lost.tar.gz')
  // It waits in the middle of its tables.
  const holder = new pg.Client({ connectionString: target.superuserUrl })
  await holder.connect()
  await holder.query('begin; lock table app.popups in access exclusive mode')
  const writing = writeBackup({ ...sourceOf(server), databaseUrl: target.url }, path, undefined)
  writing.catch(() => {})
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'hoplet backup' and datname = current_database() and wait_event_type = 'Lock'`
  await vi.waitFor(async () => expect(await target.sql(cut)).not.toHaveLength(0), wait)
  await expect(writing).rejects.toThrow()
  await holder.end()
  expect((await readdir(folder)).filter((name) => name.startsWith('lost'))).toEqual([])
})

it('a restore restores a backup of an older version at its schema, and migrates it then', async () => {
  const older = await createTestDatabase({ empty: true })
  clean.push(() => older.drop())
  const log = createLog('silent')
  const count = migrations.length - 2
  await migrate(older.url, log, migrations.slice(0, count), '')
  await plantLinks(older.sql, [{ code: 'old', url: 'https://example.com/' }])
  const path = join(folder, 'older.tar.gz')
  await writeBackup({ ...sourceOf(server), databaseUrl: older.url }, path, undefined)
  const links = 'select id, user_id, short_code, original_url, created_at from app.shortened_urls'
  const rows = await older.sql(links)
  expect(rows).toHaveLength(1)
  const empty = await createTestDatabase({ empty: true })
  clean.push(() => empty.drop())
  const { restored } = await restoreInto(empty, path, clean)
  expect(restored.migrated).toEqual(migrations.slice(count).map(({ name }) => name))
  expect(await empty.sql(links)).toEqual(rows)
  // A server makes the partitions of the months at its start.
  const migrated = await createTestDatabase()
  clean.push(() => migrated.drop())
  expect(await schemaOf(empty)).toEqual(await schemaOf(migrated))
})

it('a restore restores a backup from before the age format and the migrations by subject', async () => {
  const database = await createTestDatabase({ empty: true })
  clean.push(() => database.drop())
  // Made by the program of that time: an account on the business plan, a link and three visits.
  const path = 'test/fixtures/backup-of-format-1.tar.gz.enc'
  const refusal = restoreInto(database, path, clean, { passphrase: `${passphrase}!` })
  await expect(refusal).rejects.toThrow('The passphrase is wrong')
  const { restored, dataDir } = await restoreInto(database, path, clean, { passphrase })
  expect(restored.manifest).toMatchObject({ format: 1 })
  expect(restored.manifest.migrations).toHaveLength(42)
  const known = `select name from hoplet.migrations order by name`
  expect(await database.sql(known)).toEqual(migrations.map(({ name }) => ({ name })))
  expect(await readdir(dataDir)).toEqual(['keys.json'])
  const config = createConfig(parseVariables({ PORT: '0', DATA_DIR: dataDir }))
  const restarted = await startHoplet({ ...config, databaseUrl: database.url }, createLog('fatal'))
  clean.push(() => restarted.stop())
  const visit = { redirect: 'manual', headers: { 'user-agent': browser } } as const
  const response = await fetch(`${restarted.url}/former`, visit)
  expect(response.headers.get('location')).toBe('https://example.com/former')
  const clicks = `select click_count from app.shortened_urls where short_code = 'former'`
  await vi.waitFor(
    async () => expect(await database.sql(clicks)).toEqual([{ click_count: '4' }]),
    wait,
  )
})

it('a restore is unchanged when the database goes away during a restore', async () => {
  const before = await everyRowOf(target)
  const holder = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hoplet restore' and datname = current_database() and xact_start is not null and state <> 'idle'`
  const restoring = restoreInto(target, good, clean, { replaces: true })
  restoring.catch(() => {})
  await vi.waitFor(async () => expect(await target.sql(holder)).not.toHaveLength(0), {
    ...wait,
    interval: 1,
  })
  await expect(restoring).rejects.toThrow()
  expect(await everyRowOf(target)).toEqual(before)
})

it('a restore says that the disk is full, and leaves nothing', async ({ skip }) => {
  // /dev/full has no directory to write beside; a file system of one page has.
  const small = join(folder, 'small')
  execFileSync('mkdir', [small])
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', small], { stdio: 'ignore' })
  } catch {
    skip('only root may mount')
  }
  try {
    const path = join(small, 'backup.tar.gz')
    await expect(writeBackup(sourceOf(server), path, undefined)).rejects.toThrow(/is full/)
    expect(await readdir(small)).toEqual([])
    // Nor a connection with its snapshot.
    await vi.waitFor(async () => {
      const open = `select from pg_stat_activity where application_name = 'hoplet backup' and datname = current_database()`
      expect(await server.sql(open)).toEqual([])
    }, wait)
  } finally {
    execFileSync('umount', [small])
  }
})
