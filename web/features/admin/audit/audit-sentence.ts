import type { AuditRow } from '#web/api/database-admin.ts'
import { type AuditChange, auditChanges } from './audit-changes.ts'

export interface AuditSentence {
  /** 'changed the plan of' */
  verb: string
  /** An address, a short code, a host. */
  subject: string
  /** The change or its reason, after the subject. */
  rest: string
}

/** The act of an actor in one sentence. An action of a newer server is shown under its name. */
export function auditSentence(row: AuditRow): AuditSentence {
  const subject = subjectOf(row)
  const changes = auditChanges(row.before, row.after)
  const about = (verb: string, rest = ''): AuditSentence => ({ verb, subject, rest })
  switch (row.action) {
    case 'user.update':
      return about('changed', changesInWords(changes))
    case 'user.delete':
      return about('deleted the account of')
    case 'user.ban':
      return about('banned')
    case 'user.unban':
      return about('lifted the ban of')
    case 'plan.change':
      return about('changed the plan of', changesInWords(changes, false))
    case 'role.change':
      return about('changed the role of', changesInWords(changes, false))
    case 'role.claim':
      return about('changed the role of', claimedRole(row))
    case 'role.claim_refused':
      return about('could not change the role of', claimedRole(row))
    case 'block':
      return about('blocked', reasonOf(row.after))
    case 'unblock':
      return about('unblocked')
    case 'report.uphold':
      return about('upheld a report about', reasonOf(row.before))
    case 'report.dismiss':
      return about('dismissed a report about', reasonOf(row.before))
    case 'space.owner':
      return about('made a member an owner of')
    case 'payout.make':
      return about(`paid ${amountOf(changes)} to`)
    case 'commission.release':
      return about(`released ${amountOf(changes)} for`)
    case 'commission.cancel':
      return about(`canceled ${amountOf(changes)} for`)
    default:
      return about(`did “${row.action}” to`)
  }
}

/** A person by the address of today or of then, a report by the link that it is about. */
function subjectOf({ target_kind, target_id, target_email, before, after }: AuditRow): string {
  const name = before?.['name']
  if (target_kind === 'report' && typeof name === 'string') return `/${name}`
  if (target_kind === 'space' && typeof name === 'string') return name
  if (target_kind === 'link') return `/${target_id}`
  if (target_kind === 'host') return target_id
  const email = target_email ?? before?.['email'] ?? after?.['email']
  if (typeof email === 'string') return email
  return target_kind === 'user' || target_kind === 'affiliate' ? 'a deleted account' : target_id
}

/** ': display name Ada → Grace, email …'; without names where the verb has the only one. */
function changesInWords(changes: readonly AuditChange[], hasNames = true): string {
  const words = changes.map(
    ({ name, before, after }) =>
      `${hasNames ? `${name} ` : ''}${before ?? 'none'} → ${after ?? 'none'}`,
  )
  return words.length === 0 ? '' : `: ${words.join(', ')}`
}

/** ': user → admin, by a claim of google'; with the reason where the database refused it. */
function claimedRole({ before, after }: AuditRow): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : 'none')
  const refusal = after?.['refusal']
  const change = `: ${text(before?.['role'])} → ${text(after?.['role'])}`
  const reason = typeof refusal === 'string' ? ` (${refusal})` : ''
  return `${change}, by a claim of ${text(after?.['provider'])}${reason}`
}

function reasonOf(facts: AuditRow['before']): string {
  const reason = facts?.['reason']
  return typeof reason === 'string' ? `: ${reason}` : ''
}

function amountOf(changes: readonly AuditChange[]): string {
  return changes.find(({ name }) => name === 'amount')?.after ?? 'an amount'
}
