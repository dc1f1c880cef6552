import pg from 'pg'
import formerChecksums from '../../database/former-migrations.json' with { type: 'json' }
import fromFormer from '../../database/from-0031.sql?raw'

/** Entry of a list of migrations, in a database and in a backup. */
interface Applied {
  name: string
  checksum: string
}

const former = Object.entries<string>(formerChecksums)
/** With fewer of them a database is refused. */
const fewest = former.findIndex(([name]) => name === '0031_disabled_links.sql') + 1
/** The last of the present migrations that the former ones became. */
export const lastOfFormer = '0016_webhooks.sql'

/** Columns that came after the first 31, and with which file. */
const laterColumns = [
  ['0037_bytes_kept.sql', 'auth.oauth_authorizations', 'origin'],
  ['0038_consent_resources.sql', 'auth.oauth_consents', 'resources'],
  ['0048_client_documents.sql', 'auth.oauth_clients', 'document_url'],
  ['0051_sources_used_up.sql', 'app.click_incidents', 'account'],
] as const

/** Whether these are the files from before they were joined by subject: at least the first 31 of them, unchanged. */
export function areFormerMigrations(applied: readonly Applied[]): boolean {
  return (
    applied.length >= fewest &&
    applied.every(({ name, checksum }, index) => {
      const [formerName, formerChecksum] = former[index] ?? []
      return name === formerName && checksum === formerChecksum
    })
  )
}

/** Brings tables of the former migrations to those of the present ones, as their owner. */
export async function leaveFormerTables(client: pg.ClientBase): Promise<void> {
  await client.query(fromFormer)
}

/** Takes from the present tables the columns that a database with these former migrations did not have. */
export async function makeFormerTables(
  client: pg.ClientBase,
  applied: readonly Applied[],
): Promise<void> {
  const names = new Set(applied.map(({ name }) => name))
  for (const [migration, table, column] of laterColumns)
    if (!names.has(migration))
      await client.query(`alter table ${table} drop column ${pg.escapeIdentifier(column)}`)
}
