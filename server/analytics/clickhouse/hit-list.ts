import * as z from 'zod'
import { hitFacts, utmFields } from '#domain/hits.ts'
import {
  type AskClickHouse,
  askedOfScope,
  dayMicros,
  filterConditions,
  ofScope,
  restOfKey,
} from './query.ts'

/** Backwards in growing steps, so that neither a busy nor a quiet target has much read. */
const windowsMicros = [
  10 * 60_000_000,
  2 * 3_600_000_000,
  dayMicros,
  12 * dayMicros,
  150 * dayMicros,
]

export const askedHitList = askedOfScope.extend({
  verdicts: z.array(z.string()),
  before_at: z.number().int(),
  before_visitor: z.number().int().nullable(),
  /** Of the hits of that visitor at that moment, so many were before. */
  before_count: z.number().int(),
  limit: z.number().int(),
})

interface HitRow extends Record<string, string | number> {
  micros: number
  visitor_text: string
  scope: number
  place: number
}

/** Hits before a cursor, the newest first, as `api.click_hits` describes them, with `at` and `scope` as numbers. */
export async function listHits(
  asked: z.output<typeof askedHitList>,
  ask: AskClickHouse,
): Promise<unknown[]> {
  const filtered = filterConditions(asked.filters)
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
