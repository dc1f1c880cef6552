import type { Logger } from '../log.ts'
import { createPlainClient } from './client.ts'

export const superuserAdvice =
  'the role of DATABASE_URL is a superuser: a fault in Hoplet could reach the whole cluster. Give it CREATEROLE instead (docs/database.md)'

/** Asks for the role of the connection string itself: every transaction switches to one of ours. */
export async function isSuperuser(databaseUrl: string): Promise<boolean> {
  const client = createPlainClient(databaseUrl, 'start')
  await client.connect()
  try {
    const { rows } = await client.query<{ super: boolean }>(
      'select rolsuper as super from pg_roles where rolname = session_user',
    )
    return rows[0]?.super === true
  } finally {
    await client.end()
  }
}

export async function warnOfSuperuser(databaseUrl: string, log: Logger): Promise<void> {
  if (await isSuperuser(databaseUrl)) log.warn(superuserAdvice)
}
