import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { createLog } from '#server/log.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { migrate } from '#server/postgres/migrate.ts'
import {
  type ApiFunction,
  type ForeignKey,
  readCatalog,
  type Relation,
} from '#server/tables/catalog/catalog.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server's connection string: CREATEROLE, no superuser. Its database is the migrated template. */
    templateUrl: string
    /** The superuser's connection string, for setup and assertions. */
    superuserUrl: string
    /** The grants of the schema `api`, for tests that are made of them (see catalog.ts). */
    catalog: { relations: Relation[]; functions: ApiFunction[]; foreignKeys: ForeignKey[] }
    /** Data directories of servers; the run removes it at its end. */
    scratch: string
    /** The path of Chromium; only browser tests have it (e2e/global-setup.mjs). */
    chromium: string
  }
}

export const templateDatabase = 'hoplet'

/** Durability is off, because this cluster never outlives the run. Crash tests start separate clusters. */
const fastSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  // Four workers, each with one or two servers and many clients.
  max_connections: '300',
}

/** In memory where there is room: the run writes 12 GB of copies of the template, a few at a time. */
async function roomyFolder(): Promise<string> {
  const memory = '/dev/shm'
  const room = await statfs(memory).catch(() => undefined)
  return room && room.bavail * room.bsize > 8e9 ? memory : tmpdir()
}

/** Starts one PostgreSQL for the whole run, with a migrated template database that every test server copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await roomyFolder()
  const dataDir = await mkdtemp(join(folder, 'hoplet-test-'))
  const scratch = await mkdtemp(join(folder, 'hoplet-scratch-'))
  const log = createLog('fatal')
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings: fastSettings })
  await migrate(postgres.url, log)
  const superuser = new pg.Client({ connectionString: postgres.superuserUrl })
  await superuser.connect()
  await superuser.query('alter role hoplet_login createdb')
  await superuser.end()
  const database = openDatabase(postgres.url, log)
  const { relations, functions, foreignKeys } = await readCatalog(database, 'api')
  await database.close()
  project.provide('catalog', {
    relations: [...relations.values()],
    functions: [...functions.values()],
    foreignKeys: [...foreignKeys],
  })
  project.provide('scratch', scratch)
  project.provide('templateUrl', postgres.url)
  project.provide('superuserUrl', postgres.superuserUrl)
  return async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
    await rm(scratch, { recursive: true, force: true })
  }
}
