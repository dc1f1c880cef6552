import type { Plan } from '#domain/plans.ts'

// Type aliases throughout: the table client wants index signatures, which interfaces don't have.

export type AdminUserRow = {
  id: string
  email: string | null
  display_name: string | null
  role: 'user' | 'admin'
  plan_type: Plan
  created_at: string
}

export type AdminUserSort = 'email' | 'display_name' | 'role' | 'plan_type' | 'created_at'

export type AdminUserPage = { total: number; matching: number; rows: AdminUserRow[] }

export type BlockKind = 'link' | 'host' | 'user'
export type LinkLookUp = 'code' | 'host' | 'user'

/** A link as an admin finds it. `blocked` says which block hits it first. */
export type AdminLinkRow = {
  id: string
  short_code: string
  original_url: string
  user_id: string
  email: string | null
  created_at: string
  click_count: number
  blocked: BlockKind | null
}

/** `value` is a link's code, a host or a user's id; `email` is that user's. */
export type BlockRow = {
  kind: BlockKind
  value: string
  reason: string | null
  created_at: string
  created_by_email: string | null
  email: string | null
}

export type ReportState = 'open' | 'upheld' | 'dismissed'

export type ReportRow = {
  id: string
  name: string
  target_kind: 'link' | 'bio' | 'unknown'
  destination: string | null
  reason: string
  details: string
  reporter_email: string | null
  state: ReportState
  created_at: string
  decided_at: string | null
  owner_email: string | null
  decided_by_email: string | null
  blocked: BlockKind | null
}

export type PayoutDueRow = {
  affiliate_user_id: string
  email: string | null
  code: string | null
  due_cents: number
  held_cents: number
  pending_cents: number
  lines: number
}

export type PayoutRow = {
  id: string
  affiliate_user_id: string
  email: string | null
  amount_cents: number
  reference: string | null
  made_by_email: string | null
  created_at: string
}

export type HeldRow = {
  id: string
  email: string | null
  payer_email: string | null
  tier: 1 | 2
  base_cents: number
  rate_percent: number
  amount_cents: number
  same_mailbox: boolean
  created_at: string
}

export type AuditFacts = Record<string, unknown> | null

export type AuditRow = {
  id: number
  at: string
  actor_role: string
  actor_email: string | null
  action: string
  target_kind: string
  target_id: string
  target_email: string | null
  before: AuditFacts
  after: AuditFacts
  request_id: string | null
}

type Cursor = { _before_created_at: string | null; _before_id: string | null; _limit: number }

/** The functions for admins (database/migrations/0024 and 0025); the database asks who calls. */
export type AdminFunctions = {
  admin_users: {
    Args: {
      _search: string
      _sort: AdminUserSort
      _descending: boolean
      _limit: number
      _offset: number
    }
    Returns: AdminUserPage
  }
  admin_update_user: {
    Args: { _user_id: string; _display_name: string; _role: string; _plan_type: string }
    Returns: undefined
  }
  admin_delete_user: { Args: { _user_id: string }; Returns: undefined }
  admin_find_links: { Args: Cursor & { _by: LinkLookUp; _value: string }; Returns: AdminLinkRow[] }
  admin_block: { Args: { _kind: BlockKind; _value: string; _reason: string }; Returns: undefined }
  admin_unblock: { Args: { _kind: BlockKind; _value: string }; Returns: undefined }
  admin_blocks: { Args: Record<never, never>; Returns: BlockRow[] }
  admin_reports: { Args: Cursor & { _state: ReportState | null }; Returns: ReportRow[] }
  admin_decide_report: { Args: { _id: string; _uphold: boolean }; Returns: undefined }
  admin_audit: {
    Args: { _before_id: number | null; _limit: number; _search: string }
    Returns: AuditRow[]
  }
  admin_payouts_due: { Args: Record<never, never>; Returns: PayoutDueRow[] }
  admin_make_payout: {
    Args: { _affiliate: string; _reference: string }
    Returns: { id: string; amount_cents: number } | null
  }
  admin_payouts: { Args: { _limit: number }; Returns: PayoutRow[] }
  admin_held_commissions: { Args: Record<never, never>; Returns: HeldRow[] }
  admin_decide_held: { Args: { _id: string; _release: boolean }; Returns: undefined }
}
