import type { Database } from '../postgres/database.ts'
import type { Listener } from '../postgres/listen.ts'
import { queryAs } from '../postgres/rows.ts'
import { startPeriodicJob } from '../primitives/jobs.ts'
import { createHosts, type HostsDeps, type ServedDomain } from './hosts.ts'

/** The channel of changes of domains (database/code/05_domains.sql). */
export const domainsChannel = 'hoplet_domains'

/** Where notifications are lost, a change is seen after so long. */
const everyMs = 60_000

interface OpenHostsDeps extends HostsDeps {
  database: Database
  listener: Pick<Listener, 'on'>
}

/**
 * Opens the hosts of this server, with the served domains of accounts from the start on: a host that became known later would show the links of the server
 * until then. While the database is away, the last known ones hold.
 *
 * @throws {DatabaseUnavailableError} at the start
 */
export async function openHosts({ config, database, listener, log }: OpenHostsDeps) {
  const hosts = createHosts({ config, log })
  let asked = 0
  const read = async () => {
    const turn = ++asked
    const domains = await queryAs<ServedDomain & Record<string, unknown>>(
      database,
      { role: 'hoplet_visits', readOnly: true },
      'select id, host from app.domains where is_served',
    )
    // A later read has later changes.
    if (turn === asked) hosts.serve(domains)
  }
  await read()
  const job = startPeriodicJob(log, 'domains', { everyMs }, read)
  const readAgain = () =>
    void read().catch((error: unknown) => log.warn({ err: error }, 'domains were not read'))
  listener.on(domainsChannel, readAgain, readAgain)
  return { ...hosts, close: job.close }
}
