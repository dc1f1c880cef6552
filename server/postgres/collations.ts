import type { Logger } from '../log.ts'
import { createPlainClient } from './client.ts'

/** A collation of the database that the library of this machine sorts by other rules. */
export interface ChangedCollation {
  /** Whether it is the database's default; otherwise columns and indexes name it. */
  isDefault: boolean
  name: string
  made: string
  now: string
}

/** PostgreSQL stores the library's version with the default collation of a database, and with each other one. */
export const changedCollations = `
  select true as "isDefault", datname as name, datcollversion as made, pg_database_collation_actual_version(oid) as now
    from pg_database
    where datname = current_database() and datcollversion <> pg_database_collation_actual_version(oid)
  union all
  select false, oid::regcollation::text, collversion, pg_collation_actual_version(oid) from pg_collation c
    where collversion <> pg_collation_actual_version(oid)
      and exists (select from pg_depend d where d.refclassid = 'pg_collation'::regclass and d.refobjid = c.oid)`

/** One sentence, with the remedy. */
export function collationAdvice({ isDefault, name, made, now }: ChangedCollation): string {
  const statement = isDefault
    ? `alter database ${name} refresh collation version`
    : `alter collation ${name} refresh version`
  const what = isDefault ? 'the default collation' : `the collation ${name}`
  return (
    `${what} of the database was version ${made} and is ${now} on this machine: indexes of texts may be in the wrong order, ` +
    `so that look-ups miss rows and unique names come twice. Run "reindex database", then "${statement}" (docs/database.md#collations)`
  )
}

/** A new operating system may have brought another libc or ICU. */
export async function warnOfCollations(databaseUrl: string, log: Logger): Promise<void> {
  const client = createPlainClient(databaseUrl, 'start')
  await client.connect()
  try {
    const { rows } = await client.query<ChangedCollation>(changedCollations)
    for (const each of rows) log.warn(collationAdvice(each))
  } finally {
    await client.end()
  }
}
