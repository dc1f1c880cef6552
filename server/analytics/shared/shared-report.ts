import { LRUCache } from 'lru-cache'
import { httpErrors } from '../../http/errors.ts'
import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { createWaitingRoom } from '../../primitives/waiting-room.ts'
import type { HitReaders } from '../reports/hit-reader.ts'
import { countReport, type SharedFigures } from './count-report.ts'
import type { SharedReport } from './live-report.ts'

const tokenPattern = /^[A-Za-z0-9_-]{43}$/
const figuresTtlMs = 60_000
const timeoutMs = 4_000
/** Reports that a process counts at once, whoever opens how many; others wait. */
const countedAtOnce = 2
const maxWaiting = 50
const maxWaitMs = 15_000

interface SharedReportsDeps {
  database: Database
  readers: HitReaders
}

/** Reports of links and tags behind an address that no one can guess. */
export function createSharedReports({ database, readers }: SharedReportsDeps) {
  // However often a page is opened, its figures are counted once a minute.
  const figures = new LRUCache<string, Promise<SharedFigures>>({ max: 500, ttl: figuresTtlMs })
  const room = createWaitingRoom(countedAtOnce, maxWaiting)

  const count = async (report: SharedReport, days: number) => {
    const leave = orThrow(await room.enter(maxWaitMs), () => httpErrors.unavailable())
    try {
      return await countReport({ database, reader: readers.with({ timeoutMs }), report, days })
    } finally {
      leave()
    }
  }

  return {
    /** Undefined for a token that opens nothing: unknown, off, over, or of a plan that does not show clicks. */
    async find(token: string): Promise<SharedReport | undefined> {
      if (!tokenPattern.test(token)) return undefined
      const [report] = await queryAs<SharedReport & Record<string, unknown>>(
        database,
        { role: 'hoplet_visits', readOnly: true },
        'select * from app.live_shared_report($1)',
        [token],
      )
      return report
    },

    /** Figures of the last `days` days, at most a minute old. */
    figuresOf(report: SharedReport, days: number): Promise<SharedFigures> {
      const key = `${report.id} ${days}`
      const known = figures.get(key)
      if (known) return known
      const counting = count(report, days)
      figures.set(key, counting)
      counting.catch(() => figures.delete(key))
      return counting
    },
  }
}
