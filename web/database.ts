import type { Plan } from '#domain/plans.ts'
import type { FontStyle, PopupPosition, PopupSize, ShadowStyle } from '#domain/popup-options.ts'
import type { AdminFunctions } from './database-admin.ts'

// Type aliases throughout: the table client wants index signatures, which interfaces don't have.

/** One short link as My Links reads it. `click_count` is null when the plan does not show it. */
export type LinkRow = {
  id: string
  short_code: string
  original_url: string
  show_popup: boolean
  popup_id: string | null
  click_count: number | null
  created_at: string
}

/** What an owner writes of a popup (specification §3). */
export type PopupColumns = {
  title: string
  description: string
  cta_text: string
  cta_url: string | null
  image_url: string | null
  background_color: string
  text_color: string
  button_color: string
  button_text_color: string
  position: PopupPosition
  trigger_delay: number
  trigger_delay_enabled: boolean
  collect_email: boolean
  size_preset: PopupSize
  border_radius: number
  font_style: FontStyle
  shadow_style: ShadowStyle
}

export type PopupRow = Omit<PopupColumns, 'description'> & {
  id: string
  user_id: string
  description: string | null
  is_active: boolean
  created_at: string
}

/** The bio page of an account. `visit_count` is null when the plan does not show it. */
export type BioPageRow = {
  id: string
  user_id: string
  slug: string
  title: string
  description: string | null
  popup_id: string | null
  theme_primary: string
  theme_background: string
  theme_text: string
  visit_count: number | null
  /** Changes with any edit of the page or of its lists; save_bio_page refuses a stale one. */
  version: string
}

export type BioLinkRow = { id: string; title: string; url: string; link_order: number }

export type BioSocialLinkRow = {
  id: string
  platform: string
  url: string
  display_order: number
}

/** What save_bio_page answers: the page as it is now. */
export type SavedBioPage = {
  page: BioPageRow
  links: BioLinkRow[]
  social_links: BioSocialLinkRow[]
}

export type UsageRow = {
  total_custom_codes: number
  total_shortened_urls: number
  daily_custom_codes: number
  daily_shortened_urls: number
  daily_qr_codes: number
}

/** The caller's own code and totals, in dollars. */
export type AffiliateRow = {
  user_id: string
  code: string
  total_referrals: number
  total_earnings: number
}

/** What affiliate_summary answers. */
export type AffiliateSummary = {
  pending_cents: number
  /** Below zero when reversals of what was paid out outweigh what is due. */
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

type Table<Row, Insert, Update> = { Row: Row; Insert: Insert; Update: Update; Relationships: [] }
type ReadOnly<Row> = Table<Row, never, never>

/** The part of the table door (specification §7) that the web app uses. */
export type Database = {
  public: {
    Tables: {
      shortened_urls: Table<
        LinkRow & { user_id: string },
        { short_code?: string; original_url: string; user_id: string },
        { original_url?: string; show_popup?: boolean; popup_id?: string | null }
      >
      user_plans: ReadOnly<{ user_id: string; plan_type: string }>
      user_usage: ReadOnly<UsageRow & { user_id: string }>
      profiles: Table<
        { id: string; display_name: string | null },
        never,
        { display_name: string | null }
      >
      user_roles: ReadOnly<{ user_id: string; role: string }>
      popups: Table<PopupRow, PopupColumns & { user_id: string }, Partial<PopupColumns>>
      affiliate_codes: Table<AffiliateRow, { user_id: string; code: string }, never>
      bio_pages: ReadOnly<BioPageRow>
      bio_links: ReadOnly<BioLinkRow & { bio_page_id: string }>
      bio_social_links: ReadOnly<BioSocialLinkRow & { bio_page_id: string }>
    }
    Views: Record<never, never>
    Functions: AdminFunctions & {
      can_create_url: {
        Args: { _user_id: string; _is_custom: boolean }
        Returns: CreateAdvice
      }
      increment_url_usage: { Args: { _user_id: string; _is_custom: boolean }; Returns: unknown }
      increment_qr_usage: {
        Args: { _user_id: string }
        Returns: { allowed: boolean; limit: number; current: number }
      }
      track_referral: {
        Args: { _referred_user_id: string; _referrer_code: string }
        /** Whether the account has a referrer now. */
        Returns: boolean
      }
      search_links: {
        Args: {
          _query: string
          _before_created_at: string | null
          _before_id: string | null
          _limit: number
        }
        Returns: LinkRow[]
      }
      affiliate_summary: { Args: Record<never, never>; Returns: AffiliateSummary }
      commission_lines: {
        Args: { _before_created_at: string | null; _before_id: string | null; _limit: number }
        Returns: CommissionLine[]
      }
      save_bio_page: {
        Args: {
          page: Partial<
            Omit<BioPageRow, 'id' | 'user_id' | 'visit_count' | 'version'> & {
              /** The version that was opened; null when there was no page. */
              version: string | null
            }
          >
          links?: { id?: string; title: string; url: string }[]
          social_links?: { id?: string; platform: string; url: string }[]
        }
        Returns: SavedBioPage
      }
    }
  }
}
