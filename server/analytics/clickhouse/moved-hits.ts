import type { ClickHouseClient } from '@clickhouse/client'
import * as z from 'zod'
import type { Database } from '../../postgres/database.ts'
import { queryAs, valueAs } from '../../postgres/rows.ts'
import type { StepResult } from '../store/moves.ts'
import { type ClickHouseSettings, onCluster, openClickHouse, selectRows } from './client.ts'
import { worker, workerReads } from './worker.ts'

/** `app.next_move_step` (database/code/31_link_moves.sql): a step under way has `delivery`, and one that was copied `days`. */
const nextStep = z.object({
  from_scope: z.int(),
  to_scope: z.int(),
  scopes: z.array(z.int()).min(1),
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  delivery: z.int().optional(),
  days: z.array(z.unknown()).optional(),
})
type NextStep = z.infer<typeof nextStep>
type Step = NextStep & { from: string; to: string; delivery: number }

const maxLinks = 1_000
/** About as many hits, but always whole days. */
const maxHits = 500_000
const dayMs = 86_400_000
/** A step may rewrite a part of a month. */
const requestTimeoutMs = 120_000

/** Hits of moved links in ClickHouse: copied under the new account, so that the view of samples sees each once, then deleted. */
export function openMovedHits({
  database,
  settings,
}: {
  database: Database
  settings: ClickHouseSettings
}) {
  const client = openClickHouse(settings, requestTimeoutMs)
  const deleteRows = async (where: string, parameters: Record<string, unknown>) => {
    for (const table of ['click_hits', 'click_samples'])
      await client.command({
        query: `delete from ${table} ${onCluster(settings)} where ${where}`,
        query_params: parameters,
      })
  }

  const copy = async (step: Step) => {
    const { delivery, scopes, from_scope: account, to_scope: target, from, to } = step
    const parameters = { delivery, scopes, account, target, from, to }
    // A try that was broken off may have copied a part.
    await deleteRows('delivery = {delivery: Int64}', { delivery })
    await client.command({
      query: `insert into click_hits
        select * replace({target: Int32} as account, {delivery: Int64} as delivery)
        from (select * from click_hits where ${ofStep})`,
      query_params: parameters,
      // The same rows may have been copied here before, and moved back.
      clickhouse_settings: { insert_deduplicate: 0 },
    })
    const days = await selectRows<{ scope: number; day: string; hits: string; imported: string }>(
      client,
      `select scope, toString(toDate(at)) as day, count() as hits, countIf(verdict = 'imported') as imported
        from click_hits where account = {target: Int32} and delivery = {delivery: Int64} group by scope, day`,
      { delivery, target },
    )
    const [there] = await selectRows<{ n: string }>(
      client,
      `select count() as n from click_hits where ${ofStep}`,
      parameters,
    )
    // The originals are deleted next.
    const copied = days.reduce((sum, { hits }) => sum + Number(hits), 0)
    if (copied !== Number(there?.n)) throw new Error(`${copied} of ${there?.n} hits were copied`)
    return days
  }

  const begin = async (move: string, found: NextStep): Promise<Step | undefined> => {
    const days = await chooseDays(client, found)
    if (!days) return undefined
    const text = 'select app.begin_move_step($1, $2, $3, $4)'
    const values = [move, found.scopes, days.from, days.to]
    const made = await valueAs<{ delivery: number } | null>(database, worker, text, values)
    if (!made) throw new Error('another process moves these hits')
    return { ...found, ...days, delivery: made.delivery }
  }

  return {
    async step(move: string): Promise<StepResult> {
      const question = 'select app.next_move_step($1, $2)'
      const found = await valueAs(database, workerReads, question, [move, maxLinks])
      if (found === null || found === undefined) return 'waits'
      const next = nextStep.parse(found)
      const step = isBegun(next) ? next : await begin(move, next)
      if (!step) {
        const end = 'select app.end_moved_links($1, $2)'
        const result = await valueAs<string>(database, worker, end, [move, next.scopes])
        return result === 'done' ? 'done' : 'more'
      }
      if (!step.days) {
        const days = await copy(step)
        await queryAs(database, worker, 'select app.record_moved_step($1, $2)', [
          move,
          JSON.stringify(days),
        ])
      }
      const { from_scope: account, scopes, from, to } = step
      await deleteRows(ofStep, { account, scopes, from, to })
      await queryAs(database, worker, 'select app.end_move_step($1)', [move])
      return 'more'
    },
    close: () => client.close(),
  }
}

/** The first days that have hits, up to about `maxHits`; undefined without any. */
async function chooseDays(
  client: ClickHouseClient,
  { from_scope: account, scopes }: NextStep,
): Promise<{ from: string; to: string } | undefined> {
  const days = await selectRows<{ day: string; hits: string }>(
    client,
    `select toString(toDate(at)) as day, count() as hits from click_hits
      where account = {account: Int32} and scope in ({scopes: Array(Int32)}) group by day order by day`,
    { account, scopes },
  )
  const [first] = days
  if (!first) return undefined
  let last = first.day
  let hits = 0
  for (const each of days) {
    hits += Number(each.hits)
    if (hits > maxHits && each !== first) break
    last = each.day
  }
  const to = new Date(Date.parse(last) + dayMs).toISOString().slice(0, 10)
  return { from: first.day, to }
}

/** Hits of a step in the former account. */
const ofStep = `account = {account: Int32} and scope in ({scopes: Array(Int32)})
  and at >= toDateTime64({from: String}, 6, 'UTC') and at < toDateTime64({to: String}, 6, 'UTC')`

function isBegun(step: NextStep): step is Step {
  return step.delivery !== undefined && step.from !== undefined && step.to !== undefined
}
