import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { migrate, MigrationError, migrations } from '#server/postgres/migrate.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

const log = createLog('fatal')
const databases: TestDatabase[] = []

afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop()
})

async function aDatabase(options?: { empty: boolean }): Promise<TestDatabase> {
  const database = await createTestDatabase(options)
  databases.push(database)
  return database
}

describe('migrate', () => {
  it('does nothing on a schema that is up to date', async () => {
    expect(await migrate((await aDatabase()).url, log)).toEqual([])
  })

  it('runs each migration once when servers start together', async () => {
    const { url, sql } = await aDatabase({ empty: true })
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(url, log)))
    expect(applied.flat().sort()).toEqual(migrations.map((migration) => migration.name))
    expect(await sql('select name from hoplet.migrations order by name')).toHaveLength(
      migrations.length,
    )
  })

  it('leaves nothing of a migration that fails, and goes on from there when it is mended', async () => {
    const { url, sql } = await aDatabase()
    const broken = [
      ...migrations,
      { name: '9000_broken.sql', sql: 'create table app.half (); select 1 / 0' },
    ]
    await expect(migrate(url, log, broken)).rejects.toThrow('division by zero')
    expect(await sql(`select to_regclass('app.half') as half`)).toEqual([{ half: null }])
    const mended = [...migrations, { name: '9000_broken.sql', sql: 'create table app.half ()' }]
    expect(await migrate(url, log, mended)).toEqual(['9000_broken.sql'])
  })

  it('leaves nothing of a migration whose connection is cut', async () => {
    const { url, sql, superuserUrl } = await aDatabase()
    const slow = [
      ...migrations,
      { name: '9000_slow.sql', sql: 'create table app.half (); select pg_sleep(20)' },
    ]
    const running = migrate(url, log, slow)
    running.catch(() => {})
    const superuser = new pg.Client({ connectionString: superuserUrl })
    await superuser.connect()
    for (let cut = 0; cut === 0; await sleep(50)) {
      const { rowCount } = await superuser.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(20)' and pid <> pg_backend_pid() and datname = current_database()`,
      )
      cut = rowCount ?? 0
    }
    await superuser.end()
    await expect(running).rejects.toThrow()
    expect(await sql(`select to_regclass('app.half') as half`)).toEqual([{ half: null }])
    expect(await migrate(url, log)).toEqual([])
  })

  it('refuses a schema that is newer than this build', async () => {
    const { url, sql } = await aDatabase()
    await sql(`insert into hoplet.migrations (name, checksum) values ('9999_of_tomorrow.sql', 'x')`)
    await expect(migrate(url, log)).rejects.toThrow(MigrationError)
    await expect(migrate(url, log)).rejects.toThrow('newer version')
  })

  it('refuses a migration that was changed after it was applied', async () => {
    const { url } = await aDatabase()
    const changed = migrations.map((migration, index) =>
      index === 2 ? { ...migration, sql: `${migration.sql}\n-- changed` } : migration,
    )
    await expect(migrate(url, log, changed)).rejects.toThrow('was changed')
  })
})
