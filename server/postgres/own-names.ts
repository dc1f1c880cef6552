import { ownHostsOf } from '#domain/links/destinations.ts'
import { reservedWords } from '#domain/routes.ts'
import type { ServerConfig } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from './database.ts'

/**
 * Stores the names that belong to this server: the reserved words of the `/{code}` namespace and the
 * hosts that no link may lead to. Runs at each start, because both follow from the build and the configuration.
 * A reserved word that a link or a bio page had before stays with it: `keptNames` says so to the visits.
 */
export async function claimOwnNames(
  database: Database,
  {
    keptNames,
    domains,
    ...site
  }: Pick<ServerConfig, 'keptNames' | 'domains' | 'publicUrl' | 'linksUrl'>,
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
      keptNames.add(name)
      log.warn(
        { name },
        'a page of this version has the name of an existing link or bio page, which keeps it',
      )
    }
    await db.query(`delete from app.names where kind = 'reserved' and name <> all ($1)`, [
      reservedWords,
    ])
    const ownHosts = ownHostsOf(site)
    await db.query('delete from app.own_hosts where host <> all ($1)', [ownHosts])
    await db.query(
      'insert into app.own_hosts (host) select unnest($1::text[]) on conflict do nothing',
      [ownHosts],
    )
    // The records of domains lead there.
    await db.query('select app.settle_domain_targets($1, $2)', [
      new URL(site.linksUrl).hostname,
      domains.addresses,
    ])
  })
}
