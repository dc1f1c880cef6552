import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../postgres/database.ts'
import { queryAs, valueAs } from '../../postgres/rows.ts'
import { insertLines, onCluster, selectRows } from './client.ts'
import { compareStores, type Difference } from './compare.ts'
import { deliverNext, tableOf } from './deliveries.ts'
import { withClickLease } from './leases.ts'
import { type ClickHouseDeps, worker, workerReads } from './worker.ts'

const long = { ...worker, statementTimeout: 60 * 60_000 } as const
/** In one insert: about 20 MB of text. */
const maxLines = 100_000
const leastSpanMs = 1_000
const dayMs = 86_400_000
/** Longer than the lease of a command that was killed. */
const waitMs = 90_000
const kinds = ['h', 'p'] as const
const tablesOf = { h: ['click_samples', 'click_hits'], p: ['popup_events'] } as const

interface Move extends Record<string, unknown> {
  state: string
  cut_at: string | null
}

export interface Moved {
  hits: number
  /** Days on which the stores differ; without one the move has ended. */
  differences: Difference[]
}

/**
 * Copies the hits of PostgreSQL to ClickHouse while new ones go to both, compares the stores, and ends the move when they are
 * equal. May be interrupted at any time and run again: a day that was begun, or that differs, is copied anew.
 *
 * @param say tells the operator how far it is
 * @throws {Error} when another command copies
 */
export async function copyClicks(
  deps: ClickHouseDeps,
  print: (line: string) => void,
): Promise<Moved> {
  const { database } = deps
  return withMove(database, print, async (signal) => {
    const [move] = await queryAs<Move>(
      database,
      long,
      'select state, cut_at::text from app.begin_click_move()',
    )
    if (move?.state !== 'moving' || move.cut_at === null) return { hits: 0, differences: [] }
    const { cut_at: cutAt } = move
    const days = await queryAs<{ day: string }>(
      database,
      { ...long, readOnly: true },
      'select day::text from app.days_to_move() day',
    )
    let hits = 0
    for (const [index, { day }] of days.entries()) {
      signal.throwIfAborted()
      const copied = await copyDay(deps, day, cutAt)
      hits += copied
      await queryAs(database, worker, 'select app.record_moved_day($1)', [day])
      if (copied > 0) print(`${day}: ${copied} (day ${index + 1} of ${days.length})`)
    }
    let differences = await pausedComparison(deps, print)
    if (differences.length > 0) {
      for (const day of new Set(differences.map((each) => each.day))) {
        signal.throwIfAborted()
        const copied = await copyDay(deps, day, cutAt)
        print(`${day}: ${copied} again, for the databases differed`)
      }
      differences = await pausedComparison(deps, print)
    }
    signal.throwIfAborted()
    if (differences.length === 0) await queryAs(database, long, 'select app.end_click_move()')
    return { hits, differences }
  })
}

/** Copies hits or deletes copied ones: one command at a time. */
export function withMove<Result>(
  database: Database,
  print: (line: string) => void,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const onWait = () =>
    print('Another command is at work, or was ended a moment ago. Waiting for it')
  return withClickLease(database, { name: 'move', waitMs, onWait }, work)
}

/** Rows that were copied have the number of their day, negative, so that a day can be copied again. */
async function copyDay(deps: ClickHouseDeps, day: string, cutAt: string): Promise<number> {
  const from = new Date(`${day}T00:00:00Z`)
  const delivery = -Math.floor(from.getTime() / dayMs)
  const to = new Date(from.getTime() + dayMs)
  let lines = 0
  for (const kind of kinds) {
    for (const table of tablesOf[kind]) await deleteCopied(deps, table, day, delivery)
    // Writing the lines takes longest: two connections of PostgreSQL do it.
    const noon = new Date(from.getTime() + dayMs / 2)
    const halves = [
      { kind, from, to: noon, cutAt, delivery },
      { kind, from: noon, to, cutAt, delivery },
    ]
    const copied = await Promise.all(halves.map((half) => copySpan(deps, half)))
    lines += copied.reduce((sum, each) => sum + each, 0)
  }
  return lines
}

async function deleteCopied(
  { client, settings }: ClickHouseDeps,
  table: string,
  day: string,
  delivery: number,
): Promise<void> {
  const parameters = { day, delivery }
  const copied = 'toDate(at) = {day: Date} and delivery = {delivery: Int64}'
  const [found] = await selectRows<{ n: string }>(
    client,
    `select count() as n from ${table} where ${copied}`,
    parameters,
  )
  if (Number(found?.n ?? 0) === 0) return
  await client.command({
    query: `delete from ${table} ${onCluster(settings)} where ${copied}`,
    query_params: parameters,
  })
}

interface Span {
  kind: (typeof kinds)[number]
  from: Date
  to: Date
  /** With the microseconds that a Date has not. */
  cutAt: string
  delivery: number
}

async function copySpan(deps: ClickHouseDeps, span: Span): Promise<number> {
  const { database, client } = deps
  const { kind, from, to, cutAt, delivery } = span
  const reader = { ...long, readOnly: true } as const
  const count = 'select app.count_to_move($1::"char", $2, least($3::timestamptz, $4))'
  const n = Number((await valueAs<string>(database, reader, count, [kind, from, to, cutAt])) ?? 0)
  if (n === 0) return 0
  const length = to.getTime() - from.getTime()
  if (n > maxLines && length > leastSpanMs) {
    const middle = new Date(from.getTime() + Math.floor(length / 2))
    const first = await copySpan(deps, { ...span, to: middle })
    return first + (await copySpan(deps, { ...span, from: middle }))
  }
  const lines = await valueAs<string | null>(
    database,
    reader,
    'select app.lines_to_move($1::"char", $2, least($3::timestamptz, $4), $5)',
    [kind, from, to, cutAt, delivery],
  )
  if (!lines) return 0
  // A separate token: the same lines come again when a day is copied again.
  await insertLines(client, tableOf[kind], lines, `move-${randomUUID()}`)
  return lines.split('\n').length - 1
}

/** Compares while nothing is delivered. New hits wait meanwhile. */
async function pausedComparison(
  deps: ClickHouseDeps,
  print: (line: string) => void,
): Promise<Difference[]> {
  while ((await deliverNext(deps)) !== undefined);
  const onWait = () => print('Deliveries are paused already. Waiting until they go on')
  return withClickLease(deps.database, { name: 'pause', waitMs, onWait }, async () => {
    await endOpenDeliveries(deps)
    return compareStores(deps)
  })
}

/** A server that has one under way ends it; after a crash it is repeated here. */
async function endOpenDeliveries(deps: ClickHouseDeps): Promise<void> {
  for (;;) {
    const text = 'select app.has_open_deliveries()'
    if (!(await valueAs<boolean>(deps.database, workerReads, text))) return
    if ((await deliverNext(deps, true)) === undefined) await sleep(500)
  }
}
