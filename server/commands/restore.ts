import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { imagesOf } from '../backup/sources.ts'
import { nameOfDatabase } from '../backup/load.ts'
import { restoreBackup } from '../backup/restore.ts'
import type { Config } from '../config.ts'
import { openDataDir } from '../data-dir.ts'
import type { Logger } from '../log.ts'
import { startEmbeddedPostgres } from '../postgres/embedded.ts'
import { keyIdOf } from '../tokens/keys.ts'
import { placeOf, describeBackup } from './backup.ts'
import { oneArgument } from './one-argument.ts'
import { ifDefined } from '../primitives/if-defined.ts'

const restoreUsage = 'Usage: npm run restore -- FILE|s3://bucket/key [--replace=DATABASE]'
const verifyUsage = 'Usage: npm run verify -- FILE|s3://bucket/key'

/**
 * Restores a backup into DATA_DIR and its database. No server may run on them.
 *
 * @param args the file, and `--replace=` with the name of the database when it has accounts that may go
 * @returns a message for the operator
 * @throws {Error} with a message for the operator
 */
export async function restore(args: string[], config: Config, log: Logger): Promise<string> {
  const replace = args.find((each) => each.startsWith('--replace'))
  const target = oneArgument(
    args.filter((each) => each !== replace),
    restoreUsage,
  )
  const { folder, name } = await placeOf(target, config)
  const startedAt = performance.now()
  return folder.open(name, async (path) => {
    const dataDir = await openDataDir(config.dataDir, log)
    const { url, stop } = await databaseOf(config, dataDir.path, log)
    try {
      const database = await nameOfDatabase(url)
      if (replace !== undefined && replace !== `--replace=${database}`)
        throw new Error(`To replace the database that is there, name it: --replace=${database}`)
      const report = await restoreBackup({
        path,
        passphrase: config.backup.passphrase,
        databaseUrl: url,
        dataDir: dataDir.path,
        putImage: (hash, bytes) => imagesOf(config, true)?.put(hash, bytes) ?? Promise.resolve(),
        replaces: replace !== undefined,
        log,
      })
      const { manifest, migrated } = report
      const seconds = (performance.now() - startedAt) / 1_000
      const notes = [
        `The database ${database} is as it was at ${manifest.takenAt}: ${describeBackup(report)}; every table was compared. ${seconds.toFixed(1)} s.`,
        ...(migrated.length > 0 ? [`It was brought to this version: ${migrated.join(', ')}.`] : []),
        ...(await notesOnKeys(report.manifest.signingKey, config)),
      ]
      return notes.join('\n')
    } finally {
      await stop()
      await dataDir.release()
    }
  })
}

/**
 * Restores a backup into a separate database, compares every table, and removes that database.
 *
 * @param args the file and nothing else
 * @returns a message for the operator
 */
export async function verifyBackup(args: string[], config: Config, log: Logger): Promise<string> {
  const target = oneArgument(args, verifyUsage)
  const { folder, name } = await placeOf(target, config)
  return folder.open(name, async (path) => {
    const parent = existsSync(config.dataDir) ? config.dataDir : tmpdir()
    const scratch = await mkdtemp(join(parent, 'verify-'))
    const dataDir = await openDataDir(scratch, log)
    try {
      const postgres = await startEmbeddedPostgres({ dataDir: scratch, log })
      try {
        const report = await restoreBackup({
          path,
          passphrase: config.backup.passphrase,
          databaseUrl: postgres.url,
          dataDir: scratch,
          putImage: async () => {},
          replaces: false,
          log,
        })
        return `${target} is whole and can be restored: ${describeBackup(report)}, as of ${report.manifest.takenAt}, made by Hoplet ${report.manifest.hoplet}.`
      } finally {
        await postgres.stop()
      }
    } finally {
      await dataDir.release()
      await rm(scratch, { recursive: true, force: true })
    }
  })
}

async function databaseOf(config: Config, dataDir: string, log: Logger) {
  if (config.databaseUrl) return { url: config.databaseUrl, stop: async () => {} }
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  return { url: postgres.url, stop: () => postgres.stop() }
}

async function notesOnKeys(
  signingKey: { kid: string; isIncluded: boolean } | undefined,
  { signingKey: own }: Config,
): Promise<string[]> {
  const lost =
    'everyone has to sign in again, and authenticator apps have to be set up again, unless it is put back'
  if (!signingKey) return [`The backup has no keys: ${lost}.`]
  const kid = await ifDefined(own, keyIdOf)
  if (kid !== undefined && kid !== signingKey.kid)
    return [`JWT_SIGNING_KEY is not the key of the backup (${signingKey.kid}): ${lost}.`]
  if (kid === undefined && !signingKey.isIncluded)
    return [
      `The backup was made with JWT_SIGNING_KEY (${signingKey.kid}), which is not set: ${lost}.`,
    ]
  return []
}
