import type { ClickReport, CountedKind, ReportLine } from '#domain/reports/report-answers.ts'
import { dimensions } from './dimensions.ts'
import type { Counts, Figure, FiguresQuestion } from './question.ts'
import type { ReportReader } from './hit-reader.ts'

/** A bucket of time: how figures name it, and when it begins. */
export interface Bucket {
  value: string
  key: string
}

/** Question of `api.click_report` (database/code/14_reports.sql). */
export interface ClickReportQuestion extends FiguresQuestion {
  from_text: string
  to_text: string
  include: readonly CountedKind[]
  limit: number
  buckets: readonly Bucket[] | null
  /** The targets by this, instead of each. */
  group: keyof typeof groupsOf | null
}

/** The clicks that are shown: those that counted, and of the others those in `include`. */
export function shownClicks(
  { counted, ...others }: Pick<Counts, 'counted'> & Partial<Counts>,
  include: readonly CountedKind[],
): number {
  return counted + addUp(include.map((name) => others[name] ?? 0))
}

export const addUp = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0)

/**
 * One report, as docs/analytics.md describes it: totals, a row for each bucket of time, or the values of a dimension with most
 * clicks. `rest` is of all values that are not listed.
 */
export async function clickReport(
  question: ClickReportQuestion,
  reader: ReportReader,
): Promise<ClickReport> {
  const { by, include, buckets } = question
  const { rows: figures, rate } = await reader.figures(question)
  const clicksOf = (figure: Figure) => (by === 'bot' ? figure.bots : shownClicks(figure, include))
  const shown = figures.filter(({ value }) => by !== 'bot' || value !== '')
  const clicks = addUp(shown.map(clicksOf))
  const visitors = addUp(figures.map((figure) => figure.visitors))
  const { group } = question
  const listed = group ? await sumGroups(shown, group, reader) : shown
  const rows = buckets
    ? rowsOfTime(buckets, figures, clicksOf)
    : listRows(question, listed, clicksOf)
  if (by === 'target' && !group) await nameRows(rows, reader)
  if (by === 'placement') await namePlacements(rows, reader)
  const inRows = by === 'total' ? clicks : addUp(rows.map((row) => row.clicks))
  return {
    by: group ?? by,
    from: question.from_text,
    to: question.to_text,
    time_zone: question.zone,
    clicks,
    ...((buckets || by === 'total') && { visitors }),
    ...(by === 'total' && {
      returning: Math.max(0, addUp(figures.map(({ counted }) => counted)) - visitors),
    }),
    rows,
    // A link with two tags is in two rows.
    rest: group ? 0 : clicks - inRows,
    sampled: rate,
  }
}

/** Present groups of targets, in rows of a number and a group; '' is for those without one. */
const groupsOf = {
  tag: 'select t.scope, t.tag as name from app.tags_of_scopes($1) t',
  domain: 'select d.scope, d.domain as name from app.domains_of_scopes($1) d',
}

/** Adds the figures of targets up by their groups. */
async function sumGroups(
  figures: readonly Figure[],
  group: keyof typeof groupsOf,
  { query }: Pick<ReportReader, 'query'>,
): Promise<Figure[]> {
  const scopes = figures.flatMap(({ value }) => (value === null ? [] : [Number(value)]))
  const grouped = await query<{ scope: number; name: string }>(groupsOf[group], [scopes])
  const namesOf = new Map<string, string[]>()
  for (const { scope, name } of grouped)
    namesOf.set(String(scope), [...(namesOf.get(String(scope)) ?? []), name])
  const sums = new Map<string, Figure>()
  for (const figure of figures) {
    const names = figure.value === null ? [] : (namesOf.get(figure.value) ?? [])
    for (const name of names.length === 0 ? [''] : names) {
      const sum = sums.get(name)
      sums.set(name, sum ? addFigures(sum, figure) : { ...figure, value: name })
    }
  }
  return [...sums.values()]
}

function addFigures(a: Figure, b: Figure): Figure {
  return {
    value: a.value,
    counted: a.counted + b.counted,
    repeats: a.repeats + b.repeats,
    own: a.own + b.own,
    bots: a.bots + b.bots,
    imported: a.imported + b.imported,
    visitors: a.visitors + b.visitors,
  }
}

/** Every bucket of the range, whether something happened in it or not. */
function rowsOfTime(
  buckets: readonly Bucket[],
  figures: readonly Figure[],
  clicksOf: (figure: Figure) => number,
): ReportLine[] {
  const clicks = new Map<string | null, number>()
  const visitors = new Map<string | null, number>()
  for (const figure of figures) {
    clicks.set(figure.value, (clicks.get(figure.value) ?? 0) + clicksOf(figure))
    visitors.set(figure.value, (visitors.get(figure.value) ?? 0) + figure.visitors)
  }
  return buckets.map(({ value, key }) => ({
    key,
    clicks: clicks.get(value) ?? 0,
    visitors: visitors.get(value) ?? 0,
  }))
}

/** The values in the order of their dimension, at most `limit` by clicks. The totals list all verdicts, with every hit. */
function listRows(
  { by, limit }: ClickReportQuestion,
  figures: readonly Figure[],
  clicksOf: (figure: Figure) => number,
): ReportLine[] {
  const all = ({ counted, repeats, own, bots, imported }: Counts) =>
    counted + repeats + own + bots + imported
  const rows = figures
    .flatMap(({ value, ...figure }) => (value === null ? [] : [{ value, figure }]))
    .map(({ value, figure }) => ({
      key: value,
      clicks: by === 'total' ? all(figure) : clicksOf({ value, ...figure }),
    }))
    .filter((row) => row.clicks > 0)
    .sort((a, b) => b.clicks - a.clicks || compareTexts(a.key, b.key))
  const { order } = dimensions[by]
  if (order === 'number') return rows.sort((a, b) => Number(a.key) - Number(b.key))
  return rows.slice(0, order === 'clicks' ? limit : undefined)
}

/** As PostgreSQL compares them in its own collation, by code points. */
function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

async function nameRows(rows: ReportLine[], { nameTargets }: Pick<ReportReader, 'nameTargets'>) {
  const targets = await nameTargets(rows.map(({ key }) => Number(key)))
  for (const row of rows) {
    const { ref, kind, label, title } = targets.get(Number(row.key)) ?? {}
    if (ref === undefined || kind === undefined) continue
    row.key = ref
    row.kind = kind
    if (label != null) row.label = label
    if (title != null) row.title = title
  }
}

/** A deleted placement has no name: its key ends in its mark. */
async function namePlacements(rows: ReportLine[], { query }: Pick<ReportReader, 'query'>) {
  const found = await query<{ key: string; name: string; code: string }>(
    'select n.key, n.name, n.code from app.placement_names($1) n',
    [rows.map(({ key }) => key)],
  )
  const byKey = new Map(found.map((placement) => [placement.key, placement]))
  for (const row of rows) {
    const { name, code } = byKey.get(row.key) ?? {}
    if (name !== undefined) row.label = name
    if (code !== undefined) row.code = code
  }
}
