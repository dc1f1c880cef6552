import type { HitVerdict, ListDimension, ReportBy, ReportGroup } from '#domain/reports/hits.ts'
import type {
  ClickHit,
  ClickReport,
  ClickTrend,
  CountedKind,
} from '#domain/reports/report-answers.ts'
import { answerOf, oneRowOf, tables } from '#web/api/client.ts'
import { fetchAsCaller } from '#web/session/caller.ts'

// Reports about clicks: all calls of the server's procedures.

export type TimeBucket = 'hour' | 'day' | 'month'

/** Scope of a report: all of the account, or the row with this id. */
export type ReportScope =
  | { readonly scope: 'account' }
  | { readonly scope: 'link' | 'bio' | 'bio_link' | 'tag'; readonly id: string }

/** Values of one dimension are alternatives, dimensions narrow each other; '' is unknown. */
export type ClickFilters = Partial<Record<ListDimension, readonly string[]>>

/** Which hits a report counts. `from` (included) and `to` are ISO instants. */
export interface HitSelection {
  readonly about: ReportScope
  readonly from: string
  readonly to: string
  readonly filters: ClickFilters
  readonly include: readonly CountedKind[]
  /** Never estimated, however long that takes. */
  readonly isExact: boolean
}

export interface ClickIntegrity {
  received: number
  counted: number
  filtered: number
  by_verdict: Partial<Record<HitVerdict, number>>
  waiting: number
  last_applied_at: string | null
  replays: number
  incidents: { at: string; kind: 'clock' | 'sources'; seconds: number }[]
  /** The first day with hits that are still kept. */
  kept_since: string | null
}

export type TrendKind = 'link' | 'bio_link' | 'popup'

export function readReport(
  by: ReportBy | ReportGroup,
  selection: HitSelection,
  { limit, signal }: { limit?: number | undefined; signal?: AbortSignal } = {},
): Promise<ClickReport> {
  const request = tables.rpc('click_report', {
    ...scopeArguments(selection.about),
    _by: by,
    _from: selection.from,
    _to: selection.to,
    _filters: selection.filters,
    _include: [...selection.include],
    ...(limit !== undefined && { _limit: limit }),
    ...(selection.isExact && { _exact: true }),
  })
  return answerOf(request, signal) as Promise<ClickReport>
}

/** The newest hits first. */
export function readHits(
  { about, from, to, filters, include }: HitSelection,
  { limit, signal }: { limit: number; signal?: AbortSignal },
): Promise<ClickHit[]> {
  const request = tables.rpc('click_hits', {
    ...scopeArguments(about),
    _from: from,
    _to: to,
    _filters: filters,
    _include: [...include],
    _limit: limit,
  })
  return answerOf(request, signal) as Promise<ClickHit[]>
}

/** Hits received and their results. Hits waiting in the server's journal are known for the account only. */
export async function readIntegrity(
  about: ReportScope,
  signal?: AbortSignal,
): Promise<ClickIntegrity> {
  const [stored, waiting] = await Promise.all([
    answerOf(
      tables.rpc('click_integrity', scopeArguments(about)),
      signal,
    ) as Promise<ClickIntegrity>,
    about.scope === 'account' ? readWaiting(signal) : 0,
  ])
  return { ...stored, waiting, received: stored.received + waiting }
}

/** Hits that are in the journal and not in the database yet; 0 where that is not known. */
async function readWaiting(signal?: AbortSignal): Promise<number> {
  const response = await fetchAsCaller('/functions/v1/click-log?scope=account', {
    cache: 'no-store',
    ...(signal !== undefined && { signal }),
  })
  if (!response.ok) return 0
  const { waiting } = (await response.json()) as { waiting: number | null }
  return waiting ?? 0
}

export function readTrends(
  kind: TrendKind,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ClickTrend[]> {
  const request = tables.rpc('click_trends', { _kind: kind, _ids: [...ids] })
  return answerOf(request, signal) as Promise<ClickTrend[]>
}

/** The time zone that reports of this person are in; null as long as none was set. */
export async function readTimeZone(userId: string, signal: AbortSignal): Promise<string | null> {
  const request = tables.from('profiles').select('time_zone').eq('id', userId)
  return (await oneRowOf(request, signal))?.time_zone ?? null
}

export function setTimeZone(zone: string): Promise<unknown> {
  return answerOf(tables.rpc('set_time_zone', { _zone: zone }))
}

/** A stream of server-sent events: `hits`, with {@link LiveHits}. */
export function openLiveStream(about: ReportScope, signal: AbortSignal): Promise<Response> {
  return fetchAsCaller(`/functions/v1/live?${scopeQuery(about).toString()}`, {
    headers: { Accept: 'text/event-stream' },
    cache: 'no-store',
    signal,
  })
}

export interface LiveHits {
  hits: ClickHit[]
  /** How many hits came since the connection was opened. */
  received: Partial<Record<HitVerdict, number>>
}

/** Every hit of a time as CSV. */
export async function downloadHits({ about, from, to, include }: HitSelection): Promise<Blob> {
  const query = scopeQuery(about)
  query.set('from', from)
  query.set('to', to)
  if (include.includes('imported')) query.set('include', 'repeats,own,bots,imported')
  const response = await fetchAsCaller(`/functions/v1/clicks.csv?${query.toString()}`)
  if (!response.ok) throw new Error(`clicks.csv answered ${response.status}`)
  return response.blob()
}

/** Whether the server refused because the plan does not show clicks. */
export function isPlanRefusal(error: unknown): boolean {
  const { code, hint } = Object(error) as { code?: unknown; hint?: unknown }
  return code === '42501' && hint === 'plan'
}

/** Whether there is no such link, page or popup in the account. */
export function isUnknownScope(error: unknown): boolean {
  return (Object(error) as { code?: unknown }).code === 'P0002'
}

function scopeArguments(about: ReportScope) {
  return { _scope: about.scope, ...('id' in about && { _id: about.id }) }
}

function scopeQuery(about: ReportScope): URLSearchParams {
  return new URLSearchParams({ scope: about.scope, ...('id' in about && { id: about.id }) })
}
