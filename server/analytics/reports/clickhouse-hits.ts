import { hitFacts, utmFields } from '#domain/reports/hits.ts'
import { type HitRow, toFoundHit } from './postgres-hits.ts'
import type { FoundHit, HitsQuestion } from './question.ts'
import {
  type AskClickHouse,
  dayMicros,
  filterConditions,
  ofScope,
  restOfKey,
} from './clickhouse-query.ts'

/** Backwards in growing steps, so that neither a busy nor a quiet target has much read. */
const windowsMicros = [
  10 * 60_000_000,
  2 * 3_600_000_000,
  dayMicros,
  12 * dayMicros,
  150 * dayMicros,
]

/** Hits before a cursor, the newest first. */
export async function readClickHouseHits(
  question: HitsQuestion,
  ask: AskClickHouse,
): Promise<FoundHit[]> {
  const { scope, account, from: first, to, verdicts, limit } = question
  const filtered = filterConditions(question.filters)
  const found: FoundHit[] = []
  let { at: before, visitor, place: count } = question.before ?? { at: to, visitor: null, place: 0 }
  before = Math.min(before, to)
  for (const window of [...windowsMicros, Infinity]) {
    const from = Math.max(first, before - window)
    const key = `at desc, visitor desc, ${restOfKey}`
    const rows = await ask<HitRow>({
      text: `select toUnixTimestamp64Micro(at) as micros, toString(visitor) as visitor_text, scope, place, verdict, bot, ${[...hitFacts, ...utmFields].join(', ')}
        from (select *, row_number() over (partition by at, visitor order by ${restOfKey}) as place
          from (select * from click_hits
            where ${ofScope(question)} and at >= fromUnixTimestamp64Micro({since: Int64}) and verdict in ({verdicts: Array(String)})
              and (at < fromUnixTimestamp64Micro({before: Int64})
                ${visitor === null ? '' : 'or (at = fromUnixTimestamp64Micro({before: Int64}) and visitor <= {visitor: Int64})'})${filtered.text}
            order by ${key} limit {most: UInt32}))
        where (at, visitor) <> (fromUnixTimestamp64Micro({before: Int64}), {visitor: Int64}) or place > {count: UInt32}
        order by ${key}`,
      parameters: {
        scope,
        account,
        verdicts,
        ...filtered.parameters,
        since: from,
        before,
        // No hit has this number.
        visitor: visitor ?? -1,
        count,
        most: limit - found.length + count,
      },
    })
    found.push(...rows.map(toFoundHit))
    if (found.length >= limit || from <= first) return found
    before = from
    visitor = null
    count = 0
  }
  return found
}
