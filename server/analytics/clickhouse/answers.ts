import { ClickHouseError } from '@clickhouse/client'
import * as z from 'zod'
import { DatabaseUnavailableError } from '../../postgres/database.ts'
import type { AnswerQuestion, Question } from '../../postgres/questions.ts'
import { type ClickHouseSettings, openReader, selectRows } from './client.ts'
import { askedFigures, figuresQuery } from './figures.ts'
import { askedHitList, listHits } from './hit-list.ts'
import {
  type AskClickHouse,
  byPeople,
  type ClickHouseQuery,
  figures,
  localDay,
  timeZone,
  withinSpan,
} from './query.ts'

/** Other targets are counted when they are asked for. */
const busyHits = 500
/** For the busiest links, in seconds. */
const recentSeconds = [600, 7_200, 86_400, 10 * 86_400, 90 * 86_400]

const whole = z.number().int()
const span = { from: whole, to: whole }
/** Each is written by a function of database/code/17_clickhouse.sql, which says what the rows of its answer are. */
const questions = {
  figures: askedFigures,
  visits: z.object({ account: whole, scopes: z.array(whole), ...span }),
  popup: z.object({ popup: whole, zone: timeZone, ...span }),
  popup_days: z.object({ popups: z.array(whole), zone: timeZone, from: whole }),
  target_days: z.object({ account: whole, scopes: z.array(whole), zone: timeZone, from: whole }),
  busiest: z.object({ hits: whole, limit: whole }),
  totals: z.object({ account: whole, ...span }),
  recent: z.object({ accounts: z.array(whole) }),
  hits: askedHitList,
}
type Asked<Kind extends keyof typeof questions> = z.output<(typeof questions)[Kind]>

const sinceThen =
  'at >= fromUnixTimestamp64Micro({from: Int64}) and at < now64(6) + interval 1 minute'

/** Answers what reports ask about hits (server/postgres/questions.ts), with every hit counted. */
export function createAnswers(settings: ClickHouseSettings): {
  answer: AnswerQuestion
  close(): Promise<void>
} {
  const client = openReader(settings)
  const ask: AskClickHouse = async ({ text, parameters }) => {
    try {
      return await selectRows(client, text, parameters)
    } catch (error) {
      // What ClickHouse refuses is a defect of ours, but for what took too long or too much.
      if (error instanceof ClickHouseError && !isOverload(error)) throw error
      throw new DatabaseUnavailableError('ClickHouse does not answer', { cause: error })
    }
  }
  return {
    answer: (question) => answer(question, ask),
    close: () => client.close(),
  }
}

/** 159, 160: too slow; 202: too many queries; 241: not enough memory. */
const isOverload = ({ code }: ClickHouseError) => ['159', '160', '202', '241'].includes(code)

async function answer(question: Question, ask: AskClickHouse): Promise<unknown> {
  switch (question.kind) {
    case 'figures':
      return ask(figuresQuery(questions.figures.parse(question)))
    case 'visits':
      return ask(visitsOf(questions.visits.parse(question)))
    case 'popup':
      return ask(popupOf(questions.popup.parse(question)))
    case 'popup_days':
      return ask({
        text: `select popup, ${localDay} as day, count() as clicks from popup_events
          where popup in ({popups: Array(Int32)}) and ${sinceThen} and action in ('clicked', 'emailed') and ${byPeople} group by 1, 2`,
        parameters: questions.popup_days.parse(question),
      })
    case 'target_days':
      return ask({
        text: `select scope as target, ${localDay} as day, count() as clicks from click_hits
          where account = {account: Int32} and scope in ({scopes: Array(Int32)}) and ${sinceThen} and ${byPeople} group by 1, 2`,
        parameters: questions.target_days.parse(question),
      })
    case 'totals':
      return ask(totalsOf(questions.totals.parse(question)))
    case 'recent':
      return ask({
        text: `select account, scope, count() as clicks from click_hits
          where account in ({accounts: Array(Int32)}) and at > now64(6) - interval 2 hour and ${byPeople} group by 1, 2`,
        parameters: questions.recent.parse(question),
      })
    case 'busiest':
      return busiest(questions.busiest.parse(question), ask)
    case 'hits':
      return listHits(questions.hits.parse(question), ask)
    default:
      throw new Error(`Unknown question: ${question.kind}`)
  }
}

/** Of a day of an account, and of the busy ones of its targets. */
function totalsOf(asked: Asked<'totals'>): ClickHouseQuery {
  const totals = `${figures}, uniqExactIf(visitor, visitor <> 0 and verdict in ('counted', 'repeat')) as visitors
    from click_hits where account = {account: Int32} and ${withinSpan}`
  return {
    text: `select {account: Int32} as scope, ${totals}
      union all select * from (select scope, ${totals} and scope <> {account: Int32} group by scope having count() >= ${busyHits})`,
    parameters: asked,
  }
}

function visitsOf(asked: Asked<'visits'>): ClickHouseQuery {
  const text = `select ${figures} from click_hits where account = {account: Int32} and scope in ({scopes: Array(Int32)}) and ${withinSpan}`
  return { text, parameters: asked }
}

/** Events by day, surface and action, and rows without a surface with the visitors of each day and action. */
function popupOf(asked: Asked<'popup'>): ClickHouseQuery {
  const from = `from popup_events where popup = {popup: Int32} and ${withinSpan} and ${byPeople}`
  return {
    text: `select ${localDay} as day, toNullable(surface) as surface, action, countIf(verdict = 'counted') as counted, countIf(verdict = 'repeat') as repeats,
        countIf(verdict = 'own') as own, 0 as visitors ${from} group by day, surface, action
      union all
      select ${localDay} as day, null as surface, action, 0 as counted, 0 as repeats, 0 as own, uniqExactIf(visitor, visitor <> 0 and verdict <> 'own') as visitors
        ${from} group by day, action having visitors > 0`,
    parameters: asked,
  }
}

async function busiest(asked: Asked<'busiest'>, ask: AskClickHouse): Promise<unknown[]> {
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
