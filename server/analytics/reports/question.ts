import type { ClickDimension, HitVerdict, ReportBy } from '#domain/reports/hits.ts'
import type { PopupAction } from '#domain/popups/popup-actions.ts'

/** From `from` on and before `to`, in microseconds since 1970. */
export interface Span {
  from: number
  to: number
}

/** An account, or one thing in it: numbers of app.click_scopes, 0 before the first hit. */
export interface NumberedScope {
  /** The same as `account` for all of its hits. */
  scope: number
  account: number
}

/** Hits with one of the values of each dimension. Targets by the numbers of their scopes, as texts. */
export type Filters = Readonly<Partial<Record<ClickDimension, readonly string[]>>>

/** Number of hits by a dimension. */
export interface FiguresQuestion extends NumberedScope, Span {
  /** Hours, days, months and hours of the week are those of the zone. */
  by: ReportBy
  zone: string
  filters: Filters
  /** False: a sample may be counted where there are very many hits. */
  exact: boolean
}

/** `bots` are all hits that no person made, `imported` those of archives. */
export interface Counts {
  counted: number
  repeats: number
  own: number
  bots: number
  imported: number
}

/**
 * Hits with one value; null: of all values that are not listed. Visitors, each counted once a day (by hour, once an hour), are
 * known by time; in total they have the value ''.
 */
export interface Figure extends Counts {
  value: string | null
  visitors: number
}

export interface HitFigures {
  rows: Figure[]
  /** They are estimated from one visitor in so many; null: every hit was counted. */
  rate: number | null
}

/** The days of some targets of an account. */
export interface TargetsQuestion extends Span {
  account: number
  targets: readonly number[]
  zone: string
}

export interface TargetDay extends Omit<Counts, 'bots' | 'imported'> {
  target: number
  /** `2026-07-31` */
  day: string
}

/** Results of popups. */
export interface PopupsQuestion extends Span {
  popups: readonly number[]
  zone: string
}

/** How often an action happened on a surface. Visitors, each counted once a day for an action, are in rows without a surface. */
export interface PopupDay extends Omit<Counts, 'bots' | 'imported'> {
  popup: number
  day: string
  surface: number | null
  action: PopupAction
  visitors: number
}

/** Where a page of hits begins: of the hits of that visitor at that moment, so many were before. */
export interface HitCursor {
  at: number
  /** A bigint as text; null: of any visitor before that moment. */
  visitor: string | null
  place: number
}

export interface HitsQuestion extends NumberedScope, Span {
  filters: Filters
  verdicts: readonly HitVerdict[]
  before: HitCursor | null
  limit: number
}

/** A hit: when, of which scope, where the next page would begin, and its facts as texts. */
export interface FoundHit {
  at: number
  scope: number
  cursor: string
  utm: Readonly<Partial<Record<string, string>>>
  verdict: string
  [fact: string]: unknown
}

/** Clicks of a target. */
export interface TargetClicks {
  account: number
  scope: number
  clicks: number
}

/** Clicks of a link by the variants of its splits. */
export interface VariantsQuestion extends NumberedScope, Span {
  /** Its conversions count: a visitor of a variant gave an address or pressed the button on the same day. */
  popup: number
}

export interface VariantClicks {
  rule: string
  variant: string
  clicks: number
  /** Distinct visitors who are not the owner. */
  shown: number
  /** Those among them who converted. */
  converted: number
}

/** Counts hits in the store that has them. */
export interface HitReader {
  figures(question: FiguresQuestion): Promise<HitFigures>
  /** The newest first. */
  hits(question: HitsQuestion): Promise<FoundHit[]>
  targetDays(question: TargetsQuestion): Promise<TargetDay[]>
  popupDays(question: PopupsQuestion): Promise<PopupDay[]>
  variants(question: VariantsQuestion): Promise<VariantClicks[]>
  /** Clicks of the last two hours. */
  recentClicks(accounts: readonly number[]): Promise<TargetClicks[]>
  /** Targets that were clicked most among so many newest hits. */
  busiestTargets(hits: number, limit: number): Promise<Omit<TargetClicks, 'account'>[]>
}
