import type { Database } from '#server/postgres/database.ts'
import { applyClicks } from '#server/visits/apply-clicks.ts'
import type { ClickColumns, TargetKind } from '#server/visits/click-record.ts'

/** A link or a page with its approximate number of visits. */
export interface Target {
  kind: TargetKind
  id: string
  visits: number
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

/** Two months of visits: more recently, on weekends and in the evening, some by bots. */
export async function visitOverTime(database: Database, targets: readonly Target[]): Promise<void> {
  const clicks: ClickColumns = {
    targets: [],
    kinds: [],
    times: [],
    verdicts: [],
    referrers: [],
    userAgents: [],
  }
  const now = Date.now()
  for (const [t, { kind, id, visits }] of targets.entries()) {
    const weights = Array.from({ length: days }, (_, d) => weightOf(new Date(now - d * day), d, t))
    const sum = weights.reduce((a, b) => a + b, 0)
    for (const [d, weight] of weights.entries()) {
      const ofDay = Math.round((visits * weight) / sum)
      for (let n = 0; n < ofDay; n++) {
        const i = clicks.targets.length
        // The golden ratio spreads the visits over the day without a visible pattern.
        const hour = 24 * (0.35 + 0.6 * ((i * 0.618_034) % 1))
        const at = Math.floor((now - d * day) / day) * day + hour * 3_600_000
        clicks.targets.push(id)
        clicks.kinds.push(kind)
        clicks.times.push(Math.min(Math.round(at), now - 60_000))
        clicks.verdicts.push(i % 23 === 0 ? 'bot' : 'counted')
        clicks.referrers.push(referrers[(i * 7) % referrers.length] ?? '')
        clicks.userAgents.push(browsers[(i * 5) % browsers.length] ?? '')
      }
    }
  }
  await database.transactionAs({ role: 'hoplet_visits', statementTimeout: 30_000 }, (db) =>
    applyClicks(db, clicks),
  )
}

function weightOf(date: Date, daysAgo: number, target: number): number {
  const isWeekend = [0, 5, 6].includes(date.getUTCDay())
  const swing = 1 + 0.5 * Math.sin((daysAgo + target * 4) / 5)
  return (isWeekend ? 1.6 : 1) * swing * (1.3 - daysAgo / days)
}
