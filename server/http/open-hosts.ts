import type { Database } from '../postgres/database.ts'
import type { Listener } from '../postgres/listen.ts'
import { queryAs } from '../postgres/rows.ts'
import { startPeriodicJob } from '../primitives/jobs.ts'
import { createHosts, type HostsDeps } from './hosts.ts'
import type { DomainRow } from './served-domains.ts'

/** The channel of changes of domains, with the id of one, or without for all (database/code/05_domains.sql). */
export const domainsChannel = 'hoplet_domains'

/** Where notifications are lost, a change is seen after so long. */
const everyMs = 60_000
/** More changed domains are read with all others. */
const maxChanged = 1_000

interface OpenHostsDeps extends HostsDeps {
  database: Database
  listener: Pick<Listener, 'on'>
}

/** An address that a blocked account gave, or that is blocked, leads nobody anywhere. */
const followed = (column: string) => `case
    when d.${column} is null or d.${column} = 'bio' or app.block_of(null, d.user_id, d.${column}) is null then d.${column} end`

const readDomains = `
  select d.id, d.host, d.is_served as "isServed", d.is_proven as "isProven", d.host = d.registered_domain as "isApex",
    ${followed('root_url')} as root, ${followed('missing_url')} as missing,
    case when 'bio' in (d.root_url, d.missing_url) then (
      select jsonb_build_object('name', split_part(b.slug, '/', -1), 'domain', x.host)
      from app.bio_pages b
        left join app.domains x on x.id = case when strpos(b.slug, '/') > 0 then split_part(b.slug, '/', 1)::integer end
      where b.user_id = d.user_id and (strpos(b.slug, '/') = 0 or x.is_served) order by b.created_at limit 1) end as bio
  from app.domains d where (d.is_served or d.is_proven)`

/**
 * Opens the hosts of this server, with the domains of accounts from the start on: a host that became known later would show the links of the
 * server until then. A notification names the domain that changed, and its row alone is read. While the database is away, the last known
 * ones hold.
 *
 * @throws {DatabaseUnavailableError} at the start
 */
export async function openHosts({ database, listener, ...deps }: OpenHostsDeps) {
  const { log } = deps
  const hosts = createHosts(deps)
  const ask = (condition: string, values: unknown[] = []) =>
    queryAs<DomainRow & Record<string, unknown>>(
      database,
      { role: 'hoplet_visits', readOnly: true },
      readDomains + condition,
      values,
    )
  const listeners: (() => void)[] = []
  /** Domains that changed and were not read since. */
  let changed: Set<number> | 'all' = new Set()
  const readChanged = async (): Promise<void> => {
    const wanted = changed
    changed = new Set()
    try {
      if (wanted === 'all') hosts.domains.replaceAll(await ask(''))
      else {
        const ids = [...wanted]
        hosts.domains.change(ids, await ask(' and d.id = any ($1)', [ids]))
      }
      for (const onChange of listeners) onChange()
    } catch (error) {
      // They are still to be read.
      changed = 'all'
      throw error
    }
  }
  /** One reading at a time: a later one has later changes. */
  let reading: Promise<void> = Promise.resolve()
  const read = (): Promise<void> => {
    const next = reading.then(() =>
      changed === 'all' || changed.size > 0 ? readChanged() : undefined,
    )
    reading = next.catch(() => {})
    return next
  }
  const readAll = (): Promise<void> => {
    changed = 'all'
    return read()
  }
  const quietly = (work: Promise<void>) =>
    void work.catch((error: unknown) => log.warn({ err: error }, 'domains were not read'))
  await readAll()
  const job = startPeriodicJob(log, 'domains', { everyMs }, readAll)
  listener.on(
    domainsChannel,
    (payload) => {
      const id = Number(payload)
      if (!Number.isSafeInteger(id) || id === 0) changed = 'all'
      else if (changed !== 'all' && changed.add(id).size > maxChanged) changed = 'all'
      quietly(read())
    },
    () => quietly(readAll()),
  )
  return {
    ...hosts,
    /** Calls `listener` after each change of the domains. */
    onChange: (listener: () => void) => void listeners.push(listener),
    close: job.close,
  }
}
