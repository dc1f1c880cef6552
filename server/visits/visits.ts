import type { VisitorPasswords } from './visitor-pages/link-cookie.ts'
import type { Hosts } from '../http/hosts.ts'
import { linksSiteOf, type PublicSite } from '../http/public-site.ts'
import type { Server } from 'node:http'
import type { Config } from '../config.ts'
import type { RateLimits } from '../primitives/token-bucket.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import type { Listener } from '../postgres/listen.ts'
import { createBreaker } from '../primitives/breaker.ts'
import type { CountingPort } from './counting/messages.ts'
import { createClickRecorder } from './click-recorder.ts'
import { openClickSink } from './counting/click-sink.ts'
import { createClickTally } from './counting/click-tally.ts'
import { createEntryReader } from './names/entry-reader.ts'
import type { ReadEntries } from './names/lookups.ts'
import { afterEarlierClicks } from './counting/earlier-clicks.ts'
import { openFastLane } from './lane/fast-lane.ts'
import { openFirstVisits, type ReportVisitor } from './rules/first-visits.ts'
import { startHeartbeat } from './names/heartbeat.ts'
import { createVisitMissLimit } from './names/miss-limit.ts'
import { createMissedCodes } from './names/missed-codes.ts'
import { createNameCache } from './names/name-cache.ts'
import { createLaneRecorder } from './lane/lane-recorder.ts'
import { createLinkPages } from './visitor-pages/link-pages.ts'
import { createLinkVisitReader } from './rules/link-visit.ts'
import type { LinkEntry, NameEntry } from './names/name-entry.ts'
import { createVisitorPages } from './visitor-pages/pages.ts'
import { createResolver } from './names/resolver.ts'
import { createVisitHandler } from './visit-handler.ts'
import { createVisitMeter } from './visit-meter.ts'
import { createRuleFactsReader } from './rules/rule-facts.ts'
import type { IdentifyVisitor } from './visitor/visitor-identity.ts'
import type { SharesOfVisitor } from './visitor/visitor-shares.ts'
import { createSimpleVisitReader } from './lane/simple-visit.ts'
import { createVisitorReader, visitorHeaders } from './visitor/visitor.ts'

export interface VisitsDeps {
  config: Pick<
    Config,
    | 'clickhouse'
    | 'clickRecords'
    | 'clicks'
    | 'countryHeader'
    | 'dataDir'
    | 'keptNames'
    | 'trustedProxies'
    | 'visits'
    | 'workers'
  > &
    PublicSite & { linksUrl: string }
  hosts: Hosts
  database: Database
  listener: Listener
  rateLimits: RateLimits
  log: Logger
  identify: IdentifyVisitor
  sharesOf: SharesOfVisitor
  passwords: VisitorPasswords
  onVisitor?: ReportVisitor | undefined
  /** To the counting of the server. */
  counting: CountingPort
  /** Milliseconds, monotonic; tests replace it. */
  now?: () => number
  /** Tests replace it with a sink that loses clicks. */
  openClickSink?: typeof openClickSink | undefined
}

export type Visits = ReturnType<typeof createVisits>

/**
 * The door for visitors: `/{code}`, the links of bio pages, and the pages at `/404` and `/demo`. Opens the journal, with
 * the files of an earlier process, and starts applying them.
 */
