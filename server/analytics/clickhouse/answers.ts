import { ClickHouseError } from '@clickhouse/client'
import * as z from 'zod'
import { clickDimensions, hitFacts, utmFields } from '#domain/hits.ts'
import { DatabaseUnavailableError } from '../../postgres/database.ts'
import type { AnswerQuestion, Question } from '../../postgres/questions.ts'
import { type ClickHouseSettings, openReader, selectRows } from './client.ts'

/** Rows of a report that are listed; the others are one row without a value. A report shows 1,000 at most. */
const maxValues = 10_000
const dayMicros = 86_400_000_000
/** Of a list of hits: backwards in growing steps, so that neither a busy nor a quiet target has much read. */
const windowsMicros = [
  10 * 60_000_000,
  2 * 3_600_000_000,
  dayMicros,
  12 * dayMicros,
  150 * dayMicros,
]
/** For the busiest links, in seconds. */
const recentSeconds = [600, 7_200, 86_400, 10 * 86_400, 90 * 86_400]

const whole = z.number().int()
const span = { from: whole, to: whole }
const filters = z.record(z.string(), z.array(z.string()))
/** Each is written by a function of migration 0026, which says what the rows of its answer are. */
const questions = {
  figures: z.object({
    scope: whole,
    account: whole,
    by: z.string(),
    zone: z.string(),
    filters,
    ...span,
  }),
  visits: z.object({ account: whole, scopes: z.array(whole), ...span }),
  popup: z.object({ popup: whole, zone: z.string(), ...span }),
  popup_days: z.object({ popups: z.array(whole), zone: z.string(), from: whole }),
  target_days: z.object({ account: whole, scopes: z.array(whole), zone: z.string(), from: whole }),
  busiest: z.object({ hits: whole, limit: whole }),
  recent: z.object({ accounts: z.array(whole) }),
  hits: z.object({
    scope: whole,
    account: whole,
    ...span,
    filters,
    verdicts: z.array(z.string()),
    before_at: whole,
    before_visitor: whole.nullable(),
    before_count: whole,
    limit: whole,
  }),
}
type Asked<Kind extends keyof typeof questions> = z.output<(typeof questions)[Kind]>

interface Query {
  text: string
  parameters: Record<string, unknown>
}
type Ask = <Row>(query: Query) => Promise<Row[]>

/** Dimensions are columns of the table, but for the target, whose number is. */
const columnOf = new Map<string, string>(
  clickDimensions.map((name) => [name, name === 'target' ? 'scope' : name]),
)
/** Orders hits of the same visitor at the same moment: those that are alike in everything are as good as each other. */
const restOfKey = [...columnOf.values()].join(', ')

const figures = `countIf(verdict = 'counted') as counted, countIf(verdict = 'repeat') as repeats, countIf(verdict = 'own') as own,
  countIf(verdict not in ('counted', 'repeat', 'own')) as bots`
const people = `uniqExactIf(visitor, visitor <> 0 and verdict in ('counted', 'repeat')) as visitors`
const sums = ['counted', 'repeats', 'own', 'bots', 'visitors'].map(
  (name) => `sum(${name}) as ${name}`,
)
const byPeople = `verdict in ('counted', 'repeat', 'own')`
const within =
  'at >= fromUnixTimestamp64Micro({from: Int64}) and at < fromUnixTimestamp64Micro({to: Int64})'
const sinceThen =
  'at >= fromUnixTimestamp64Micro({from: Int64}) and at < now64(6) + interval 1 minute'
const localDay = 'toDate(at, {zone: String})'

