import { utmFields } from '#domain/reports/hits.ts'
import type { Transaction } from '../../postgres/database.ts'
import { firstRow } from '../../postgres/rows.ts'
import { hitVerdicts } from '../hits/verdicts.ts'
import {
  compileFilterNumbers,
  compileFilters,
  hitsOfScope,
  restOfHit,
  textsOfHit,
} from './postgres-conditions.ts'
import type { FoundHit, HitCursor, HitsQuestion } from './question.ts'
import { type SqlStatement, timeOf, Values } from './statement.ts'

const minuteMicros = 60_000_000
/** Within minutes the index by time reads less than all hits of an hour do. */
const longestByTimeMicros = 10 * minuteMicros

export interface HitRow extends Record<string, string | number> {
  micros: number
  visitor_text: string
  scope: number
  place: number
}

/** Backwards in growing steps, so that neither a busy nor a quiet target has much read. */
export async function readPostgresHits(
  db: Transaction,
  question: HitsQuestion,
): Promise<FoundHit[]> {
  const found: FoundHit[] = []
  const { from, to, filters, limit } = question
  const names = new Values()
  const numbers = compileFilterNumbers(filters, names)
  const row =
    numbers.length > 0 ? await firstRow(db, `select ${numbers.join(', ')}`, names.values) : {}
  let before: HitCursor = question.before ?? { at: to, visitor: null, place: 0 }
  if (before.at > to) before = { ...before, at: to }
  for (let step = minuteMicros; before.at > from && found.length < limit; step *= 6) {
    const since = Math.max(from, before.at - step)
    const { text, values } = compileHits(question, row ?? {}, since, before, limit - found.length)
    const { rows } = await db.query<HitRow>(text, values)
    found.push(...rows.map(toFoundHit))
    before = { at: since, visitor: null, place: 0 }
  }
  return found
}

function compileHits(
  question: HitsQuestion,
  numbers: Readonly<Record<string, unknown>>,
  since: number,
  before: HitCursor,
  limit: number,
): SqlStatement {
  const values = new Values()
  const [first, last] = [since, before.at].map((at) => values.bind(timeOf(at), 'timestamptz'))
  const visitor = values.bind(before.visitor, 'bigint')
  const place = values.bind(before.place, 'integer')
  const letters = question.verdicts.map((verdict) => hitVerdicts[verdict])
  const hours =
    before.at - since > longestByTimeMicros
      ? ` and app.hour_of(e.at) between app.hour_of(${first}) and app.hour_of(${last})`
      : ''
  return {
    text: `select (extract(epoch from e.at) * 1000000)::bigint::float8 as micros, e.visitor::text as visitor_text, e.scope, e.place_in_list::float8 as place,
        ${textsOfHit.join(', ')}, app.click_word('verdict', e.verdict::text) as verdict
      from (select e.*, row_number() over (partition by e.at, e.visitor order by ${restOfHit}) as place_in_list
        from (select e.* from app.click_events e
          where ${hitsOfScope(question, values)} and e.at >= ${first} and e.at <= ${last}
            and (e.at < ${last} or (e.at, e.visitor) <= (${last}, ${visitor}))${hours}
            and e.verdict = any (${values.bind(letters, '"char"[]')})${compileFilters(question.filters, numbers, values)}
          order by e.at desc, e.visitor desc, ${restOfHit} limit ${values.bind(limit + before.place, 'integer')}) e) e
        join app.click_origins origin on origin.id = e.origin join app.click_places place on place.id = e.place
        join app.click_clients client on client.id = e.client
      where (e.at, e.visitor) is distinct from (${last}, ${visitor}) or e.place_in_list > ${place}
      order by e.at desc, e.visitor desc, e.place_in_list`,
    values: values.values,
  }
}

/** From a row of either store, which has a text for each fact of a hit. */
export function toFoundHit({
  micros,
  visitor_text: visitor,
  scope,
  place,
  ...texts
}: HitRow): FoundHit {
  const facts = Object.entries(texts)
  const isUtm = new Set<string>(utmFields)
  const utm = facts.filter(([name, text]) => isUtm.has(name) && text !== '')
  return {
    ...(Object.fromEntries(facts.filter(([name]) => !isUtm.has(name))) as { verdict: string }),
    at: Number(micros),
    scope,
    cursor: `${micros}.${visitor}.${place}`,
    utm: Object.fromEntries(utm.map(([name, text]) => [name.slice('utm_'.length), String(text)])),
  }
}
