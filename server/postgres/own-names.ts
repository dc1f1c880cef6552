import { ownHostsOf } from '#domain/destinations.ts'
import { reservedWords } from '#domain/routes.ts'
import type { Logger } from '../log.ts'
import type { Database } from './database.ts'

/**
 * Stores the names that belong to this server: the reserved words of the `/{code}` namespace and the
 * hosts that no link may lead to. Runs at each start, because both follow from the build and the configuration.
 */
export async function claimOwnNames(
  database: Database,
  publicUrl: string,
  log: Logger,
): Promise<void> {
  await database.transactionAs({ role: 'hoplet_worker' }, async (db) => {
    const taken = await db.query<{ name: string }>(
      `with wanted as (select unnest($1::text[]) as name),
        claimed as (
          insert into app.names (name, kind) select name, 'reserved' from wanted
          on conflict (name) do update set kind = 'reserved', owner_id = null, released_at = null
            where names.released_at is not null
          returning name
        )
        select n.name from app.names n join wanted using (name) where n.kind <> 'reserved'
          and n.name not in (select name from claimed)`,
      [reservedWords],
    )
    for (const { name } of taken.rows) {
      log.warn(
        { name },
        'a page of this version has the name of an existing link, which no longer answers',
      )
    }
    await db.query(`delete from app.names where kind = 'reserved' and name <> all ($1)`, [
      reservedWords,
    ])
    await db.query('delete from app.own_hosts where host <> all ($1)', [ownHostsOf(publicUrl)])
    await db.query(
      'insert into app.own_hosts (host) select unnest($1::text[]) on conflict do nothing',
      [ownHostsOf(publicUrl)],
    )
  })
}
