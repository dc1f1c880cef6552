import { createPostgresStore } from '#server/analytics/store/postgres-store.ts'
import { createLog } from '#server/log.ts'
import type { Database } from '#server/postgres/database.ts'
import { queryAs } from '#server/postgres/rows.ts'
import type { TargetKind } from '#server/visits/record/click-record.ts'
import { noClicks } from '#server/visits/record/decode-clicks.ts'
import { addPopupEvents } from './popup-events.ts'

/** A link or a page with its approximate number of visits. */
export interface Target {
  kind: TargetKind
  id: string
  visits: number
  /** The id of the popup that its visitors see. */
  popup?: string
}

const day = 86_400_000
const days = 60
const referrers = [
  '',
  'https://social.example/',
  'https://search.example/',
  'https://news.example/',
]
const browsers = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_2 like Mac OS X) AppleWebKit/605.1.15 Mobile Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/143.0 Safari/537.36',
]

const queries = ['', '', '', 'qr', 'utm_source=newsletter&utm_medium=email&utm_campaign=spring', '']
const languages = ['de-DE,de;q=0.9', 'en-US', 'en-GB', 'de-AT', 'fr-FR', 'ja-JP', 'de']
const places = ['DE', 'US', 'GB', 'AT', 'FR', 'JP', 'CH']

/** Two months of visits: more recently, on weekends and in the evening, some by bots. */
export async function visitOverTime(database: Database, targets: readonly Target[]): Promise<void> {
  const clicks = noClicks()
  const now = Date.now()
  for (const [t, { kind, id, visits, popup }] of targets.entries()) {
    const weights = Array.from({ length: days }, (_, d) => weightOf(new Date(now - d * day), d, t))
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
        clicks.referrers.push(referrers[(i * 7) % referrers.length] ?? '')
        clicks.userAgents.push(browsers[(i * 5) % browsers.length] ?? '')
        clicks.queries.push(queries[(i * 11) % queries.length] ?? '')
        clicks.languages.push(languages[(i * 13) % languages.length] ?? '')
        clicks.places.push(places[(i * 13) % places.length] ?? '')
        // Every fifth visitor of a day comes a second time.
        clicks.details.push(undefined)
        clicks.visitors.push(1 + d * 100_000 + (i - (i % 5 === 0 ? 3 : 0)))
        if (popup !== undefined)
          addPopupEvents(clicks, { visit: i, popup, surface: id, ordinal: n })
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
}

function weightOf(date: Date, daysAgo: number, target: number): number {
  const isWeekend = [0, 5, 6].includes(date.getUTCDay())
  const swing = 1 + 0.5 * Math.sin((daysAgo + target * 4) / 5)
  return (isWeekend ? 1.6 : 1) * swing * (1.3 - daysAgo / days)
}
