import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

export interface TestDatabase {
  /** The server's connection string, without superuser rights. */
  url: string
  /** Runs as the superuser and bypasses row security: for setup and assertions only. */
  sql<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    text: string,
    values?: unknown[],
  ): Promise<Row[]>
  /** The superuser's connection string, for tests that hold transactions open. */
  superuserUrl: string
  drop(): Promise<void>
}

/** Creates a database from the migrated template, or an empty one. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const template = new URL(inject('templateUrl'))
  const superuser = new URL(inject('superuserUrl'))
  await once(
    withDatabase(superuser, 'postgres'),
    `create database ${name} owner hoplet_login template ${empty ? 'template0' : 'hoplet'} strategy file_copy`,
  )
  const pool = new pg.Pool({ connectionString: withDatabase(superuser, name), max: 2 })
  pool.on('error', () => {})
  return {
    url: withDatabase(template, name),
    superuserUrl: withDatabase(superuser, name),
    sql: async (text, values) => (await pool.query(text, values)).rows,
    async drop() {
      await pool.end()
      await once(
        withDatabase(superuser, 'postgres'),
        `drop database if exists ${name} with (force)`,
      )
    },
  }
}

function withDatabase(url: URL, name: string): string {
  const copy = new URL(url)
  copy.pathname = `/${name}`
  return copy.href
}

async function once(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // PostgreSQL refuses a second copy of a template while one is in progress (SQLSTATE 55006).
    for (let attempt = 0; ; attempt++) {
      try {
        await client.query(sql)
        return
      } catch (error) {
        if (!(error instanceof pg.DatabaseError) || error.code !== '55006' || attempt === 50)
          throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  } finally {
    await client.end()
  }
}
