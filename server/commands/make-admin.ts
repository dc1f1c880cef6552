import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Config } from '../config.ts'
import { dataDirOwner, openDataDir } from '../data-dir.ts'
import type { Logger } from '../log.ts'
import { type Database, DatabaseUnavailableError, openDatabase } from '../postgres/database.ts'
import { clusterFolder } from '../postgres/embedded-cluster.ts'
import { runningEmbeddedUrl, startEmbeddedPostgres } from '../postgres/embedded.ts'

const usage =
  'Usage: npm run admin -- EMAIL   (makes the account with this e-mail address an admin)'

/**
 * Gives an existing account the role admin.
 *
 * @param args the e-mail address and nothing else
 * @returns what to tell the operator
 * @throws {Error} whose message says what the operator has to do differently
 */
export async function makeAdmin(args: string[], config: Config, log: Logger): Promise<string> {
  const [email, ...more] = args
  if (!email || more.length > 0 || email.startsWith('-')) throw new Error(usage)
  const before = await withDatabase(config, log, (database) => grantAdmin(database, email))
  return before === 'admin'
    ? `${email} is an admin already.`
    : `${email} is an admin now. The next page that they load shows it.`
}

/** @returns the role that the account had */
async function grantAdmin(database: Database, email: string): Promise<string | undefined> {
  return database.transactionAs({ role: 'hoplet_worker' }, async (db) => {
    const { rows } = await db.query<{ id: string; role: string | null }>(
      `select p.id, r.role from app.profiles p left join app.user_roles r on r.user_id = p.id where p.email = $1`,
      [email.trim().toLowerCase()],
    )
    const account = rows[0]
    if (!account) {
      throw new Error(`No account has the e-mail address ${email}. Sign up with it first.`)
    }
    if (account.role !== 'admin') {
      await db.query(
        `insert into app.user_roles (user_id, role) values ($1, 'admin')
          on conflict (user_id) do update set role = excluded.role`,
        [account.id],
      )
    }
    return account.role ?? undefined
  })
}

async function withDatabase<T>(
  config: Config,
  log: Logger,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { url, close } = await locate(config, log)
  const database = openDatabase(url, log, { doors: 1, visits: 1 })
  try {
    return await work(database)
  } finally {
    await database.close()
    await close()
  }
}

/** The database of DATABASE_URL, of the server that is running, or one started for this command alone. */
async function locate(
  config: Config,
  log: Logger,
): Promise<{ url: string; close: () => Promise<void> }> {
  if (config.databaseUrl) return { url: config.databaseUrl, close: async () => {} }
  if (!existsSync(clusterFolder(config.dataDir))) {
    throw new Error(
      `There are no accounts in ${config.dataDir} yet. Start Hoplet with npm start and sign up first.`,
    )
  }
  if ((await dataDirOwner(config.dataDir)) !== undefined) {
    return { url: await urlOfRunning(config.dataDir), close: async () => {} }
  }
  const dataDir = await openDataDir(config.dataDir, log)
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: dataDir.path, log })
    return {
      url: postgres.url,
      close: async () => {
        await postgres.stop()
        await dataDir.release()
      },
    }
  } catch (error) {
    await dataDir.release()
    throw error
  }
}

/** A server that has only just started may need a moment until its database answers. */
async function urlOfRunning(dataDir: string): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const url = await runningEmbeddedUrl(dataDir)
    if (url !== undefined) return url
    await sleep(200)
  }
  throw new Error('The server is running, but its database is not. Try again in a moment.')
}

/** The one line that tells the operator what went wrong. */
export function explain(error: unknown): string {
  // undefined_table, invalid_schema_name, undefined_object: the server has never run on this database.
  if (error instanceof pg.DatabaseError && /^(42P01|3F000|42704|22023)$/.test(error.code ?? '')) {
    return 'This database has no accounts yet. Start Hoplet with npm start and sign up first.'
  }
  if (error instanceof DatabaseUnavailableError) {
    return `The database cannot be reached: ${error.cause instanceof Error ? error.cause.message : error.message}`
  }
  return error instanceof Error ? error.message : String(error)
}
