import { queryAs, valueAs } from '../../postgres/rows.ts'
import { selectRows } from './client.ts'
import { type ClickHouseDeps, workerReads } from './worker.ts'

/** A UTC day on which the stores have other numbers. */
export interface Difference {
  day: string
  kind: 'h' | 'p'
  postgres: number
  clickhouse: number
}

interface Digest extends Record<string, unknown> {
  kind: 'h' | 'p'
  day: string
  n: string
  digest: string
}

/** Counting a hundred million hits takes PostgreSQL some minutes. */
const timeoutMs = 60 * 60_000

/**
 * Compares how many hits and events of popups each account has on each UTC day, by verdict. Nothing may be delivered meanwhile.
 *
 * @returns the days that differ, in order
 */
export async function compareStores({ database, client }: ClickHouseDeps): Promise<Difference[]> {
  const reader = { ...workerReads, statementTimeout: timeoutMs }
  const leaving = (await valueAs<number[]>(database, reader, 'select app.leaving_clicks()')) ?? []
  const there = await selectRows<Digest>(client, digests, { leaving })
  const here = await queryAs<Digest>(
    database,
    reader,
    'select kind, day::text, n, digest from app.click_digests($1)',
    [leaving],
  )
  const keyOf = ({ kind, day }: Digest) => `${day} ${kind}`
  const [inClickHouse, inPostgres] = [there, here].map(
    (found) => new Map(found.map((each) => [keyOf(each), each])),
  )
  const keys = new Set([...there, ...here].map(keyOf))
  return [...keys].toSorted().flatMap((key) => {
    const [a, b] = [inPostgres?.get(key), inClickHouse?.get(key)]
    if (a?.digest === b?.digest) return []
    const [day = '', kind] = key.split(' ')
    return [
      { day, kind: kind as 'h' | 'p', postgres: Number(a?.n ?? 0), clickhouse: Number(b?.n ?? 0) },
    ]
  })
}

/** As app.click_digests makes them. */
const digests = [
  ['h', 'click_hits', ''],
  ['p', 'popup_events', 'and popup not in ({leaving: Array(Int32)})'],
]
  .map(
    ([kind, table, more]) => `select '${kind}' as kind, toString(day) as day, sum(hits) as n,
      lower(hex(MD5(arrayStringConcat(arrayMap(x -> concat(toString(x.1), ' ', x.2, ' ', toString(x.3)), arraySort(groupArray((account, verdict, hits)))), ',')))) as digest
    from (select toDate(at) as day, account, toString(verdict) as verdict, count() as hits from ${table}
      where account not in ({leaving: Array(Int32)}) ${more} group by day, account, verdict)
    group by day`,
  )
  .join(' union all ')
