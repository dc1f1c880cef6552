import type { Caller } from '../../postgres/begin.ts'
import {
  type Database,
  DatabaseUnavailableError,
  type Transaction,
} from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import type { ClickHouseSettings } from '../clickhouse/client.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { planReport, readFigures, readRolledVisitors } from './postgres-figures.ts'
import { postgresReader } from './postgres-reader.ts'
import type { HitFigures, FiguresQuestion, HitReader } from './question.ts'

export interface ReadOptions {
  timeoutMs: number
  /** A replica that has caught up may answer; default: true. */
  mayUseReplica?: boolean
}

/** A target as reports name it. Deleted targets have no label. */
export interface NamedTarget {
  ref: string
  kind: string
  label: string | null
  /** Titled links only. */
  title: string | null
}

/** Reads hits for reports, and names their targets. */
export interface ReportReader extends HitReader {
  /** By the numbers of their scopes. */
  nameTargets(scopes: readonly number[]): Promise<ReadonlyMap<number, NamedTarget>>
  /** Runs anything else as the same role. */
  query<Row extends Record<string, unknown>>(text: string, values: unknown[]): Promise<Row[]>
}

export type HitReaders = Awaited<ReturnType<typeof openHitReaders>>

/** Hits that come late take days out of the rollups: the plan of a report is made again then. */
const maxPlans = 5
/** A process is started for less than usual, because the planner underestimates how many hits an hour has. */
const settings = `select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '64MB', true),
  set_config('parallel_setup_cost', '100', true), set_config('min_parallel_index_scan_size', '64kB', true)`

/**
 * Hits wherever they are, as a role that can read clicks and nothing else. The caller has been asked whether they may.
 * Most servers have no ClickHouse, and need not load its client.
 */
export async function openHitReaders({
  database,
  clickhouse: clickHouseSettings,
}: {
  database: Database
  clickhouse: ClickHouseSettings | undefined
}) {
  const opened = clickHouseSettings && (await import('./clickhouse-reader.ts'))
  const clickhouse = clickHouseSettings && opened?.openClickHouseReader(clickHouseSettings)

  const isMissing = 'The clicks are in ClickHouse, and CLICKHOUSE_URL is missing here'
  const inClickHouse = () => orThrow(clickhouse, () => new DatabaseUnavailableError(isMissing))
  const readFigureRows = async (caller: Caller, question: FiguresQuestion): Promise<HitFigures> => {
    for (let attempt = 1; attempt <= maxPlans; attempt++) {
      const { plan, figures, rolledVisitors } = await database.transactionAs(caller, async (db) => {
        await db.query(`${settings}, set_config('enable_bitmapscan', 'off', true)`)
        const plan = await planReport(db, question)
        return plan.inClickHouse
          ? { plan, rolledVisitors: await readRolledVisitors(db, question, plan) }
          : { plan, figures: await readFigures(db, question, plan) }
      })
      if (figures) return figures
      if (!rolledVisitors) continue
      const { rate, spans: people } = plan
      const counted = await inClickHouse().figures({ ...question, rate, people })
      return { rows: [...counted, ...rolledVisitors], rate }
    }
    throw new DatabaseUnavailableError('rollups kept changing during the report')
  }

  return {
    /** @throws {DatabaseUnavailableError} by each question, when the store does not answer in time */
    with({ timeoutMs, mayUseReplica = true }: ReadOptions): ReportReader {
      const caller = {
        role: 'hoplet_reports',
        readOnly: true,
        statementTimeout: timeoutMs,
        ...(mayUseReplica && { replica: 'caught-up' }),
      } as const satisfies Caller
      const read = async <T>(
        ask: (reader: Omit<HitReader, 'figures'>) => Promise<T>,
      ): Promise<T> => {
        const found = await database.transactionAs(caller, async (db) => {
          if (await areInClickHouse(db)) return undefined
          return { answer: await ask(postgresReader(db)) }
        })
        return found ? found.answer : ask(inClickHouse())
      }
      return {
        figures: (question) =>
          question.scope === 0
            ? Promise.resolve({ rows: [], rate: null })
            : readFigureRows(caller, question),
        hits: (question) =>
          question.scope === 0 || question.from >= question.to
            ? Promise.resolve([])
            : read((reader) => reader.hits(question)),
        targetDays: (question) => read((reader) => reader.targetDays(question)),
        popupDays: (question) => read((reader) => reader.popupDays(question)),
        variants: (question) =>
          question.scope === 0 ? Promise.resolve([]) : read((reader) => reader.variants(question)),
        recentClicks: (accounts) => read((reader) => reader.recentClicks(accounts)),
        busiestTargets: (hits, limit) => read((reader) => reader.busiestTargets(hits, limit)),
        async nameTargets(scopes) {
          const rows = await queryAs<NamedTarget & { id: number }>(
            database,
            caller,
            `select s.id, s.ref, s.kind, app.target_label(s.kind, s.ref) as label, app.target_title(s.kind, s.ref) as title
              from app.click_scopes s where s.id = any ($1)`,
            [scopes],
          )
          return new Map(rows.map(({ id, ...target }) => [id, target]))
        },
        query: (text, values) => queryAs(database, caller, text, values),
      }
    },
    /** Undefined without CLICKHOUSE_URL. */
    clickhouse,
    close: async () => clickhouse?.close(),
  }
}

async function areInClickHouse(db: Transaction): Promise<boolean> {
  const { rows } = await db.query<{ yes: boolean }>(
    `${settings}, app.hits_are_in_clickhouse() as yes`,
  )
  return rows[0]?.yes === true
}
