import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { type Database, openDatabase } from '../postgres/database.ts'
import type { Listener } from '../postgres/listen.ts'
import { onlyRowAs, queryAs } from '../postgres/rows.ts'

/** Choices of the operator that hold for every server of the database: the row of app.installation. */
export type Installation = Config['installation']

const role = 'hoplet_worker'

export async function readInstallation(
  database: Database,
): Promise<Installation & { publicId: string }> {
  const row = await onlyRowAs<{ has_plans: boolean; links_per_account: number; public_id: string }>(
    database,
    { role, readOnly: true },
    'select * from app.installation_facts()',
  )
  return {
    hasPlans: row.has_plans,
    linksPerAccount: row.links_per_account,
    publicId: row.public_id,
  }
}

/** Stores the choices of a server that starts, for all servers of its database. */
export async function settleInstallation(
  databaseUrl: string,
  { hasPlans, linksPerAccount }: Installation,
  log: Logger,
): Promise<void> {
  const database = openDatabase(databaseUrl, log, { doors: 1, visits: 1 })
  try {
    await queryAs(database, { role }, 'select app.settle_installation($1, $2)', [
      hasPlans,
      linksPerAccount,
    ])
  } finally {
    await database.close()
  }
}

/** How a setting reads in the environment, for messages. */
export const plansSetting = ({ hasPlans }: Installation): string =>
  `PLANS=${hasPlans ? 'on' : 'off'}`

interface FollowDeps {
  config: Pick<Config, 'installation'>
  database: Database
  listener: Pick<Listener, 'on'>
  log: Logger
}

/**
 * Follows the row. A server that is set otherwise says so, once for each change: the last one that started decides. While the database is
 * away, the last known choices hold.
 */
export function followInstallation({ config, database, listener, log }: FollowDeps) {
  let current: Installation & { publicId?: string } = config.installation
  const read = async () => {
    const found = await readInstallation(database)
    const isChanged = found.hasPlans !== current.hasPlans
    current = found
    if (!isChanged || found.hasPlans === config.installation.hasPlans) return
    log.warn(
      { own: plansSetting(config.installation), followed: plansSetting(found) },
      'another server of this database has started with another choice of PLANS, which this one follows: set the same for all servers',
    )
  }
  const readQuietly = () =>
    read().catch((error: unknown) => log.debug({ err: error }, 'the installation was not read'))
  listener.on(
    'hoplet_names',
    (payload) => {
      if (payload === '*') void readQuietly()
    },
    () => void readQuietly(),
  )
  return {
    /** Whether accounts have plans. */
    hasPlans: () => current.hasPlans,
    /** A random id of the database, which is public; undefined until it was read. */
    publicId: () => current.publicId,
  }
}
