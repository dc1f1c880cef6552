import type { ApiFunctions, ApiInserts, ApiRows, ApiUpdates } from '#domain/database.generated.ts'
import type { DomainProblem, domainRecordTypes } from '#domain/domains/domain-problems.ts'
import type { Plan } from '#domain/plans.ts'
import type { AdminResults } from './database-admin.ts'

// Rows, columns and arguments come from the database; this file adds the shapes of JSON values, which it does not know.
// Type aliases throughout: the table client wants index signatures, which interfaces don't have.

/** One short link. `click_count` is null when the plan does not show it. */
export type LinkRow = ApiRows['shortened_urls']

export type PopupRow = ApiRows['popups']

/** An email address that a visitor gave in a popup. */
export type LeadRow = ApiRows['leads']

/** Result of audience: sizes in rows and bytes; `retention_days` is null when leads are kept for good. */
export type AudienceFacts = {
  leads: number
  bytes: number
  max_leads: number
  max_bytes: number
  left_out: number
  left_out_at: string | null
  retention_days: number | null
  double_opt_in: boolean
  tags: string[]
}

/**
 * The bio page of an account. `visit_count` is null when the plan does not show it. `version` changes with any edit of
 * the page or of its lists; save_bio_page refuses a stale one.
 */
export type BioPageRow = ApiRows['bio_pages']

/** `click_count` is null when the plan does not show it. */
export type BioLinkRow = Omit<ApiRows['bio_links'], 'bio_page_id'>
export type BioSocialLinkRow = Omit<ApiRows['bio_social_links'], 'bio_page_id'>
export type UsageRow = Omit<ApiRows['user_usage'], 'user_id'>

/** The caller's own code and totals, in dollars. */
export type AffiliateRow = ApiRows['affiliate_codes']

/** Result of save_bio_page: the stored page. */
export type SavedBioPage = {
  page: BioPageRow
  links: BioLinkRow[]
  social_links: BioSocialLinkRow[]
}

/** Result of affiliate_summary. */
export type AffiliateSummary = {
  pending_cents: number
  /** Below zero when reversals of payouts outweigh the due amount. */
  due_cents: number
  paid_cents: number
  held_cents: number
  next_due_at: string | null
  next_due_cents: number | null
  months: AffiliateMonth[]
}

/** `month` is YYYY-MM in UTC. */
export type AffiliateMonth = {
  month: string
  earned_cents: number
  reversed_cents: number
  sign_ups: number
}

/** One line of the ledger, with the reason why it exists. */
export type CommissionLine = {
  id: string
  created_at: string
  amount_cents: number
  tier: 1 | 2
  status: 'pending' | 'paid' | 'held' | 'canceled'
  kind: 'earned' | 'refund' | 'refund_undone' | 'dispute' | 'dispute_won'
  rate_percent: number
  base_cents: number
  due_at: string
  /** By the server's clock. */
  is_due: boolean
  /** Never paid out. */
  is_play_money: boolean
  sign_up_number: number | null
  sign_up_month: string | null
  invoice_ref: string
}

type CreateAdvice = {
  canCreate: boolean
  limit: number
  current: number
  limitType: 'daily' | 'lifetime'
  plan: Plan
  /** Which of the two limits the numbers speak of: a custom code counts as a shortened URL as well. */
  kind: 'custom' | 'url'
}

type QrUsage = { allowed: boolean; limit: number; current: number }

/** A page with the version that was opened, null when there was none; and its lists, each in its order. */
type BioPageChange = {
  page: Partial<Omit<BioPageRow, 'id' | 'user_id' | 'visit_count' | 'version'>> & {
    version?: string | null
  }
  links?: (Pick<BioLinkRow, 'title' | 'url'> & Partial<BioLinkRow>)[]
  social_links?: { id?: string; platform: string; url: string }[]
}

/** Where a popup is used; `links` stops at 1,000. */
export type PopupUses = { popup_id: string; links: number; bio_page: boolean }

/** Visits to a code that has no link and no page on a day in UTC; is_free: the caller can make a link with it. */
export type MissedCodeDay = { code: string; day: string; visits: number; is_free: boolean }

