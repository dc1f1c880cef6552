import { LRUCache } from 'lru-cache'
import type { ClickReport } from '#domain/reports/report-answers.ts'
import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { clickReport, type ClickReportQuestion } from '../reports/click-report.ts'
import type { HitReaders } from '../reports/hit-reader.ts'

/** A shared report that is on, as visitors may know it. */
export interface SharedReport {
  id: string
  link_id: string
  short_code: string
  title: string | null
  /** IANA name. */
  zone: string
  password_hash: string | null
  password_version: string | null
}

/** The page shows clicks by day, and the values with most clicks of four dimensions. */
const questions = ['day', 'country', 'device', 'referrer', 'source'] as const
export type SharedFigures = Record<(typeof questions)[number], ClickReport>

const tokenPattern = /^[A-Za-z0-9_-]{43}$/
const figuresTtlMs = 60_000
const timeoutMs = 4_000
const rows = 8

interface SharedReportsDeps {
  database: Database
  readers: HitReaders
}

/** Reports of links behind an address that no one can guess. */
export function createSharedReports({ database, readers }: SharedReportsDeps) {
  // However often a page is opened, its figures are counted once a minute.
  const figures = new LRUCache<string, Promise<SharedFigures>>({ max: 500, ttl: figuresTtlMs })

  /** The service may ask about each link; app.live_shared_report has decided that this one is shared. */
  const count = async ({ link_id: link, zone }: SharedReport, days: number) => {
    const asked = await queryAs<{ by: keyof SharedFigures; question: ClickReportQuestion }>(
      database,
      { role: 'service_role', readOnly: true },
      `select b as by, api.click_report('link', b,
          (date_trunc('day', now() at time zone $3) - make_interval(days => $2::integer - 1)) at time zone $3,
          now(), $1, _limit => $4) as question
        from unnest($5::text[]) b`,
      [link, days, zone, rows, questions],
    )
    const reader = readers.with({ timeoutMs })
    const found: Partial<SharedFigures> = {}
    // One after another: visitors of a page have few connections.
    for (const { by, question } of asked) found[by] = await clickReport(question, reader)
    return found as SharedFigures
  }

  return {
    /** Undefined for a token that opens nothing: unknown, off, over, or of a plan that does not show clicks. */
    async find(token: string): Promise<SharedReport | undefined> {
      if (!tokenPattern.test(token)) return undefined
      const [report] = await queryAs<SharedReport & Record<string, unknown>>(
        database,
        { role: 'hoplet_visits', readOnly: true },
        'select * from app.live_shared_report($1)',
        [token],
      )
      return report
    },

    /** Figures of the last `days` days, at most a minute old. */
    figuresOf(report: SharedReport, days: number): Promise<SharedFigures> {
      const key = `${report.link_id} ${days}`
      const known = figures.get(key)
      if (known) return known
      const counting = count(report, days)
      figures.set(key, counting)
      counting.catch(() => figures.delete(key))
      return counting
    },
  }
}
