import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import manifest from '../../package.json' with { type: 'json' }
import type { Hosts } from '../http/hosts.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import type { Jobs } from '../primitives/jobs.ts'
import { newestVersion } from '../visits/record/click-record.ts'
import { consequences, disagreementsWith, type Peer, subjects } from './disagreements.ts'

interface PeersDeps {
  config: { publicUrl: string; linksUrl: string; clickhouse: object | undefined }
  database: Database
  log: Logger
  /** The id of the key that signs tokens. */
  keyId: string
  clockAheadMs: () => number | undefined
  hosts: Pick<Hosts, 'unknown'>
  jobs: Jobs
}

const role = 'hoplet_worker'
const intervalMs = 15_000
/** Early enough that the first heartbeat has compared the clocks. */
const firstRunMs = 2_000

/**
 * Publishes the settings that must be the same on all servers of a database, and compares them with those of the others. A difference is
 * logged when it appears and counted in the metrics.
 */
export function startPeers({ config, database, log, keyId, clockAheadMs, hosts, jobs }: PeersDeps) {
  const id = randomUUID()
  let others: Peer[] = []
  let known = new Set<string>()

  const own = (): Peer => ({
    host: hostname(),
    version: manifest.version,
    keyId,
    publicUrl: config.publicUrl,
    linksUrl: config.linksUrl,
    clockAheadMs: clockAheadMs() ?? null,
  })
  const announce = async () => {
    const { host, version, publicUrl, linksUrl, clockAheadMs: ahead } = own()
    await queryAs(
      database,
      { role },
      `insert into app.servers (id, host, version, key_id, public_url, clock_ahead_ms, reads_clickhouse, reads_clicks, links_url, unknown_hosts)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        on conflict (id) do update set (public_url, links_url, unknown_hosts, clock_ahead_ms, seen_at)
          = (excluded.public_url, excluded.links_url, excluded.unknown_hosts, excluded.clock_ahead_ms, now())`,
      [
        id,
        host,
        version,
        keyId,
        publicUrl,
        ahead,
        config.clickhouse !== undefined,
        newestVersion,
        linksUrl,
        hosts.unknown(),
      ],
    )
    others = await queryAs<Peer & { id: string }>(database, { role, readOnly: true }, seenServers, [
      id,
    ])
  }
  const compare = () => {
    const found = disagreementsWith(own(), others)
    for (const { about, host, ...values } of found) {
      if (known.has(`${about} ${host}`)) continue
      const consequence = consequences[about]
      log.warn({ about, host, ...values, consequence }, 'two servers of this database disagree')
    }
    known = new Set(found.map(({ about, host }) => `${about} ${host}`))
  }
  const job = jobs.add('peers', { everyMs: intervalMs, firstRunMs }, async () => {
    await announce()
    compare()
  })
  return {
    /** Announces this server and compares at once. */
    run: job.run,
    measures: () => ({
      /** This one included. */
      servers: others.length + 1,
      disagreements: subjects.map((about) => ({
        about,
        count: [...known].filter((each) => each.startsWith(`${about} `)).length,
      })),
    }),
    async close() {
      await job.close()
      if (!jobs.areTimed) return
      // The others would wait for it; without a database they will.
      await queryAs(database, { role }, 'delete from app.servers where id = $1', [id]).catch(
        () => {},
      )
    },
  }
}

/** Those that were seen lately but the one with the id `$1`. */
export const seenServers = `select id, host, version, key_id as "keyId", public_url as "publicUrl", links_url as "linksUrl",
    clock_ahead_ms::float8 as "clockAheadMs"
  from app.servers where seen_at > now() - interval '45 seconds' and id is distinct from $1::uuid order by started_at limit 1000`
