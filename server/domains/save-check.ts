import { enqueueMail } from '../mail/outbox.ts'
import type { Database, Transaction } from '../postgres/database.ts'
import { firstRow } from '../postgres/rows.ts'
import { domainRole, type CheckedRow } from './checked-row.ts'
import type { DomainState } from './decide-domain.ts'
import type { DomainLook } from './look-at-domain.ts'

/** Addresses that a row keeps of an answer. */
const maxAddresses = 20

/** Stores the result of a check and queues its emails, unless another account verified the host in the meantime. */
export async function saveCheck(
  database: Database,
  row: CheckedRow,
  state: DomainState,
  look: DomainLook,
): Promise<void> {
  await database.transactionAs({ role: domainRole }, async (db) => {
    const saved = await firstRow<{ saved: boolean }>(
      db,
      'select app.save_domain_check($1, $2, $3) as saved',
      [row.id, row.holder, JSON.stringify(resultOf(state, look))],
    )
    if (!saved?.saved) return
    await mailOwner(db, row, state)
    if (state.isServed && row.holder !== null) await mailFormerHolder(db, row)
  })
}

function resultOf(state: DomainState, { answers, findings }: DomainLook) {
  const { proof, direction, probe } = findings
  return {
    is_served: state.isServed,
    is_proven: state.isProven,
    problem: state.problem,
    failing_since: state.failingSince,
    warnings: state.warnings,
    checks: state.checks,
    next_check_at: state.nextCheckAt,
    is_probed: probe !== undefined,
    has_certificate: probe?.certificate?.isValid === true,
    certificate_ends_at: probe?.certificate?.endsAt ?? null,
    found: {
      txt: proof === 'right',
      direction: direction === 'right',
      addresses: answers.addresses.found.slice(0, maxAddresses),
      target: answers.target.found.slice(0, maxAddresses),
    },
  }
}

async function mailOwner(db: Transaction, row: CheckedRow, state: DomainState): Promise<void> {
  const { daysLeft, failingSince, warnings, problem } = state
  if (daysLeft === undefined) return
  const recipient = await mailboxOf(db, row.account)
  if (recipient === null) return
  const { host } = row
  const occasion = `domain:${row.id}:${failingSince?.toISOString()}`
  if (daysLeft === 0)
    await enqueueMail(db, {
      key: `${occasion}:lost`,
      template: 'domain-lost',
      recipient,
      data: { host, isTaken: false },
    })
  else
    await enqueueMail(db, {
      key: `${occasion}:${warnings}`,
      template: 'domain-failing',
      recipient,
      data: { host, days: daysLeft, lacksProof: problem === 'txt-missing' },
    })
}

async function mailFormerHolder(db: Transaction, row: CheckedRow): Promise<void> {
  const recipient = await mailboxOf(db, row.holder_account)
  if (recipient === null) return
  await enqueueMail(db, {
    key: `domain:${row.holder}:taken:${row.id}`,
    template: 'domain-lost',
    recipient,
    data: { host: row.host, isTaken: true },
  })
}

async function mailboxOf(db: Transaction, account: string | null): Promise<string | null> {
  const row = await firstRow<{ email: string | null }>(
    db,
    'select app.domain_mailbox($1) as email',
    [account],
  )
  return row?.email ?? null
}
