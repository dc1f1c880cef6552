import { LeaseHeldError, withLease } from '../postgres/leases.ts'
import { queryAs } from '../postgres/rows.ts'
import { decideDomain } from './decide-domain.ts'
import { type DomainCheckDeps, domainRole, type CheckedRow } from './checked-row.ts'
import { lookAtDomain } from './look-at-domain.ts'
import { saveCheck } from './save-check.ts'

/** Longer than a check with all of its timeouts. */
const leaseSeconds = 60

/**
 * Checks a domain, and stores the result. One process of all servers at a time does so.
 *
 * @param waitMs how long to wait for another check of it; default: not at all
 * @returns false while another process checks it
 */
export async function checkDomain(id: number, deps: DomainCheckDeps, waitMs = 0): Promise<boolean> {
  const lease = { name: `domain:${id}`, role: domainRole, seconds: leaseSeconds, waitMs } as const
  try {
    await withLease(deps.database, lease, () => checkRow(id, deps))
    return true
  } catch (error) {
    if (error instanceof LeaseHeldError) return false
    throw error
  }
}

async function checkRow(id: number, deps: DomainCheckDeps): Promise<void> {
  const { database } = deps
  const [row] = await queryAs<CheckedRow>(
    database,
    { role: domainRole, readOnly: true },
    'select * from app.domain_to_check($1)',
    [id],
  )
  // It may have been removed in the meantime.
  if (!row) return
  const look = await lookAtDomain(row, deps)
  const before = {
    isServed: row.is_served,
    isProven: row.is_proven,
    isBlocked: row.is_blocked,
    failingSince: row.failing_since,
    warnings: row.warnings,
    checks: row.checks,
  }
  const state = decideDomain(before, look.findings, new Date())
  await saveCheck(database, row, state, look)
}
