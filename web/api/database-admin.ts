import type { Plan } from '#domain/plans.ts'

// Type aliases throughout: the table client wants index signatures, which interfaces don't have.

export type AdminUserRow = {
  id: string
  email: string | null
  display_name: string | null
  role: 'user' | 'admin'
  plan_type: Plan
  created_at: string
  /** Owners of a space; null for a person. */
  owners: string[] | null
}

export type AdminUserSort = 'email' | 'display_name' | 'role' | 'plan_type' | 'created_at'

/** `more` says that a search has more matches than the `matching` that were counted. */
export type AdminUserPage = {
  total: number
  matching: number
  more: boolean
  rows: AdminUserRow[]
}

export type BlockKind = 'link' | 'host' | 'user'
export type LinkLookUp = 'code' | 'host' | 'user'

/** A link as an admin finds it. `blocked` says which block hits it first. */
export type AdminLinkRow = {
  id: string
  short_code: string
  original_url: string
  title: string | null
  user_id: string
  email: string | null
  created_at: string
  click_count: number
  blocked: BlockKind | null
}

/** `recent_clicks` is null where they were not counted. */
export type LatestLinkRow = AdminLinkRow & { recent_clicks: number | null }

/** `day` is YYYY-MM-DD in UTC. */
export type ActivityDay = { day: string; sign_ups: number; links: number; clicks: number }

/**
 * `value` is a link's code, a host or a user's id; `email` is that user's. A 'ban' comes from the admin API of the auth
 * protocol and ends. `hides_published`: the user's publications are off too.
 */
export type BlockRow = {
  kind: BlockKind | 'ban'
  value: string
  reason: string | null
  created_at: string
  created_by_email: string | null
  email: string | null
  hides_published: boolean
  ends_at: string | null
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

/** The JSON values that the functions for admins return. */
export type AdminResults = {
  admin_users: AdminUserPage
  admin_find_links: AdminLinkRow[]
  admin_latest_links: { newest: LatestLinkRow[]; busiest: LatestLinkRow[] }
  admin_activity: ActivityDay[]
  admin_blocks: BlockRow[]
  admin_reports: ReportRow[]
  admin_audit: AuditRow[]
  admin_payouts_due: PayoutDueRow[]
  admin_make_payout: { id: string; amount_cents: number } | null
  admin_payouts: PayoutRow[]
  admin_held_commissions: HeldRow[]
}
