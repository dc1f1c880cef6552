import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { createLog } from '#server/log.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { migrate } from '#server/postgres/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The credential that the server gets: CREATEROLE, no superuser; its database is the migrated template. */
    templateUrl: string
    /** The cluster's superuser, for arranging and asserting. */
    superuserUrl: string
  }
}

export const templateDatabase = 'hoplet'

/** Nothing in this cluster outlives the run: what must survive a crash is tested on clusters of its own. */
const hasty = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  // Three workers, each with a server or two and a crowd of clients.
  max_connections: '300',
}

/** One real PostgreSQL for the whole run, with a migrated database that every test server copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-test-'))
  const log = createLog('fatal')
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings: hasty })
  await migrate(postgres.url, log)
  const superuser = new pg.Client({ connectionString: postgres.superuserUrl })
  await superuser.connect()
  await superuser.query('alter role hoplet_login createdb')
  await superuser.end()
  project.provide('templateUrl', postgres.url)
  project.provide('superuserUrl', postgres.superuserUrl)
  return async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
