import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import type { RateLimits } from '../http/rate-limit.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import type { Listener } from '../postgres/listen.ts'
import {
  missingCode,
  notFound,
  send,
  tooManyMisses,
  unavailable,
  unexpected,
  withdrawn,
  wrongMethod,
} from './answer.ts'
import { createBreaker } from './breaker.ts'
import { type ClickStatus, openClicks } from './clicks.ts'
import { decide } from './decide.ts'
import type { Entry, LinkEntry } from './entry.ts'
import { openFastLane } from './fast-lane.ts'
import { startHeartbeat } from './heartbeat.ts'
import { loadEntries } from './load-entries.ts'
import { createMissLimit } from './miss-limit.ts'
import { createResolver, type ReadEntries } from './resolve.ts'
import { isNotFoundPath, nameIn } from './visit-path.ts'
import { visitorOf } from './visitor.ts'

/** Door 4: `/{code}`, and the page at `/404`. */
export interface Visits {
  /** True: it was a visit, answered now or later. False: not a `/{code}` path, the app takes it. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** Puts the fast lane in front of a server whose request listener asks {@link handle} first. */
  attach(server: Server): void
  status(): VisitStatus
  /** Records and applies the clicks that are there, within about 10 s. Call it when no more requests come. */
  close(): Promise<void>
}

export interface VisitStatus {
  clicks: ClickStatus
  /** Queries made to look names up. */
  lookups: number
  /** Names in memory. */
  entries: number
  /** The database fails, so memory answers alone. */
  databaseDown: boolean
}

interface Parts {
  config: Config & { publicUrl: string }
  database: Database
  listener: Listener
  rateLimits: RateLimits
  log: Logger
  /** Milliseconds, monotonic; tests have their own. */
  now?: () => number
}

/** Opens door 4: reads the journal that an earlier process left and starts applying it. */
export async function createVisits(parts: Parts): Promise<Visits> {
  const { config, database, listener, rateLimits, log } = parts
  const now = parts.now ?? (() => performance.now())
  const breaker = createBreaker(now)
  let lookups = 0
  const readAll: ReadEntries = (names, known) => {
    lookups++
    return loadEntries(database, names, config.publicUrl, known)
  }
  const heartbeat = startHeartbeat(database, listener, now)
  const { isHeard } = heartbeat
  const resolver = createResolver({ readAll, listener, isHeard, breaker, log, now })
  const clicks = openClicks({ config, database, breaker, log })
  const misses = createMissLimit(rateLimits, config.trustedProxies, now)

  const act = (
    entry: Entry | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): void => {
    const decision = decide(entry)
    switch (decision.do) {
      case 'redirect':
      // The popup page comes with the popups' issue. Until then the visitor arrives, and the visit counts.
      case 'interstitial':
        clicks.record(decision.link, visitorOf(request), response, decision.link.answer)
        return
      // The bio page comes with the bio pages' issue. Until then there is nothing to see, and nothing to count.
      case 'bio':
        send(response, notFound(config.publicUrl))
        return
      case 'gone':
        send(response, withdrawn(config.publicUrl))
        return
      case 'missing': {
        const wait = misses.missed(request)
        send(
          response,
          wait === undefined
            ? missingCode(config.publicUrl)
            : tooManyMisses(config.publicUrl, wait),
        )
        return
      }
      case 'unavailable':
        send(response, unavailable(config.publicUrl))
    }
  }

  const fail = (error: unknown, response: ServerResponse): void => {
    log.error({ err: error }, 'a visit failed')
    if (!response.headersSent) send(response, unexpected(config.publicUrl))
  }

  const visit = (name: string, request: IncomingMessage, response: ServerResponse): void => {
    const wait = misses.blockedFor(request)
    if (wait !== undefined) return send(response, tooManyMisses(config.publicUrl, wait))
    const entry = resolver.peek(name)
    if (entry !== undefined) return act(entry, request, response)
    resolver
      .load(name)
      .then((loaded) => act(loaded, request, response))
      .catch((error: unknown) => fail(error, response))
  }

  return {
    handle(request, response) {
      const url = request.url ?? ''
      const name = nameIn(url)
      const isNotFound = name === undefined && isNotFoundPath(url)
      if (name === undefined && !isNotFound) return false
      try {
        if (request.method !== 'GET' && request.method !== 'HEAD') {
          send(response, wrongMethod(config.publicUrl))
        } else if (name === undefined) {
          send(response, notFound(config.publicUrl))
        } else {
          visit(name, request, response)
        }
      } catch (error) {
        fail(error, response)
      }
      return true
    },
    attach: (server) =>
      openFastLane(server, {
        mayServe: () => !misses.blocksAnyone(),
        find(name) {
          const entry = resolver.peek(name)
          return entry === undefined ? resolver.load(name).then(plainLink) : plainLink(entry)
        },
        record: (link, visit, lane) => clicks.record(link, visitorOf(visit), lane, link.answer),
        failed: (error) => log.error({ err: error }, 'a visit failed'),
      }),
    status: () => ({
      clicks: clicks.status(),
      lookups,
      entries: resolver.size(),
      databaseDown: breaker.isOpen(),
    }),
    close() {
      heartbeat.close()
      return clicks.close()
    },
  }
}

/** The link, if the visitor is simply to be sent on. */
function plainLink(entry: Entry | undefined): LinkEntry | undefined {
  const decision = decide(entry)
  return decision.do === 'redirect' ? decision.link : undefined
}
