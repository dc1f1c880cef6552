import { ownHostsOf } from '#domain/links/destinations.ts'
import type { ServerConfig } from '../config.ts'
import type { Database } from '../postgres/database.ts'
import { LeaseHeldError, withLease } from '../postgres/leases.ts'
import type { Listener } from '../postgres/listen.ts'
import type { Jobs } from '../primitives/jobs.ts'
import type { getFromEndpoint } from '../webhooks/post.ts'
import { type CheckPassDeps, type LinkCheckTiming, runChecks } from './check-pass.ts'
import { startHealthMails } from './health-mails.ts'
import { createHostTurns } from './host-turns.ts'

/** An owner asked for a check (database/code/29_checks_and_mails.sql). */
export const checksChannel = 'hoplet_checks'

interface LinkChecksDeps {
  config: ServerConfig
  database: Database
  listener: Listener
  jobs: Jobs
  getPublic: typeof getFromEndpoint
  version: string
  timing?: LinkCheckTiming | undefined
}

const intervalMs = 60_000
const firstRunMs = 20_000
/** From the end of one pass over all accounts to the next one. */
const passIntervalMs = 15 * 60_000
const leaseSeconds = 30
const usualTiming: LinkCheckTiming = { timeoutMs: 10_000, hostIntervalMs: 1_000 }

/**
 * Checks the destinations of all accounts now and then, on one process of all servers: only so a host gets one request a second.
 * Nothing of it is on the path of a visit.
 *
 * @returns undefined without CHECK_LINKS, and in processes without jobs
 */
export function startLinkChecks({ listener, jobs, ...deps }: LinkChecksDeps) {
  const { config, database, version, timing = usualTiming } = deps
  if (!config.checkLinks || !jobs.areTimed) return undefined
  const closing = new AbortController()
  const asked = { waits: false }
  let nextPassAt = 0
  const base: Omit<CheckPassDeps, 'signal'> = {
    ...deps,
    timing,
    turns: createHostTurns(timing.hostIntervalMs, closing.signal),
    asked,
    ownHosts: ownHostsOf(config),
    userAgent: `Hoplet-Link-Check/${version} (+${config.publicUrl})`,
  }
  const check = async (isPass: boolean) => {
    const lease = { name: 'destinations', role: 'hoplet_worker', seconds: leaseSeconds } as const
    try {
      await withLease(database, lease, (lost) =>
        runChecks({ ...base, signal: AbortSignal.any([closing.signal, lost]) }, isPass),
      )
      if (isPass) nextPassAt = performance.now() + passIntervalMs
    } catch (error) {
      if (!(error instanceof LeaseHeldError) && !closing.signal.aborted) throw error
    }
  }
  const job = jobs.add('checks of destinations', { everyMs: intervalMs, firstRunMs }, () =>
    check(performance.now() >= nextPassAt),
  )
  const onAsked = () => {
    asked.waits = true
    if (!closing.signal.aborted) void job.run()
  }
  listener.on(checksChannel, onAsked, () => {})
  const mails = startHealthMails({ database, jobs })
  return {
    /** Checks all that is due now, of all accounts. */
    async runPass(): Promise<void> {
      nextPassAt = 0
      await job.run()
    },
    mails,
    async close(): Promise<void> {
      closing.abort()
      await Promise.all([job.close(), mails.close()])
    },
  }
}
