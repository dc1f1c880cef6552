import { createPostgresStore } from '#server/analytics/store/postgres-store.ts'
import { createLog } from '#server/log.ts'
import type { Database } from '#server/postgres/database.ts'
import { queryAs } from '#server/postgres/rows.ts'
import type { TargetKind } from '#server/visits/record/click-record.ts'
import { noClicks } from '#server/visits/record/decode-clicks.ts'
import { addAddresses, type GivenEmail } from './addresses.ts'
import { addPopupEvents } from './popup-events.ts'

/** A link or a page with its approximate number of visits. */
export interface Target {
  kind: TargetKind
  id: string
  visits: number
  /** The popup that its visitors see. */
  popup?: { id: string; collectsEmail: boolean }
  /** Its code or slug. */
  name: string
  /** From -1, falling, to 1, rising; 0 is steady. */
  slope?: number
}

const day = 86_400_000
const days = 60

/** Values with their shares. */
type Weighted<Value> = readonly [readonly [Value, number], ...(readonly [Value, number])[]]

const referrers: Weighted<string> = [
  ['', 41],
  ['https://social.example/', 27],
  ['https://search.example/', 15],
  ['https://news.example/', 9],
  ['https://letters.example/', 5],
  ['https://forum.example/', 3],
]
const browsers: Weighted<string> = [
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_2 like Mac OS X) AppleWebKit/605.1.15 Mobile Safari/604.1',
    38,
  ],
  [
    'Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 Chrome/143.0.0.0 Mobile Safari/537.36',
    23,
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/143.0 Safari/537.36', 21],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/19.1 Safari/605.1.15',
    12,
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0', 6],
]
const queries: Weighted<string> = [
  ['', 68],
  ['qr', 18],
  ['utm_source=newsletter&utm_medium=email&utm_campaign=spring', 14],
]
/** A country, and the languages of its visitors. */
const places: Weighted<readonly [string, string]> = [
  [['DE', 'de-DE,de;q=0.9'], 44],
  [['AT', 'de-AT,de;q=0.9'], 15],
  [['GB', 'en-GB'], 12],
  [['US', 'en-US'], 11],
  [['CH', 'de'], 8],
  [['FR', 'fr-FR'], 6],
  [['JP', 'ja-JP'], 4],
]

/** The value of visit `i`, by shares, in an order without a visible pattern. `step` is irrational, a different one for each fact. */
function pick<Value>(values: Weighted<Value>, i: number, step: number): Value {
  const total = values.reduce((sum, [, weight]) => sum + weight, 0)
  let left = ((i * step) % 1) * total
  for (const [value, weight] of values) {
    left -= weight
    if (left < 0) return value
  }
  return values[0][0]
}

/** Two months of visits: more on weekends and in the evening, some by bots, and the addresses that popups collected. */
export async function visitOverTime(database: Database, targets: readonly Target[]): Promise<void> {
  const clicks = noClicks()
  const now = Date.now()
  const emails: GivenEmail[] = []
  for (const [t, { kind, id, visits, popup, name, slope = 0 }] of targets.entries()) {
    const weights = Array.from({ length: days }, (_, d) =>
      weightOf(new Date(now - d * day), { daysAgo: d, target: t, slope }),
    )
    let seen = 0
    const sum = weights.reduce((a, b) => a + b, 0)
    for (const [d, weight] of weights.entries()) {
      const ofDay = Math.round((visits * weight) / sum)
      for (let n = 0; n < ofDay; n++) {
        const i = clicks.targets.length
        // The golden ratio spreads the visits over the day without a visible pattern.
        const hour = 24 * (0.35 + 0.6 * ((i * 0.618_034) % 1))
        const at = Math.floor((now - d * day) / day) * day + hour * 3_600_000
        clicks.targets.push(id.replaceAll('-', ''))
        clicks.kinds.push(kind)
        clicks.times.push(Math.min(Math.round(at), now - 60_000))
        clicks.verdicts.push(i % 23 === 0 ? 'bot' : 'counted')
        clicks.referrers.push(pick(referrers, i, Math.SQRT2))
        clicks.userAgents.push(pick(browsers, i, Math.E))
        clicks.queries.push(pick(queries, i, Math.PI))
        const [country, language] = pick(places, i, Math.LN2)
        clicks.languages.push(language)
        clicks.places.push(country)
        // Every fifth visitor of a day comes a second time.
        clicks.details.push(undefined)
        clicks.visitors.push(1 + d * 100_000 + (i - (i % 5 === 0 ? 3 : 0)))
        if (popup === undefined) continue
        const { gaveEmail } = addPopupEvents(clicks, {
          visit: i,
          popup,
          surface: id,
          ordinal: seen++,
        })
        if (gaveEmail) emails.push({ popup: popup.id, name, at: clicks.times[i] ?? now })
      }
    }
  }
  const worker = { role: 'hoplet_worker' } as const
  const month = 'select app.make_click_months(app.today() - $1::integer, app.today())'
  await queryAs(database, worker, month, [days])
  const store = createPostgresStore({ database, log: createLog('silent') })
  const prepared = await store.prepare(clicks)
  const visits = { role: 'hoplet_visits', statementTimeout: 30_000 } as const
  await database.transactionAs(visits, (db) => prepared.apply(db))
  await addAddresses(database, emails)
}

interface Weighed {
  daysAgo: number
  target: number
  slope: number
}

function weightOf(date: Date, { daysAgo, target, slope }: Weighed): number {
  const isWeekend = [0, 5, 6].includes(date.getUTCDay())
  const swing = 1 + 0.25 * Math.sin((daysAgo + target * 4) / 5)
  return (isWeekend ? 1.6 : 1) * swing * (1 + 1.6 * slope * (0.5 - daysAgo / days))
}
