import type { ClickReport, SplitResult } from '#domain/reports/report-answers.ts'
import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { clickReport, type ClickReportQuestion, shownClicks } from '../reports/click-report.ts'
import type { ReportReader } from '../reports/hit-reader.ts'
import { splitReport, type SplitReportQuestion } from '../reports/split-report.ts'
import type { SharedReport } from './live-report.ts'

/** A report shows clicks by day, and the values with most clicks of four dimensions. */
const questions = ['day', 'country', 'device', 'referrer', 'source'] as const

/** A link of the report of a tag. */
export interface SharedLink {
  code: string
  /** The owner's. */
  title: string | null
  clicks: number
  /** Clicks from QR codes. */
  scans: number
}

/** An A/B test of a link of the report. */
export interface SharedSplit extends SplitResult {
  code: string
  title: string | null
}

export interface SharedFigures extends Record<(typeof questions)[number], ClickReport> {
  /** Clicks of the time before, as much of it as has passed of this one. */
  before: number
  /** Clicks from QR codes. */
  scans: number
  /** Links with the tag, blocked ones too; 1 in the report of a link. */
  links: number
  /** Those with most clicks, for the report of a tag. */
  compared: SharedLink[]
  splits: SharedSplit[]
}

const rows = 8
/** Links that are compared. */
const maxCompared = 200
const maxSplitLinks = 10
interface Asked {
  by: Record<(typeof questions)[number] | 'before' | 'target', ClickReportQuestion>
}

interface Counting {
  database: Database
  reader: ReportReader
  report: SharedReport
  days: number
}

/** Counts one question after another: visitors of a page have few connections. */
export async function countReport(counting: Counting): Promise<SharedFigures> {
  const { reader, report } = counting
  const { by } = await ask(counting)
  const listed: Partial<Record<(typeof questions)[number], ClickReport>> = {}
  for (const name of questions) listed[name] = await clickReport(by[name], reader)
  const counted = listed as Record<(typeof questions)[number], ClickReport>
  const before = await clickReport(by.before, reader)
  const { links, compared } = await compareLinks(by.target, report, reader)
  const splits = await countSplits(
    counting,
    compared.filter(({ isSplit }) => isSplit),
  )
  return {
    ...counted,
    before: before.clicks,
    scans: counted.source.rows.find(({ key }) => key === 'qr')?.clicks ?? 0,
    links,
    compared:
      report.tag_id === null
        ? []
        : compared.map(({ code, title, clicks, scans }) => ({ code, title, clicks, scans })),
    splits,
  }
}

const scopeOf = ({ link_id: link, tag_id: tag }: SharedReport) =>
  link === null ? (['tag', tag] as const) : (['link', link] as const)

/** The service may ask about each link; app.live_shared_report has decided that this one is shared. */
async function ask({ database, report, days }: Counting): Promise<Asked> {
  const [scope, id] = scopeOf(report)
  const [row] = await queryAs<Asked & Record<string, unknown>>(
    database,
    { role: 'service_role', readOnly: true },
    `select jsonb_object_agg(b, api.click_report($1, case b when 'before' then 'total' else b end,
        (t.today - make_interval(days => case b when 'before' then 2 * $3::integer - 1 else $3 - 1 end)) at time zone $4,
        (t.now - make_interval(days => case b when 'before' then $3 else 0 end)) at time zone $4,
        $2, _limit => $5)) as by
      from (select now() at time zone $4 as now, date_trunc('day', now() at time zone $4) as today) t
        cross join unnest($6::text[]) b`,
    [scope, id, days, report.zone, rows, [...questions, 'before', 'target']],
  )
  if (!row) throw new Error('the report has no question')
  return row
}

interface ComparedLink extends SharedLink {
  id: string
  isSplit: boolean
}

interface FoundLink extends Record<string, unknown> {
  links: string
  scope: number
  id: string
  short_code: string
  title: string | null
  is_split: boolean
}

/** The links with most clicks, and then those without any. */
async function compareLinks(
  question: ClickReportQuestion,
  report: SharedReport,
  reader: ReportReader,
): Promise<{ links: number; compared: ComparedLink[] }> {
  const isTag = report.tag_id !== null
  const clicks = isTag ? await clicksByScope(question, reader) : new Map<string, number>()
  const top = [...clicks].sort(([, a], [, b]) => b - a).slice(0, maxCompared)
  const scopes = top.map(([scope]) => scope)
  const scans = isTag
    ? await clicksByScope({ ...question, filters: { target: scopes, source: ['qr'] } }, reader)
    : new Map<string, number>()
  const found = await reader.query<FoundLink>('select * from app.links_of_report($1, $2, $3, $4)', [
    report.link_id,
    report.tag_id,
    scopes.map(Number),
    maxCompared,
  ])
  return {
    links: Number(found[0]?.links ?? 0),
    compared: found.map(({ id, scope, short_code: code, title, is_split: isSplit }) => ({
      id,
      code,
      title,
      clicks: clicks.get(String(scope)) ?? 0,
      scans: scans.get(String(scope)) ?? 0,
      isSplit,
    })),
  }
}

async function clicksByScope(
  question: ClickReportQuestion,
  { figures }: ReportReader,
): Promise<Map<string, number>> {
  const { rows: found } = await figures(question)
  return new Map(
    found.flatMap(({ value, ...counts }) => {
      const clicks = shownClicks(counts, question.include)
      return value === null || clicks === 0 ? [] : [[value, clicks] as const]
    }),
  )
}

async function countSplits(
  { database, reader, report, days }: Counting,
  links: readonly ComparedLink[],
): Promise<SharedSplit[]> {
  const asked = links.slice(0, maxSplitLinks)
  if (asked.length === 0) return []
  const found = await queryAs<{ id: string; question: SplitReportQuestion }>(
    database,
    { role: 'service_role', readOnly: true },
    `select l as id, api.split_report(l,
        (date_trunc('day', now() at time zone $2) - make_interval(days => $3::integer - 1)) at time zone $2, now()) as question
      from unnest($1::uuid[]) l`,
    [asked.map(({ id }) => id), report.zone, days],
  )
  const splits: SharedSplit[] = []
  for (const { id, question } of found) {
    const link = asked.find((each) => each.id === id)
    if (!link) continue
    const { splits: results } = await splitReport(question, reader)
    splits.push(...results.map((split) => ({ ...split, code: link.code, title: link.title })))
  }
  return splits
}
