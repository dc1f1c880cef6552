/** @module-tag extended */
import { createJobs } from '#server/primitives/jobs.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, expect, it, vi } from 'vitest'
import { openBackupFolder } from '#server/backup/backup-folder.ts'
import { checkBackup } from '#server/backup/backup-file.ts'
import { backupName, expiredBackups } from '#server/backup/retention-of-backups.ts'
import { openS3Bucket } from '#server/backup/s3-bucket.ts'
import { createScheduledBackups } from '#server/backup/scheduled-backups.ts'
import { startBackups } from '#server/backup/schedule.ts'
import { backUp } from '#server/commands/backup.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startTestServer } from '#test/server.ts'
import { scrape, withAdminPort } from '#test/metrics/scrape.ts'
import { s3Settings, startS3 } from '#test/stand-ins/s3.ts'
import { newPicture, upload } from '#test/media/uploads.ts'
import { makeUser } from '#test/factories.ts'
import { scratchFolder } from './backed-up.ts'

const clean: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of clean.splice(0).toReversed()) await step()
})

const wait = { timeout: Number(process.env.WAIT ?? 5_000) }
const cron = '0 0 1 1 *'
const passphrase = 'a passphrase for tests'

async function scheduled(to: string, keep = { count: 2 }, more = {}) {
  const server = await startTestServer({
    ...withAdminPort,
    backup: { schedule: { cron, to, keep }, passphrase },
    ...more,
  })
  clean.push(() => server.close())
  return server
}

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))

it(
  'the schedule makes one backup for each time of the schedule, keeps as many as told, and reports it',
  { tags: ['extended'] },
  async () => {
    const folder = await scratchFolder(clean)
    const server = await scheduled(folder)
    await writeFile(join(folder, 'notes.txt'), 'of the operator')
    await writeFile(join(folder, backupName(new Date('2020-01-01T00:00:00Z'), true)), 'an old one')
    const before = (await scrape(server)).families.get(
      'hoplet_backup_last_success_timestamp_seconds',
    )
    expect(before?.samples.map(({ value }) => value)).toEqual([0])

    const { config, database } = server.context
    const second = startBackups({
      config: { ...config, databaseUrl: server.databaseUrl },
      database,
      log: createLog('silent'),
      jobs: createJobs({ log: createLog('silent') }),
    })
    clean.push(() => second.close())
    await Promise.all([server.context.backups.run(at(0)), second.run(at(0))])
    const [first, ...others] = (await readdir(folder)).filter(
      (name) => name.startsWith('hoplet-2') && !name.includes('2020'),
    )
    expect(others).toEqual([])
    const report = await checkBackup(join(folder, first ?? ''), passphrase)
    expect(report.contents.tables.length).toBeGreaterThan(40)

    // The time is another one, whichever server: the second before has the same name, so it is renamed.
    await writeFile(join(folder, backupName(new Date('2021-01-01T00:00:00Z'), true)), 'a newer one')
    await second.run(at(1))
    await second.run(at(1))
    const left = await readdir(folder)
    expect(left).toContain('notes.txt')
    expect(left.filter((name) => name.includes('2020'))).toEqual([])
    expect(left.filter((name) => name.startsWith('hoplet-'))).toHaveLength(2)
    expect(left.filter((name) => name.endsWith('.partial'))).toEqual([])

    const { families } = await scrape(server)
    const valueOf = (name: string) => families.get(name)?.samples[0]?.value
    expect(valueOf('hoplet_backup_last_success_timestamp_seconds')).toBeGreaterThan(1_700_000_000)
    expect(valueOf('hoplet_backup_bytes')).toBeGreaterThan(1_000)
    expect(valueOf('hoplet_backup_failures_total')).toBe(0)
  },
)

it(
  'the schedule goes on after a clock that was ahead was set right',
  { tags: ['gate'] },
  async () => {
    const server = await startTestServer()
    clean.push(() => server.close())
    const backups = createScheduledBackups(server.context.database, 'a place')
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    expect(await backups.claim(inMinutes(60 * 24 * 365))).toBe(true)
    const now = inMinutes(0)
    expect(await backups.claim(now)).toBe(true)
    // Once for each time, and not for one before it.
    expect(await backups.claim(now)).toBe(false)
    expect(await backups.claim(inMinutes(-10))).toBe(false)
    // A time is taken once by servers with slightly different clocks.
    expect(await backups.claim(inMinutes(1))).toBe(true)
    expect(await backups.claim(now)).toBe(false)
  },
)

