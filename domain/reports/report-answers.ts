import type { HitFact, HitVerdict } from './hits.ts'
import type { PopupAction } from '#domain/popups/popup-actions.ts'

// The answers of procedures about clicks, as docs/analytics.md describes them.

/** Kinds of hits that a report counts besides the plainly counted ones. */
export type CountedKind = 'repeats' | 'own' | 'bots' | 'imported'

export interface ReportLine {
  key: string
  clicks: number
  /** Series only. */
  visitors?: number
  /** Targets and placements: a short code, a slug, a title, or the name of a placement; none for deleted ones. */
  label?: string
  /** Placements only: the short code of the link; none for deleted ones. */
  code?: string
  /** Titled links only. */
  title?: string
  kind?: string
}

/** The answer of `click_report`. */
export interface ClickReport {
  by: string
  from: string
  to: string
  /** The person's, an IANA name. */
  time_zone: string
  clicks: number
  /** Totals and series only. */
  visitors?: number
  /** Totals only: clicks after the first of each visitor of a day, also on other links of the scope. */
  returning?: number
  rows: ReportLine[]
  /** Clicks that are in none of the rows. */
  rest: number
  /** Figures are estimated from one visitor in this number. */
  sampled: number | null
}

/** A row of `click_hits`. */
export interface ClickHit extends Readonly<Record<HitFact, string>> {
  /** Stable and unique. */
  cursor: string
  at: string
  kind: string
  /** The id of the link, bio page or link of it. */
  target: string
  label: string | null
  verdict: HitVerdict
  bot: string
  utm: Partial<Record<string, string>>
}

/** A row of `click_trends`. */
export interface ClickTrend {
  id: string
  /** Clicks of the last 30 days, oldest first. */
  days: number[]
  /** Clicks of the 30 days before. */
  before: number
}

/** Results of a popup on one link or page. */
export interface SurfaceResults {
  kind: string
  id: string
  /** The short code or slug; null for a deleted one. */
  label: string | null
  /** Without those that never happened there. */
  actions: Partial<Record<PopupAction, number>>
}

/** The answer of `popup_report`: actions of people on a popup. */
export interface PopupReport {
  from: string
  to: string
  /** The person's, an IANA name: it defines days. */
  time_zone: string
  actions: Record<PopupAction, number>
  /** How many visitors did it. */
  people: Record<PopupAction, number>
  /** The days, oldest first; each is known by the instant of its start. */
  series: { key: string; shown: number; clicked: number; emailed: number }[]
  /** Those that showed it most. */
  surfaces: SurfaceResults[]
  /** How many more there are. */
  more_surfaces: number
  /** Visits of its links and pages; null where they are too many to add up. */
  served: number | null
}

/** One split in the answer of `split_report`. */
export interface SplitResult {
  rule_id: string
  variants: {
    variant_id: string
    clicks: number
    visitors: number
    /** Visitors that used the popup; null without a popup. */
    converted: number | null
    /** The chance to be the best variant; null without a popup. */
    chance: number | null
  }[]
  /** The id of the variant that is probably better. */
  best: string | null
  /** The same in words. */
  words: string
}

/** The answer of `simulate_visit`. */
export interface SimulationAnswer {
  /** `redirect`, `interstitial`, `password`, `not_yet`, `ended`, `off`, `blocked`, or `preview`. */
  outcome: string
  /** The address that the visitor reaches; null for a page of this server. */
  address: string | null
  /** Status of the redirect. */
  status: number | null
  /** The popup that is shown before. */
  popup_id: string | null
  /** The rule and the variant that decide; null for the link's own destination. */
  rule_id: string | null
  variant_id: string | null
  /** The rules before it, with the index of the condition that does not hold. */
  skipped: { rule_id: string; condition: number; why: string }[]
}
