import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, expect, inject, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { migrate, migrations } from '#server/postgres/migrate.ts'
import { roles } from '#server/postgres/roles.ts'

// The rights of a login in docs/database.md, and no more. (All other tests run as one with CREATEROLE.)

const log = createLog('fatal')
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** An empty database of a login that is neither a superuser nor has CREATEROLE. */
async function plainLogin(): Promise<{ url: string; sql: (text: string) => Promise<unknown> }> {
  const name = `plain_${randomBytes(6).toString('hex')}`
  const superuserUrl = inject('superuserUrl')
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  cleanups.push(
    () => client.end(),
    () => client.query(`drop owned by ${name}`).then(() => client.query(`drop role ${name}`)),
    () => client.query(`drop database ${name} with (force)`),
  )
  await client.query(`create role ${name} login password 'plain' nosuperuser nocreaterole`)
  await client.query(`create database ${name} owner ${name} template template0`)
  const url = new URL(superuserUrl)
  Object.assign(url, { username: name, password: 'plain', pathname: `/${name}` })
  return {
    url: url.href,
    sql: (text) => client.query(text.replaceAll('$login', name)),
  }
}

it('a login without CREATEROLE sets up everything when an administrator has granted it the roles', async () => {
  const { url, sql } = await plainLogin()
  await sql(`grant ${roles.join(', ')} to $login with set true, inherit false`)
  expect(await migrate(url, log)).toHaveLength(migrations.length)
})

it('the start says which grants are missing without them', async () => {
  const { url } = await plainLogin()
  await expect(migrate(url, log)).rejects.toThrow(/let an administrator run: grant hoplet_owner, /)
})

it('the start says that the database has another encoding, or takes no changes', async () => {
  const { url, sql } = await plainLogin()
  const latin = `latin_${randomBytes(6).toString('hex')}`
  await sql(
    `create database ${latin} template template0 encoding 'LATIN1' locale 'C' locale_provider libc`,
  )
  cleanups.push(() => sql(`drop database ${latin}`))
  await expect(migrate(Object.assign(new URL(url), { pathname: latin }).href, log)).rejects.toThrow(
    `The database ${latin} has the encoding LATIN1. Create one with the encoding UTF8`,
  )
  await sql('alter role $login set default_transaction_read_only = on')
  await expect(migrate(url, log)).rejects.toThrow('DATABASE_URL has to lead to the primary')
})