it('the schedule counts a failure, and leaves nothing half', async () => {
  const folder = await scratchFolder(clean)
  await writeFile(join(folder, 'file'), '')
  const server = await scheduled(join(folder, 'file', 'below'))
  await server.context.backups.run(at(0))
  const { families } = await scrape(server)
  expect(families.get('hoplet_backup_failures_total')?.samples[0]?.value).toBe(1)
  expect(families.get('hoplet_backup_last_success_timestamp_seconds')?.samples[0]?.value).toBe(0)
  expect(await readdir(folder)).toEqual(['file'])
})

it('the schedule gives up a backup when the server stops', async () => {
  const folder = await scratchFolder(clean)
  const server = await scheduled(folder)
  const holder = new pg.Client({ connectionString: server.superuserUrl })
  holder.on('error', () => {})
  await holder.connect()
  await holder.query('begin; lock table app.popups in access exclusive mode')
  const { backups } = server.context
  const running = backups.run(at(0))
  const waiting = `select from pg_stat_activity
    where application_name = 'hoplet backup' and datname = current_database() and wait_event_type = 'Lock'`
  await vi.waitFor(async () => expect(await server.sql(waiting)).toHaveLength(1), wait)
  expect(await readdir(folder)).toHaveLength(1)
  await backups.close()
  await running
  expect(await readdir(folder)).toEqual([])
  expect(backups.failures()).toBe(0)
  await holder.end()
})

it('the schedule gives up a backup on its way to S3 when the server stops', async () => {
  const s3 = await startS3()
  clean.push(() => s3.close())
  const media = {
    uploadsPerDay: 100,
    uploadBytes: 1_000_000,
    s3: { ...s3Settings, endpoint: s3.endpoint },
  }
  s3.stallWhen(({ url }) => url?.includes('partNumber=1') ?? false)
  const server = await scheduled('s3://backups/of/hoplet', { count: 1 }, { media })
  const { backups, config } = server.context
  const running = backups.run(at(0))
  // The first file of the start, which tries the place, and the backup.
  await vi.waitFor(() => expect(s3.stalled()).toBe(2), wait)
  await backups.close()
  await running
  expect(backups.failures()).toBe(0)
  expect([...s3.uploads.keys()]).toEqual([])
  expect((await readdir(config.dataDir)).filter((each) => each.includes('partial'))).toEqual([])
})

it('the schedule goes to S3 in parts, comes back, and is not there when a part fails', async () => {
  const s3 = await startS3()
  clean.push(() => s3.close())
  const media = {
    uploadsPerDay: 100,
    uploadBytes: 1_000_000,
    s3: { ...s3Settings, endpoint: s3.endpoint },
  }
  const server = await scheduled('s3://backups/of/hoplet', { count: 1 }, { media })
  const ann = await makeUser(server)
  await upload(server, ann, await newPicture())
  await server.context.backups.run(at(0))
  const keys = () =>
    [...s3.objects.keys()].filter((key) => key.startsWith('/backups/of/hoplet/hoplet-'))
  expect(keys()).toHaveLength(1)
  for (const year of [2020, 2021, 2022])
    s3.objects.set(
      `/backups/of/hoplet/${backupName(new Date(`${year}-01-01T00:00:00Z`), true)}`,
      Buffer.from('old'),
    )
  s3.objects.set('/backups/of/hoplet/notes.txt', Buffer.from('of the operator'))
  await server.context.backups.run(at(1))
  expect(keys()).toHaveLength(1)
  expect(s3.objects.has('/backups/of/hoplet/notes.txt')).toBe(true)
  const { config } = server.context
  const folder = openBackupFolder('s3://backups/of/hoplet', config)
  const [name = ''] = await folder
    .list()
    .then((names) => names.filter((each) => each.startsWith('hoplet-')))
  const { contents } = await folder.open(name, (path) => checkBackup(path, passphrase))
  expect(contents.images).toEqual({ included: 0, missing: 0, left: 1 })

  // By command, with the images; larger than one part.
  const log = createLog('silent')
  expect(
    await backUp(
      ['s3://backups/by-hand.tar.gz.age', '--media'],
      { ...config, databaseUrl: server.databaseUrl },
      log,
    ),
  ).toContain('1 images')
  const large = join(await scratchFolder(clean), 'large')
  const bytes = randomBytes(40 * 1024 ** 2)
  await writeFile(large, bytes)
  const bucket = openS3Bucket(media.s3, 'backups')
  await bucket.upload(large, 'a large/+one')
  expect(s3.objects.get('/backups/a large/+one')?.equals(bytes)).toBe(true)
  s3.failWhen(({ url }) => url?.includes('partNumber=2') ?? false)
  await expect(bucket.upload(large, 'broken')).rejects.toThrow('bucket backups answered 500')
  expect(s3.objects.has('/backups/broken')).toBe(false)
  expect([...s3.uploads.keys()]).toEqual([])
  await expect(bucket.download('missing', `${large}.back`)).rejects.toThrow(
    'does not have that backup',
  )
  expect((await readdir(config.dataDir)).filter((each) => each.includes('partial'))).toEqual([])
}, 60_000)

