import { ClickHouseError } from '@clickhouse/client'
import { DatabaseUnavailableError } from '../../postgres/database.ts'
import { type ClickHouseSettings, openReader, selectRows } from '../clickhouse/client.ts'
import { type ClickHouseFigures, figuresQuery } from './clickhouse-figures.ts'
import { readClickHouseHits } from './clickhouse-hits.ts'
import {
  type AskClickHouse,
  byPeople,
  type ClickHouseQuery,
  figures,
  localDay,
  withinSpan,
  zoneOf,
} from './clickhouse-query.ts'
import type {
  Counts,
  Figure,
  HitReader,
  PopupsQuestion,
  Span,
  VariantsQuestion,
} from './question.ts'

/** Other targets are counted when they are asked for. */
const busyHits = 500
/** For the busiest links, in seconds. */
const recentSeconds = [600, 7_200, 86_400, 10 * 86_400, 90 * 86_400]

/** Every hit is counted in ClickHouse. */
export interface ClickHouseReader extends Omit<HitReader, 'figures'> {
  figures(question: ClickHouseFigures): Promise<Figure[]>
  /** Totals of an account's day, and of its busy targets. */
  totals(account: number, span: Span): Promise<(Counts & { scope: number; visitors: number })[]>
  close(): Promise<void>
}

export function openClickHouseReader(settings: ClickHouseSettings): ClickHouseReader {
  const client = openReader(settings)
  const ask: AskClickHouse = async ({ text, parameters }) => {
    try {
      return await selectRows(client, text, parameters)
    } catch (error) {
      // A refusal of ClickHouse is a defect of ours, except for limits of time and memory.
      if (error instanceof ClickHouseError && !isOverload(error)) throw error
      throw new DatabaseUnavailableError('ClickHouse does not answer', { cause: error })
    }
  }
  return {
    figures: (question) => readFigures(question, ask),
    hits: (question) => readClickHouseHits(question, ask),
    targetDays: ({ account, targets, zone, from, to }) =>
      ask({
        text: `select scope as target, ${localDay} as day, ${figures} from click_hits
          where account = {account: Int32} and scope in ({targets: Array(Int32)}) and ${withinSpan} and ${byPeople} group by 1, 2`,
        parameters: { account, targets, zone: zoneOf(zone), from, to },
      }),
    popupDays: (question) => ask(popupDays(question)),
    variants: (question) => ask(variants(question)),
    recentClicks: (accounts) =>
      ask({
        text: `select account, scope, count() as clicks from click_hits
          where account in ({accounts: Array(Int32)}) and at > now64(6) - interval 2 hour and ${byPeople} group by 1, 2`,
        parameters: { accounts },
      }),
    busiestTargets: (hits, limit) => busiest({ hits, limit }, ask),
    totals: (account, { from, to }) => ask(totalsOf({ account, from, to })),
    close: () => client.close(),
  }
}

/** 159, 160: too slow; 202: too many queries; 241: not enough memory. */
const isOverload = ({ code }: ClickHouseError) => ['159', '160', '202', '241'].includes(code)

async function readFigures(question: ClickHouseFigures, ask: AskClickHouse): Promise<Figure[]> {
  const rate = question.rate ?? 1
  const rows = await ask<Figure>(figuresQuery(question))
  return rows.map((row) => ({
    value: row.value,
    counted: row.counted * rate,
    repeats: row.repeats * rate,
    own: row.own * rate,
    bots: row.bots * rate,
    imported: row.imported * rate,
    visitors: row.visitors * rate,
  }))
}

function totalsOf(asked: Span & { account: number }): ClickHouseQuery {
  const totals = `${figures}, uniqExactIf(visitor, visitor <> 0 and verdict in ('counted', 'repeat')) as visitors
    from click_hits where account = {account: Int32} and ${withinSpan}`
  return {
    text: `select {account: Int32} as scope, ${totals}
      union all select * from (select scope, ${totals} and scope <> {account: Int32} group by scope having count() >= ${busyHits})`,
    parameters: { ...asked },
  }
}

/** By day, surface and action, and rows without a surface with the visitors of each day and action. */
function popupDays({ popups, zone, from, to }: PopupsQuestion): ClickHouseQuery {
  const events = `from popup_events where popup in ({popups: Array(Int32)}) and ${withinSpan} and ${byPeople}`
  return {
    text: `select popup, ${localDay} as day, toNullable(surface) as surface, action, countIf(verdict = 'counted') as counted, countIf(verdict = 'repeat') as repeats,
        countIf(verdict = 'own') as own, 0 as visitors ${events} group by popup, day, surface, action
      union all
      select popup, ${localDay} as day, null as surface, action, 0 as counted, 0 as repeats, 0 as own, uniqExactIf(visitor, visitor <> 0 and verdict <> 'own') as visitors
        ${events} group by popup, day, action having visitors > 0`,
    parameters: { popups, zone: zoneOf(zone), from, to },
  }
}

function variants({ scope, account, popup, from, to }: VariantsQuestion): ClickHouseQuery {
  return {
    text: `select rule, variant, toFloat64(sum(n)) as clicks, toFloat64(countIf(visitor <> 0 and is_of_others)) as shown,
        toFloat64(countIf(is_of_others and visitor in (
          select visitor from popup_events where account = {account: Int32} and popup = {popup: Int32} and ${withinSpan}
            and surface = {scope: Int32} and visitor <> 0 and action in ('clicked', 'emailed') and verdict in ('counted', 'repeat')))) as converted
      from (select rule, variant, visitor, count() as n, max(verdict in ('counted', 'repeat')) as is_of_others from click_hits
        where account = {account: Int32} and scope = {scope: Int32} and ${withinSpan} and ${byPeople} and variant <> ''
        group by rule, variant, visitor)
      group by rule, variant`,
    parameters: { scope, account, popup, from, to },
  }
}

async function busiest(
  asked: { hits: number; limit: number },
  ask: AskClickHouse,
): ReturnType<HitReader['busiestTargets']> {
  const recent = `from click_hits where at > now64(6) - interval {seconds: UInt32} second and at < now64(6) + interval 1 day`
  const isEnough = async (seconds: number) => {
    const text = `select count() >= {hits: UInt32} as enough from (select 1 ${recent} limit {hits: UInt32})`
    const [row] = await ask<{ enough: number }>({ text, parameters: { ...asked, seconds } })
    return row?.enough === 1
  }
  let seconds = 0
  for (seconds of recentSeconds) if (await isEnough(seconds)) break
  return ask({
    text: `select scope, count() as clicks from (select scope, verdict ${recent} order by at desc limit {hits: UInt32})
      where ${byPeople} group by scope order by clicks desc, scope limit {limit: UInt32}`,
    parameters: { ...asked, seconds },
  })
}
