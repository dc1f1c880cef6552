/** @module-tag extended */
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { upgradeCluster } from '#server/backup/postgres-upgrade.ts'
import { upgradePostgres } from '#server/commands/upgrade-postgres.ts'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'

// An upgrade from PostgreSQL 17, killed at many moments, is `npm run bench -- upgrade-postgres`: it needs npm.

const log = createLog('silent')
let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hoplet-upgrade-'))
  await (await startEmbeddedPostgres({ dataDir, log })).stop()
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const upgrade = (more = {}) =>
  upgradeCluster({ dataDir, version: 18, binariesFolder: undefined, log, ...more })

it('completes an upgrade that was interrupted between its renames; until then no start makes a new cluster', async () => {
  await mkdir(join(dataDir, 'postgres-upgrade'), { mode: 0o711 })
  await rename(join(dataDir, 'postgres'), join(dataDir, 'postgres-upgrade/postgres'))
  await expect(upgrade()).rejects.toThrow('nothing to upgrade')
  await writeFile(join(dataDir, 'postgres-upgrade/complete'), '')
  await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(
    /interrupted.*npm run upgrade-postgres/,
  )
  expect(await upgrade()).toBe('completed')
  expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres-'))).toEqual([])
  await (await startEmbeddedPostgres({ dataDir, log })).stop()
})

it('leaves a cluster alone that is current, newer, or whose old one is still kept', async () => {
  await cp(join(dataDir, 'postgres'), join(dataDir, 'postgres-upgrade/postgres'), {
    recursive: true,
  })
  expect(await upgrade()).toBe('current')
  await expect(upgrade({ version: 17 })).rejects.toThrow('start the newer Hoplet')
  await mkdir(join(dataDir, 'postgres-18'))
  await expect(upgrade({ version: 19 })).rejects.toThrow('move it away first')
  const config = createConfig(parseVariables({ DATA_DIR: dataDir }))
  expect(await upgradePostgres(['--remove-old'], config, log)).toBe('Removed postgres-18.')
  expect(await upgradePostgres([], config, log)).toBe('PostgreSQL is 18 already.')
  await expect(upgrade({ version: 19, binariesFolder: dataDir })).rejects.toThrow(
    'has no native/bin/postgres',
  )
  await (await startEmbeddedPostgres({ dataDir, log })).stop()
})
