import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Logger } from '../log.ts'
import {
  type Binaries,
  binariesIn,
  binariesPackage,
  majorVersion,
} from '../postgres/embedded-binaries.ts'
import {
  clusterFolder,
  clusterOwner,
  clusterVersionOf,
  isUpgradePrepared,
  readClusterState,
  upgradeFolder,
  writeClusterState,
} from '../postgres/embedded-cluster.ts'
import { clearFormer } from '../postgres/embedded-postmaster.ts'
import { startEmbeddedPostgres } from '../postgres/embedded.ts'
import { choosePostgresUser } from '../postgres/system-user.ts'
import { writeWhole } from '../primitives/write-whole.ts'
import { openBackup, writeBackup } from './backup-file.ts'
import { BackupError } from './backup-error.ts'
import { loadTables } from './load.ts'

interface UpgradeOptions {
  /** Claimed by the caller. */
  dataDir: string
  /** The major version of the PostgreSQL that this Hoplet brings. */
  version: number
  /** A folder with the npm package of the old PostgreSQL, which an update of Hoplet has removed. */
  binariesFolder: string | undefined
  log: Logger
}

/** Result: nothing done, or rows moved from one version to another; the old cluster is kept in `kept`. */
export interface UpgradeReport {
  from: number
  rows: number
  tables: number
  kept: string
}

/**
 * Moves the rows of the embedded PostgreSQL to the version that this Hoplet brings: a backup of the old cluster, restored into a new
 * one beside it, every table compared, then two renames. Whenever it is interrupted, the old cluster or the new one is whole, and
 * calling it again completes it.
 *
 * @returns undefined when the cluster has that version, and whether an interrupted upgrade was completed
 */
export async function upgradeCluster(
  options: UpgradeOptions,
): Promise<UpgradeReport | 'completed' | 'current'> {
  const { dataDir, version, log } = options
  const folder = clusterFolder(dataDir)
  const work = upgradeFolder(dataDir)
  const from = await clusterVersionOf(folder)
  if (from === undefined) {
    if (!isUpgradePrepared(dataDir))
      throw new BackupError(`There is no PostgreSQL in ${dataDir}: nothing to upgrade.`)
    // Interrupted between the two renames.
    await rename(clusterFolder(work), folder)
    await rm(work, { recursive: true, force: true })
    return 'completed'
  }
  if (from === version) {
    await rm(work, { recursive: true, force: true })
    return 'current'
  }
  if (from > version)
    throw new BackupError(
      `The data in ${folder} is of PostgreSQL ${from}, which is newer than ${version}: start the newer Hoplet.`,
    )
  const kept = `${folder}-${from}`
  if (existsSync(kept))
    throw new BackupError(`${kept} is there already, from an earlier upgrade: move it away first.`)

  const binaries = await oldBinaries(options, from)

  // A server of the old version may have written since an earlier attempt, so that is not taken up again.
  await clearFormer(clusterFolder(work), log)
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { mode: 0o711 })
  const counts = await copyRows(options, work, binaries)
  await writeWhole(join(work, 'complete'), '')
  await rename(folder, kept)
  await rename(clusterFolder(work), folder)
  await rm(work, { recursive: true, force: true })
  log.info({ from, to: version }, 'PostgreSQL upgraded')
  return { from, kept, ...counts }
}

async function oldBinaries(
  { dataDir, binariesFolder, log }: UpgradeOptions,
  from: number,
): Promise<Binaries> {
  const refuse = (what: string, cause?: unknown) =>
    new BackupError(
      `${what}: add --binaries=FOLDER with the folder of the npm package ${binariesPackage} of PostgreSQL ${from} (docs/backup.md).`,
      { cause },
    )
  if (binariesFolder === undefined)
    throw refuse(`The data is of PostgreSQL ${from}, which this Hoplet does not bring`)
  const binaries = binariesIn(resolve(binariesFolder))
  if (!existsSync(binaries.postgres)) throw refuse(`${binariesFolder} has no native/bin/postgres`)
  const places = { programs: [binaries.postgres], dataDir }
  const found = await clusterOwner(dataDir)
    .then((owner) => choosePostgresUser(places, owner, log))
    .then((user) => majorVersion(binaries, user))
    .catch((cause: unknown) => {
      throw refuse(`The PostgreSQL in ${binariesFolder} cannot be run here`, cause)
    })
  if (found !== from) throw refuse(`${binariesFolder} has PostgreSQL ${found}`)
  return binaries
}

async function copyRows(options: UpgradeOptions, work: string, binaries: Binaries) {
  const { dataDir, log } = options
  const path = join(work, 'rows.tar.gz')
  const old = await startEmbeddedPostgres({ dataDir, log, binaries })
  const source = {
    databaseUrl: old.url,
    dataDir: undefined,
    readImage: undefined,
    hasOwnSigningKey: false,
  }
  const { manifest, contents } = await thenStop(old, () => writeBackup(source, path, undefined))
  // The passwords stay, so that postgres.json is right before and after the renames.
  const state = await readClusterState(dataDir)
  if (state) await writeClusterState(work, state)
  const next = await startEmbeddedPostgres({ dataDir: work, log })
  const entries = openBackup(path, undefined)
  const target = { databaseUrl: next.url, manifest, contents, entries, replaces: false, log }
  await thenStop(next, () => loadTables(target))
  const rows = contents.tables.reduce((sum, table) => sum + table.rows, 0)
  return { rows, tables: contents.tables.length }
}

async function thenStop<T>(
  postgres: { stop(): Promise<void> },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } finally {
    await postgres.stop()
  }
}