/** Answers what reports ask about hits (server/postgres/questions.ts), with every hit counted. */
export function createAnswers(settings: ClickHouseSettings): {
  answer: AnswerQuestion
  close(): Promise<void>
} {
  const client = openReader(settings)
  const ask: Ask = async ({ text, parameters }) => {
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

async function answer(question: Question, ask: Ask): Promise<unknown> {
  switch (question.kind) {
    case 'figures':
      return ask(figuresOf(questions.figures.parse(question)))
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
    case 'recent':
      return ask({
        text: `select account, scope, count() as clicks from click_hits
          where account in ({accounts: Array(Int32)}) and at > now64(6) - interval 2 hour and ${byPeople} group by 1, 2`,
        parameters: questions.recent.parse(question),
      })
    case 'busiest':
      return busiest(questions.busiest.parse(question), ask)
    case 'hits':
      return hits(questions.hits.parse(question), ask)
    default:
      throw new Error(`Unknown question: ${question.kind}`)
  }
}

/** The hits of an account or of one thing in it. The account comes first in the order of the table. */
function ofScope({ scope, account }: { scope: number; account: number }): string {
  return scope === account
    ? 'account = {account: Int32}'
    : 'account = {account: Int32} and scope = {scope: Int32}'
}

function knownColumn(dimension: string): string {
  const column = columnOf.get(dimension)
  if (column === undefined) throw new Error(`Unknown dimension: ${dimension}`)
  return column
}

function filtersOf(given: Readonly<Record<string, readonly string[]>>): Query {
  const parameters: Record<string, unknown> = {}
  const conditions = Object.entries(given).map(([name, values], index) => {
    const key = `filter_${index}`
    parameters[key] = values
    return ` and toString(${knownColumn(name)}) in ({${key}: Array(String)})`
  })
  return { text: conditions.join(''), parameters }
}

/** By a dimension, by time in the zone, or (by 'visitors') only how many visitors each day had, added up. */
function figuresOf(asked: Asked<'figures'>): Query {
  const { by } = asked
  const filtered = filtersOf(asked.filters)
  const from = `from click_hits where ${ofScope(asked)} and ${within}${filtered.text}`
  const parameters = { ...asked, ...filtered.parameters }
  const grouped = (value: string, what: string) =>
    `select ${value} as value, ${what} ${from} group by value`
  if (by === 'hour') {
    const start = `fromUnixTimestamp64Micro({from: Int64} + intDiv(toUnixTimestamp64Micro(at) - {from: Int64}, 3600000000) * 3600000000)`
    const value = `formatDateTime(${start}, '%Y-%m-%dT%H:%i:%SZ', 'UTC')`
    return { text: grouped(value, `${figures}, ${people}`), parameters }
  }
  if (by === 'day')
    return { text: grouped(`toString(${localDay})`, `${figures}, ${people}`), parameters }
  if (by === 'month' || by === 'visitors') {
    const value = by === 'month' ? 'toString(toStartOfMonth(day))' : `''`
    const days = `select ${localDay} as day, ${by === 'month' ? figures : '0 as counted, 0 as repeats, 0 as own, 0 as bots'}, ${people} ${from} group by day`
    return {
      text: `select ${value} as value, ${sums.join(', ')} from (${days}) group by value`,
      parameters,
    }
  }
  if (by === 'weekhour') {
    const value = `toString((toDayOfWeek(at, 0, {zone: String}) - 1) * 24 + toHour(at, {zone: String}))`
    return { text: grouped(value, `${figures}, 0 as visitors`), parameters }
  }
  const all = grouped(`toString(${knownColumn(by)})`, `${figures}, 0 as visitors`)
  return {
    text: `select if(place <= ${maxValues}, name, null) as value, ${sums.join(', ')}
      from (select value as name, counted, repeats, own, bots, visitors, row_number() over (order by counted + repeats + own + bots desc, value) as place from (${all}))
      group by value`,
    parameters,
  }
}

function visitsOf(asked: Asked<'visits'>): Query {
  const text = `select ${figures} from click_hits where account = {account: Int32} and scope in ({scopes: Array(Int32)}) and ${within}`
  return { text, parameters: asked }
}

/** Events by day, surface and action, and rows without a surface with the visitors of each day and action. */
function popupOf(asked: Asked<'popup'>): Query {
  const from = `from popup_events where popup = {popup: Int32} and ${within} and ${byPeople}`
  return {
    text: `select ${localDay} as day, toNullable(surface) as surface, action, countIf(verdict = 'counted') as counted, countIf(verdict = 'repeat') as repeats,
        countIf(verdict = 'own') as own, 0 as visitors ${from} group by day, surface, action
      union all
      select ${localDay} as day, null as surface, action, 0 as counted, 0 as repeats, 0 as own, uniqExactIf(visitor, visitor <> 0 and verdict <> 'own') as visitors
        ${from} group by day, action having visitors > 0`,
    parameters: asked,
  }
}

async function busiest(asked: Asked<'busiest'>, ask: Ask): Promise<unknown[]> {
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

interface HitRow extends Record<string, string | number> {
  micros: number
  visitor_text: string
  scope: number
  place: number
}

/** Hits before a cursor, the newest first, as `api.click_hits` describes them, with `at` and `scope` as numbers. */
async function hits(asked: Asked<'hits'>, ask: Ask): Promise<unknown[]> {
  const filtered = filtersOf(asked.filters)
  const found: unknown[] = []
  let { before_at: before, before_visitor: visitor, before_count: count } = asked
  before = Math.min(before, asked.to)
  for (const window of [...windowsMicros, Infinity]) {
    const from = Math.max(asked.from, before - window)
    const key = `at desc, visitor desc, ${restOfKey}`
    const rows = await ask<HitRow>({
      text: `select toUnixTimestamp64Micro(at) as micros, toString(visitor) as visitor_text, scope, place, verdict, bot, ${[...hitFacts, ...utmFields].join(', ')}
        from (select *, row_number() over (partition by at, visitor order by ${restOfKey}) as place
          from (select * from click_hits
            where ${ofScope(asked)} and at >= fromUnixTimestamp64Micro({since: Int64}) and verdict in ({verdicts: Array(String)})
              and (at < fromUnixTimestamp64Micro({before: Int64})
                ${visitor === null ? '' : 'or (at = fromUnixTimestamp64Micro({before: Int64}) and visitor <= {visitor: Int64})'})${filtered.text}
            order by ${key} limit {most: UInt32}))
        where (at, visitor) <> (fromUnixTimestamp64Micro({before: Int64}), {visitor: Int64}) or place > {count: UInt32}
        order by ${key}`,
      parameters: {
        ...asked,
        ...filtered.parameters,
        since: from,
        before,
        // No hit has this number.
        visitor: visitor ?? -1,
        count,
        most: asked.limit - found.length + count,
      },
    })
    found.push(...rows.map(hitOf))
    if (found.length >= asked.limit || from <= asked.from) return found
    before = from
    visitor = null
    count = 0
  }
  return found
}

function hitOf({ micros, visitor_text: visitor, scope, place, ...texts }: HitRow) {
  const utm = utmFields.flatMap((field) => {
    const value = texts[field]
    delete texts[field]
    return value === '' ? [] : [[field.slice('utm_'.length), value]]
  })
  return {
    ...texts,
    at: Number(micros),
    scope,
    cursor: `${micros}.${visitor}.${place}`,
    utm: Object.fromEntries(utm) as object,
  }
}
