import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'

/** Visitors of a link since the start of the UTC day. */
interface DayOfLink {
  visitors: Set<number>
  /** Every visit of the day is among them, as far as is known. */
  isComplete: boolean
  /** Epoch milliseconds up to which the database was asked, and whether it is being asked. */
  readUntil: number
  isReading: boolean
}

export type FirstVisits = ReturnType<typeof createFirstVisits>

/** Tells the other processes of the server of a visitor, new to a link today. */
export type ReportVisitor = (linkId: string, visitor: number) => void

interface FirstVisitsOfServer {
  config: Pick<Config, 'clickhouse'>
  database: Database
  log: Logger
  onVisitor?: ReportVisitor | undefined
}

/** First visits by the hits of the database, which has none of them with ClickHouse. */
export function openFirstVisits({ config, database, log, onVisitor }: FirstVisitsOfServer) {
  const readVisitors = config.clickhouse ? undefined : visitorsReader(database)
  return createFirstVisits({ readVisitors, log, onVisitor })
}

type ReadVisitors = (linkId: string, since: Date) => Promise<readonly number[]>

const maxRows = 200_000

function visitorsReader(database: Database): ReadVisitors {
  const caller = { role: 'hoplet_visits', readOnly: true, statementTimeout: 4_000 } as const
  return async (linkId, since) => {
    const rows = await queryAs<{ visitor: string }>(
      database,
      caller,
      'select app.visitors_since($1, $2, $3) as visitor',
      [linkId, since, maxRows],
    )
    return rows.map(({ visitor }) => Number(visitor))
  }
}

interface FirstVisitsDeps {
  /** Visitors of a link since a time. Undefined where the database has no hits to ask. */
  readVisitors: ReadVisitors | undefined
  log: Logger
  onVisitor?: ReportVisitor | undefined
  /** Epoch milliseconds. */
  now?: () => number
  /** Visitors in memory, of all links. One takes about 40 bytes. */
  maxVisitors?: number
}

const dayMs = 86_400_000
/** The database learns of visits to other servers with a delay. */
const overlapMs = 60_000
const rereadMs = 30_000

/**
 * Remembers the visitors of links with rules about a first visit. A link that is asked for the first time is read from the
 * database; until then, and without one until the next day, nothing is known. Processes of one server tell each other of
 * their visitors at once, servers learn of others' by the database.
 */
export function createFirstVisits({
  readVisitors,
  log,
  onVisitor,
  now = Date.now,
  maxVisitors = 500_000,
}: FirstVisitsDeps) {
  const links = new Map<string, DayOfLink>()
  let today = 0
  let total = 0

  const startDay = (day: number) => {
    if (day === today) return
    today = day
    total = 0
    for (const link of links.values()) {
      link.visitors.clear()
      link.isComplete = true
      link.readUntil = day * dayMs
    }
  }
  const linkOf = (id: string): DayOfLink => {
    startDay(Math.floor(now() / dayMs))
    let link = links.get(id)
    if (!link) {
      const readUntil = today * dayMs - rereadMs
      link = { visitors: new Set(), isComplete: false, readUntil, isReading: false }
      links.set(id, link)
    }
    return link
  }
  /** @returns whether the visitor was not there */
  const add = (link: DayOfLink, visitor: number): boolean => {
    const before = link.visitors.size
    const added = link.visitors.add(visitor).size - before
    total += added
    for (const [id, oldest] of links) {
      if (total <= maxVisitors) break
      total -= oldest.visitors.size
      links.delete(id)
    }
    return added > 0
  }
  const read = async (id: string, link: DayOfLink) => {
    if (!readVisitors || link.isReading || now() - link.readUntil < rereadMs) return
    link.isReading = true
    const [day, until] = [today, now()]
    const since = new Date(Math.max(day * dayMs, link.readUntil - overlapMs))
    try {
      const visitors = await readVisitors(id, since)
      if (day !== today || links.get(id) !== link) return
      for (const visitor of visitors) add(link, visitor)
      link.isComplete = true
      link.readUntil = until
    } catch (error) {
      log.debug({ err: error }, 'the visitors of a link were not read')
    } finally {
      link.isReading = false
    }
  }

  return {
    /**
     * Whether a visit is the visitor's first one to the link on this UTC day; undefined when that is not known.
     *
     * @param isCounted remember it
     */
    visit(linkId: string, visitor: number, isCounted: boolean): boolean | undefined {
      const link = linkOf(linkId)
      const isFirst = link.isComplete ? !link.visitors.has(visitor) : undefined
      if (isCounted && add(link, visitor)) onVisitor?.(linkId, visitor)
      void read(linkId, link)
      return isFirst
    },
    /** Remembers a visitor of another process of the server, for a link that this one may be asked for later too. */
    visitedElsewhere(linkId: string, visitor: number): void {
      add(linkOf(linkId), visitor)
    },
  }
}