/** One change of a link's destination. `changed_by` is null for the service itself; members of a space have a name. */
export type LinkHistoryEntry = {
  changed_at: string
  changed_by: string | null
  changed_by_name: string | null
  from_url: string
  to_url: string
  /** The accounts of a link that moved; spaces have a name. */
  moved: { from_name: string | null; to_name: string | null } | null
}

type Counted = { count: number; names: string[] }

/** Result of preview_move. */
export type MovePreview = {
  links: number
  to_name: string | null
  refusals: { hint: string; message: string }[]
  popups: Counted
  shared_reports: Counted
  bio_entries: Counted
  external_ids: Counted
  new_tags: Counted
  older_clicks: { kept_days: number; before: string; links: number } | null
}

/** A DNS record that the owner of a domain creates. */
export type DomainRecord = {
  type: (typeof domainRecordTypes)[number]
  name: string
  value: string
  /** It was there at the last check. */
  found: boolean
}

export type AccountDomain = Omit<ApiRows['domains'], 'user_id' | 'records' | 'problem'> & {
  records: DomainRecord[]
  problem: DomainProblem | null
}

export type DestinationFinding = 'dead' | 'moved' | 'certificate'

/** A link with a finding at its destination; `new_url` is where it moved for good. */
export type UnhealthyLink = Pick<
  LinkRow,
  'id' | 'short_code' | 'domain' | 'title' | 'original_url'
> & {
  finding: DestinationFinding
  reason: string | null
  since: string
  checked_at: string
  new_url: string | null
}

/** Result of link_health: numbers of links, and a page of them. */
export type LinkHealth = { counts: Record<DestinationFinding, number>; links: UnhealthyLink[] }

/** Result of destination_check: null before the first one. */
export type DestinationCheckRow = {
  checked_at: string
  finding: DestinationFinding | null
  reason: string | null
  since: string | null
  new_url: string | null
  /** Whether the owner waits for a check. */
  is_asked: boolean
}

type JsonArguments = {
  save_bio_page: BioPageChange
  tag_leads: { _ids: string[]; _add?: string[]; _remove?: string[] }
  popup_uses: { _popup_ids: string[] }
  preview_move: { _links: string[]; _to_account: string }
  move_links: { _links: string[]; _to_account: string }
}
type JsonResults = AdminResults & {
  audience: AudienceFacts
  can_create_url: CreateAdvice
  check_domain: AccountDomain
  increment_qr_usage: QrUsage
  /** Null when neither the code nor one of its neighbors is free. */
  free_code: string | null
  /** At most three. */
  suggest_codes: string[]
  link_history: LinkHistoryEntry[]
  preview_move: MovePreview
  move_links: { id: string; state: 'arriving' | 'done' }
  link_kinds: { off: boolean; blocked: boolean; archived: boolean; findings: boolean }
  link_health: LinkHealth
  destination_check: DestinationCheckRow | null
  session_facts: {
    plan_type: string
    role: 'user' | 'admin'
    /** Null unless the session came by a provider with an admin claim. */
    claims: { provider: string; are_due: boolean } | null
    time_zone: string | null
    /** The caller's role in the space that they act for; `owner` in their own account. */
    member_role: string
  }
  missed_codes: MissedCodeDay[]
  affiliate_summary: AffiliateSummary
  commission_lines: CommissionLine[]
  save_bio_page: SavedBioPage
  popup_uses: PopupUses[]
}

type ColumnsOf<Tables, Name> = Name extends keyof Tables ? Tables[Name] : never

/** The table door as the official client's types describe a server. */
export type TableDatabase = {
  public: {
    Tables: {
      [Name in keyof ApiRows]: {
        Row: ApiRows[Name]
        Insert: ColumnsOf<ApiInserts, Name>
        Update: ColumnsOf<ApiUpdates, Name>
        Relationships: []
      }
    }
    Views: Record<never, never>
    Functions: {
      [Name in keyof ApiFunctions]: {
        Args: Name extends keyof JsonArguments ? JsonArguments[Name] : ApiFunctions[Name]['Args']
        Returns: Name extends keyof JsonResults ? JsonResults[Name] : ApiFunctions[Name]['Returns']
      }
    }
  }
}