export function createVisits(deps: VisitsDeps) {
  const { config, hosts, database, listener, rateLimits, log, passwords } = deps
  const now = deps.now ?? (() => performance.now())
  const breaker = createBreaker({ maxFailures: 3, retryMs: 1_000 }, now)
  const heartbeat = startHeartbeat({ database, listener, log, now })
  const { nameCacheBytes: maxBytes, lookupTimeoutMs } = config.visits
  const cache = createNameCache({ listener, ...heartbeat, maxBytes, now })
  let lookups = 0
  const isListening = () => listener.connected() && heartbeat.receivesNotifications()
  const readNow = createEntryReader({ database, site: config, hosts, cache, isListening })
  const readEntries: ReadEntries = (names, isHurried) => {
    lookups++
    return readNow(names, isHurried)
  }
  const resolver = createResolver({ cache, readEntries, breaker, log, lookupTimeoutMs, now })
  const openSink = deps.openClickSink ?? openClickSink
  const sink = openSink({ config, database, listener, port: deps.counting, log })
  const clicks = createClickRecorder({ config, database, sink, log })
  const meter = createVisitMeter()
  const misses = createVisitMissLimit(rateLimits, config.trustedProxies, now)
  const missedCodes = createMissedCodes({ database, log })
  const reading = { ...config, identify: deps.identify }
  const visitorOf = createVisitorReader(reading)
  const tally = createClickTally({ cache, sink, log, now })
  const waits = { cache, sink, ...heartbeat, lookupTimeoutMs, log, now }
  const counted = afterEarlierClicks(resolver, waits)
  const firstVisits = openFirstVisits(deps)
  const factsOf = createRuleFactsReader({ ...deps, visitorOf, firstVisits })
  const recordInLane = createLaneRecorder({ config, clicks, visitorOf, factsOf })

  return {
    /** `handle`: true for a visit, which gets its response now or later; false for another path, for the app to handle. */
    ...createVisitHandler({
      config,
      hosts,
      resolver: { ...resolver, ...counted },
      clicks,
      misses,
      missedCodes,
      pages: createVisitorPages(config, linksSiteOf(config)),
      linkPages: createLinkPages(linksSiteOf(config)),
      linkVisitOf: createLinkVisitReader({ visitorOf, tally, passwords, factsOf }),
      passwords,
      tally,
      rateLimits,
      log,
      visitorOf,
      meter,
    }),
    /** Finds the entry of a name without counting a visit. Undefined: not in memory, and the database does not respond. */
    find: async (key: string): Promise<NameEntry | undefined> =>
      resolver.peek(key) ?? (await resolver.load(key)),
    /** Puts the fast lane in front of a server with a request listener that asks `handle` first. */
    attach: (server: Server, areEnding: () => boolean) =>
      openFastLane(server, {
        areEnding,
        find(key) {
          const entry = resolver.peek(key)
          if (entry !== undefined) return plainLink(entry)
          // While a client is blocked, node:http handles the visit: only it knows X-Forwarded-For.
          return misses.blocksAnyone() ? undefined : resolver.load(key).then(plainLink)
        },
        read: createSimpleVisitReader(visitorHeaders(reading), { ...config, hosts }),
        record: recordInLane,
        sent: meter.sentByFastLane,
        failed: (error) => log.error({ err: error }, 'a visit failed'),
      }),
    status: () => ({
      clicks: { mode: config.clicks.mode, ...sink.status() },
      /** Queries made to look up names. */
      lookups,
      /** Names in memory. */
      entries: cache.size(),
      /** The database does not respond, so visits are served from memory only. */
      databaseDown: breaker.isOpen() || !heartbeat.isDatabaseAnswering(),
    }),
    /** Counts beyond the status, since the start. */
    measures: () => ({
      ...meter.read(),
      cache: cache.counts(),
      heartbeat: heartbeat.measures(),
      isListening: isListening(),
      clickStream: sink.stream(),
    }),
    /** How far the database is behind the click journal; null without one. */
    lag: () => sink.lag(),
    /** The clicks that wait in the journal, by target; undefined when that is not known. */
    waiting: () => sink.waiting(),
    missedCodes,
    compareRecords: clicks.compareVersions,
    /** A visitor of another process of the server. */
    visitedElsewhere: firstVisits.visitedElsewhere,
    /** Records and applies the remaining clicks, within about 10 s. Call it after the last request. */
    async close() {
      tally.close()
      counted.close()
      await Promise.all([heartbeat.close(), clicks.close(), missedCodes.close()])
    },
  }
}

/** The link, if the fast lane may redirect each visitor. */
function plainLink(entry: NameEntry | undefined): LinkEntry | undefined {
  return entry?.kind === 'link' && entry.isPlain ? entry : undefined
}