it('a download may take longer than the timeout, but ends when nothing comes for so long', async () => {
  const timeoutMs = 3_000
  const s3 = createServer((request, response) => {
    response.write('part ')
    if (request.url?.endsWith('silent')) return
    for (let n = 1; n <= 4; n++) setTimeout(() => void response.write('part '), n * 1_000)
    setTimeout(() => response.end(), 4_100)
  })
  await new Promise<void>((resolve) => s3.listen(0, '127.0.0.1', resolve))
  clean.push(async () => {
    s3.closeAllConnections()
    s3.close()
  })
  const endpoint = `http://127.0.0.1:${(s3.address() as AddressInfo).port}`
  const bucket = openS3Bucket({ ...s3Settings, endpoint }, 'backups', { timeoutMs })
  const folder = await scratchFolder(clean)
  await bucket.download('slow', join(folder, 'slow'))
  expect(await readFile(join(folder, 'slow'), 'utf8')).toBe('part '.repeat(5))
  await expect(bucket.download('silent', join(folder, 'silent'))).rejects.toThrow(
    'The storage of bucket backups does not answer (TimeoutError).',
  )
})

it('the schedule keeps the newest of each day, week and month', () => {
  const day = 24 * 60 * 60_000
  const end = Date.UTC(2026, 5, 30, 3)
  const times = Array.from({ length: 400 }, (_, i) => new Date(end - (i * day) / 2))
  const names = times.map((time) => backupName(time, false))
  const expired = new Set(
    expiredBackups([...names, 'x.tar.gz', 'hoplet-.tar.gz'], { daily: 3, weekly: 2, monthly: 3 }),
  )
  expect(names.filter((name) => !expired.has(name))).toEqual([
    'hoplet-20260630T030000Z.tar.gz',
    'hoplet-20260629T150000Z.tar.gz',
    'hoplet-20260628T150000Z.tar.gz',
    'hoplet-20260531T150000Z.tar.gz',
    'hoplet-20260430T150000Z.tar.gz',
  ])
  expect(expired.size).toBe(395)
  expect(expiredBackups(names, { count: 400 })).toEqual([])
})

it('the schedule lists contradictions in the configuration', () => {
  const problems = (env: Record<string, string>) => {
    try {
      parseVariables(env)
      return []
    } catch (error) {
      return (error as { problems: string[] }).problems
    }
  }
  expect(problems({ BACKUP_SCHEDULE: '15 3 * * *' })).toEqual([
    'BACKUP_TO: is missing, though BACKUP_SCHEDULE is set',
  ])
  expect(problems({ BACKUP_TO: '/backups' })).toEqual([
    'BACKUP_TO: means something only with BACKUP_SCHEDULE',
  ])
  expect(problems({ BACKUP_KEEP: '3' })).toEqual([
    'BACKUP_KEEP: means something only with BACKUP_SCHEDULE',
  ])
  expect(problems({ BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: 's3://a-bucket/x' })).toEqual([
    'BACKUP_TO: needs S3_ENDPOINT, S3_BUCKET and the keys of the storage',
  ])
  for (const BACKUP_SCHEDULE of ['daily', '61 3 * * *', '* * * * * *'])
    expect(problems({ BACKUP_SCHEDULE, BACKUP_TO: '/backups' })).toHaveLength(1)
  for (const BACKUP_KEEP of ['0', 'daily=0,weekly=0,monthly=0', 'all'])
    expect(problems({ BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: '/b', BACKUP_KEEP })).toHaveLength(
      1,
    )
  expect(
    problems({ BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: '/b', BACKUP_PASSPHRASE: 'short' }),
  ).toHaveLength(1)
  expect(problems({ BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: '/b', BACKUP_KEEP: '3' })).toEqual([])
})
