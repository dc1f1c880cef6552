import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { createLru } from '../primitives/lru.ts'
import { visitorNumber } from '../visits/record/decode-clicks.ts'
import type { IdentifyVisitor } from '../visits/visitor/visitor-identity.ts'

interface OwnBrowsersDeps {
  database: Database
  identify: IdentifyVisitor
  log: Logger
}

const maxKnown = 50_000
/** Per person and day; more browsers than that are not taken for the person's own. */
const maxBrowsers = 50
/** Records that wait for the database; more are left out until their browser comes again. */
const maxWaiting = 1_000

/**
 * Records the browsers in which people use this server, so that visits to their own links are recognized.
 * Only the hash that a visit would have is kept, and for as long as its key (docs/decisions/0080).
 */
export function createOwnBrowsers({ database, identify, log }: OwnBrowsersDeps) {
  // A hash is another one every day, so that it needs no day beside it.
  const known = createLru<true>(maxKnown)
  let waiting = 0
  // One at a time: visits have few connections.
  let queue = Promise.resolve()

  const record = async (userId: string, visitor: number, key: string) => {
    try {
      await queryAs(
        database,
        { role: 'hoplet_visits' },
        `insert into app.own_visitors (day, visitor, user_id)
          select t.day, $1, $2 from (select (now() at time zone 'utc')::date as day) t
          where (select count(*) from app.own_visitors o where o.user_id = $2 and o.day = t.day) < $3
          on conflict do nothing`,
        [visitor, userId, maxBrowsers],
      )
    } catch (error) {
      known.delete(key)
      log.debug({ err: error }, 'the browser of a person was not recorded')
    }
    waiting--
  }

  return {
    /** The person has just used the server from there. Returns at once, and costs one insert per browser and day. */
    saw(userId: string, address: string, userAgent: string): void {
      const visitor = visitorNumber(identify(address, userAgent).identity.hash)
      const key = `${userId} ${visitor}`
      if (known.has(key) || waiting >= maxWaiting) return
      known.set(key, true)
      waiting++
      queue = queue.then(() => record(userId, visitor, key))
    },
    close: () => queue,
  }
}
