import { queryAs } from '../postgres/rows.ts'
import { LeaseHeldError, withLease } from '../postgres/leases.ts'
import type { Logger } from '../log.ts'
import type { Jobs } from '../primitives/jobs.ts'
import { checkDomain } from './check-domain.ts'
import { type DomainCheckDeps, domainRole } from './checked-row.ts'

/** Domains that are checked at once. */
const lanes = 8
const leaseSeconds = 30
const removalIntervalMs = 3_600_000

interface DomainChecksDeps extends DomainCheckDeps {
  jobs: Jobs
  log: Logger
}

/** Checks the domains that are due, and removes those that were never proven: on one process of all servers. */
export function startDomainChecks({ jobs, log, ...deps }: DomainChecksDeps) {
  const { config, database } = deps
  const closing = new AbortController()
  let nextRemovalAt = 0

  const checkDue = async (signal: AbortSignal) => {
    for (;;) {
      const due = await queryAs<{ id: number }>(
        database,
        { role: domainRole, readOnly: true },
        'select id from app.due_domains($1) id',
        [lanes],
      )
      const checks = await Promise.all(due.map(({ id }) => checkOne(id)))
      // One that could not be checked stays due: it is for the next run.
      if (due.length < lanes || !checks.every(Boolean) || signal.aborted) return
    }
  }
  const checkOne = async (id: number): Promise<boolean> => {
    try {
      return await checkDomain(id, deps)
    } catch (error) {
      log.warn({ err: error, domain: id }, 'a domain was not checked')
      await queryAs(database, { role: domainRole }, 'select app.postpone_domain_check($1)', [id])
      return false
    }
  }
  const removeOld = async () => {
    if (performance.now() < nextRemovalAt) return
    await queryAs(database, { role: domainRole }, 'select app.remove_old_domains()')
    nextRemovalAt = performance.now() + removalIntervalMs
  }
  const job = jobs.add('checks of domains', { everyMs: config.domains.checkEveryMs }, async () => {
    const lease = { name: 'domains', role: domainRole, seconds: leaseSeconds } as const
    try {
      await withLease(database, lease, async (lost) => {
        await checkDue(AbortSignal.any([closing.signal, lost]))
        await removeOld()
      })
    } catch (error) {
      if (!(error instanceof LeaseHeldError) && !closing.signal.aborted) throw error
    }
  })
  return {
    /** Checks all that is due now. */
    async runPass(): Promise<void> {
      nextRemovalAt = 0
      await job.run()
    },
    async close(): Promise<void> {
      closing.abort()
      await job.close()
    },
  }
}
