/** @module-tag extended */
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { backUp } from '#server/commands/backup.ts'
import { restore, verifyBackup as verify } from '#server/commands/restore.ts'
import { createConfig } from '#server/config.ts'
import { openDataDir } from '#server/data-dir.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { createTestDatabase } from '#test/database.ts'
import { makeLink, makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { scratchFolder } from './backed-up.ts'

const wait = { timeout: Number(process.env.WAIT ?? 5_000) }
const log = createLog('silent')
const clean: (() => Promise<unknown>)[] = []
let server: TestServer
let folder: string
beforeAll(async () => {
  server = await startTestServer()
  clean.push(() => server.close())
  folder = await scratchFolder(clean)
  const ann = await makeUser(server)
  await makeLink(server, ann)
})
afterAll(async () => {
  for (const step of clean.splice(0).toReversed()) await step()
})

const configOf = (env: Record<string, string>) => createConfig(parseVariables(env))
const own = () => ({ DATABASE_URL: server.databaseUrl, DATA_DIR: server.context.config.dataDir })

const BACKUP_PASSPHRASE = 'a passphrase for tests'

it('a backup backs up by command, and verifies in a separate database', async () => {
  const path = join(folder, 'one.tar.gz.age')
  const said = await backUp([path], configOf({ ...own(), BACKUP_PASSPHRASE }), log)
  expect(said).toMatch(/1 accounts, 1 links, .* rows in \d+ tables, 0 images.*; encrypted/)
  expect(said).toContain('Of the click journals, only that in')
  const DATA_DIR = await scratchFolder(clean)
  await expect(verify([path], configOf({ DATA_DIR }), log)).rejects.toThrow('set BACKUP_PASSPHRASE')
  expect(await verify([path], configOf({ DATA_DIR, BACKUP_PASSPHRASE }), log)).toMatch(
    /is whole and can be restored: 1 accounts, 1 links/,
  )
  expect(await readdir(DATA_DIR)).toEqual([])
}, 60_000)

it('a backup restores on an empty machine; replaces existing rows only when the name is typed, and under no server', async () => {
  const path = join(folder, 'two.tar.gz.age')
  await backUp([path], configOf({ ...own(), BACKUP_PASSPHRASE }), log)
  const database = await createTestDatabase({ empty: true })
  clean.push(() => database.drop())
  const empty = join(await scratchFolder(clean), 'empty')
  const config = configOf({ DATABASE_URL: database.url, DATA_DIR: empty, BACKUP_PASSPHRASE })
  const name = new URL(database.url).pathname.slice(1)
  expect(await restore([path], config, log)).toMatch(
    /The database test_\w+ is as it was at .*1 accounts, 1 links.*every table was compared/,
  )
  expect(await readFile(join(empty, 'keys.json'))).toEqual(
    await readFile(join(server.context.config.dataDir, 'keys.json')),
  )
  await expect(restore([path], config, log)).rejects.toThrow(`--replace=${name}`)
  await expect(restore([path, '--replace=other'], config, log)).rejects.toThrow(
    `name it: --replace=${name}`,
  )
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKey = JSON.stringify(privateKey.export({ format: 'jwk' }))
  const withKey = { ...config, signingKey }
  const replaced = await restore([path, `--replace=${name}`], withKey, log)
  expect(replaced).toContain('JWT_SIGNING_KEY is not the key of the backup')
  expect(await readdir(empty)).toEqual(['keys.json'])

  const claimed = await openDataDir(empty, log)
  await expect(restore([path, `--replace=${name}`], config, log)).rejects.toThrow(
    'is running on the data directory',
  )
  await claimed.release()
})

it('a backup names wrong arguments, and parts that are not in a backup', async () => {
  const config = configOf(own())
  await expect(backUp([], config, log)).rejects.toThrow('Usage: npm run backup')
  await expect(restore(['a', 'b'], config, log)).rejects.toThrow('Usage: npm run restore')
  await expect(verify(['--x'], config, log)).rejects.toThrow('Usage: npm run verify')
  await expect(verify([join(folder, 'missing')], config, log)).rejects.toThrow('There is no backup')
  await expect(backUp(['s3://bucket/key'], config, log)).rejects.toThrow('needs S3_ENDPOINT')
  await expect(backUp(['s3:///key'], config, log)).rejects.toThrow('must be s3://bucket/key')
  const elsewhere = await backUp(
    [`${folder}/`],
    configOf({ ...own(), DATA_DIR: join(folder, 'none') }),
    log,
  )
  expect(elsewhere).toContain('the keys are not part of it')
  const [name = ''] = (await readdir(folder)).filter((each) =>
    /^hoplet-\d{8}T\d{6}Z\.tar\.gz$/.test(each),
  )
  expect(elsewhere).toContain(name)
})

it.runIf(existsSync('dist/server/command.js'))(
  'a killed backup leaves no file under its name',
  async () => {
    const path = join(folder, 'killed.tar.gz')
    // Something that takes a while: incompressible rows.
    await server.sql(`insert into app.mail_outbox (key, template, recipient, next_attempt_at, data)
    select 'filler:' || n, 'test', 'x@example.com', now() + interval '1 day',
      jsonb_build_object('x', (select string_agg(md5(random()::text || n || i), '') from generate_series(1, 200) i))
    from generate_series(1, 2000) n`)
    await writeFile(path, 'the backup of yesterday')
    const child = spawn(process.execPath, ['dist/server/command.js', 'backup', path], {
      env: { PATH: process.env.PATH, ...own() },
      stdio: 'ignore',
    })
    const partial = async () =>
      (await readdir(folder)).filter(
        (name) => name.startsWith('killed') && name.endsWith('.partial'),
      )
    await vi.waitFor(async () => expect(await partial()).toHaveLength(1), wait)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await readFile(path, 'utf8')).toBe('the backup of yesterday')
    expect(await backUp([path], configOf(own()), log)).toContain('1 accounts')
  },
)
