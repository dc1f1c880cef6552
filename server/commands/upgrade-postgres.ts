import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { upgradeCluster } from '../backup/postgres-upgrade.ts'
import type { Config } from '../config.ts'
import { openDataDir } from '../data-dir.ts'
import type { Logger } from '../log.ts'
import { findBinaries, majorVersion } from '../postgres/embedded-binaries.ts'
import { choosePostgresUser } from '../postgres/system-user.ts'

const usage = 'Usage: npm run upgrade-postgres -- --binaries=FOLDER | --remove-old'

/**
 * Upgrades the included PostgreSQL to the version that this Hoplet brings. No server may run on DATA_DIR.
 *
 * @returns a message for the operator
 * @throws {Error} with a message for the operator; the old data is intact then
 */
export async function upgradePostgres(
  args: string[],
  config: Config,
  log: Logger,
): Promise<string> {
  const removesOld = args.includes('--remove-old')
  const binariesFolder = args.find((each) => each.startsWith('--binaries='))?.slice(11)
  if (args.length > 1 || (args.length === 1 && !removesOld && !binariesFolder))
    throw new Error(usage)
  if (config.databaseUrl)
    throw new Error('DATABASE_URL is set: that PostgreSQL is upgraded with its own tools.')
  const dataDir = await openDataDir(config.dataDir, log)
  try {
    if (removesOld) return await removeOld(dataDir.path)
    const binaries = await findBinaries()
    const places = { programs: [binaries.postgres], dataDir: dataDir.path }
    const user = await choosePostgresUser(places, undefined, log)
    const version = await majorVersion(binaries, user)
    const report = await upgradeCluster({ dataDir: dataDir.path, version, binariesFolder, log })
    if (report === 'current') return `PostgreSQL is ${version} already.`
    if (report === 'completed')
      return `The interrupted upgrade to PostgreSQL ${version} is complete. Start Hoplet.`
    const { from, rows, tables, kept } = report
    return (
      `PostgreSQL ${from} is now ${version}: ${rows.toLocaleString('en-US')} rows in ${tables} tables, each compared. ` +
      `Start Hoplet. The old data is in ${kept}; remove it with npm run upgrade-postgres -- --remove-old`
    )
  } finally {
    await dataDir.release()
  }
}

async function removeOld(dataDir: string): Promise<string> {
  const old = (await readdir(dataDir)).filter((name) => /^postgres-\d+$/.test(name))
  for (const name of old) await rm(join(dataDir, name), { recursive: true })
  return old.length === 0 ? 'There is no old data.' : `Removed ${old.join(', ')}.`
}
