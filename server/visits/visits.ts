import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { PopupView } from '#public-pages/view-models.ts'
import type { Config } from '../config.ts'
import type { RateLimits } from '../primitives/token-bucket.ts'
import { logRefusal } from '../http/refusals.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import type { Listener } from '../postgres/listen.ts'
import {
  type VisitResponse,
  demo,
  missingCode,
  notFound,
  redirectTo,
  send,
  tooManyMisses,
  unavailable,
  unexpected,
  withdrawn,
  wrongMethod,
} from './responses.ts'
import { createBreaker } from './breaker.ts'
import { type ClickStatus, openClicks } from './click-recorder.ts'
import { decideVisit, decideBioLinkVisit, type RedirectDecision } from './decide.ts'
import type { NameEntry, LinkEntry } from './name-entry.ts'
import { openFastLane } from './fast-lane.ts'
import { startHeartbeat } from './heartbeat.ts'
import type { JournalLag } from './journal-lag.ts'
import { loadNameEntries } from './load-name-entries.ts'
import { createVisitMissLimit } from './miss-limit.ts'
import { createOwnersPages } from './owners-pages.ts'
import { inForm } from './page-form.ts'
import { createResolver, type ReadEntries } from './resolve.ts'
import { bioLinkIn, isDemoPath, isNotFoundPath, nameIn } from './visit-path.ts'
import { visitorOf } from './visitor.ts'

/** Door 4: `/{code}`, the links of bio pages, and the pages at `/404` and `/demo`. */
export interface Visits {
  /** True: it was a visit, answered now or later. False: not a `/{code}` path, the app takes it. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** What stands behind a name, without counting anything. Undefined: not known, and the database does not answer. */
  find(name: string): Promise<NameEntry | undefined>
  /** Puts the fast lane in front of a server whose request listener asks {@link handle} first. */
  attach(server: Server): void
  status(): VisitStatus
  /** How far the database is behind the click journal; null without one. */
  lag(): JournalLag | null
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
    return loadNameEntries(database, names, config.publicUrl, known)
  }
  const heartbeat = startHeartbeat(database, listener, now)
  const { isHeard } = heartbeat
  const resolver = createResolver({ readAll, listener, isHeard, breaker, log, now })
  const clicks = openClicks({ config, database, breaker, log })
  const misses = createVisitMissLimit(rateLimits, config.trustedProxies, now)

  const pages = createOwnersPages(() => config.publicUrl)

  /** An answer that leads nowhere is named and logged, like a refusal at any other door. */
  const refuse = (
    request: IncomingMessage,
    response: ServerResponse,
    answer: VisitResponse,
  ): void => {
    const requestId = logRefusal(log, request, answer.status)
    send(response, named(answer, requestId))
  }

  const act = (
    decision: RedirectDecision,
    request: IncomingMessage,
    response: ServerResponse,
  ): void => {
    switch (decision.do) {
      case 'redirect':
        clicks.record(decision.link, visitorOf(request), response, decision.link.redirect)
        return
      case 'interstitial': {
        const answer = interstitial(decision.link, decision.popup, request)
        clicks.record(decision.link, visitorOf(request), response, named(answer))
        return
      }
      case 'bio': {
        const answer = inForm(pages.bio(decision.page), request)
        clicks.record(decision.page, visitorOf(request), response, named(answer))
        return
      }
      case 'bio-link':
        clicks.record(decision.link, visitorOf(request), response, decision.link.redirect)
        return
      case 'bio-link-lost':
        send(response, redirectTo(`/${decision.name}`, config.publicUrl))
        return
      case 'gone':
        refuse(request, response, withdrawn(config.publicUrl, decision.name))
        return
      case 'missing': {
        const wait = misses.missed(request)
        const { publicUrl } = config
        const answer = wait === undefined ? missingCode(publicUrl) : tooManyMisses(publicUrl, wait)
        refuse(request, response, answer)
        return
      }
      case 'unavailable':
        refuse(request, response, unavailable(config.publicUrl))
    }
  }

  /** A popup that cannot be shown keeps nobody: then it is a plain redirect. */
  const interstitial = (
    link: LinkEntry,
    popup: PopupView,
    request: IncomingMessage,
  ): VisitResponse => {
    try {
      return inForm(pages.interstitial(link, popup), request)
    } catch (error) {
      log.error({ err: error, popup: popup.id }, 'a popup could not be rendered')
      return link.redirect
    }
  }

  const fail = (error: unknown, response: ServerResponse): void => {
    log.error({ err: error }, 'a visit failed')
    if (!response.headersSent) send(response, unexpected(config.publicUrl))
  }

  const visit = (
    name: string,
    decideOn: (entry: NameEntry | undefined) => RedirectDecision,
    request: IncomingMessage,
    response: ServerResponse,
  ): void => {
    const wait = misses.blockedFor(request)
    if (wait !== undefined) return refuse(request, response, tooManyMisses(config.publicUrl, wait))
    const entry = resolver.peek(name)
    if (entry !== undefined) return act(decideOn(entry), request, response)
    resolver
      .load(name)
      .then((loaded) => act(decideOn(loaded), request, response))
      .catch((error: unknown) => fail(error, response))
  }

  /** What answers this request target, or undefined if the app does. */
  const answererOf = (
    url: string,
  ): ((request: IncomingMessage, response: ServerResponse) => void) | undefined => {
    const name = nameIn(url)
    if (name !== undefined)
      return (request, response) => visit(name, decideVisit, request, response)
    if (isNotFoundPath(url))
      return (request, response) => refuse(request, response, notFound(config.publicUrl))
    if (isDemoPath(url)) {
      return (request, response) => send(response, named(inForm(demo(config.publicUrl), request)))
    }
    const bioLink = bioLinkIn(url)
    if (bioLink === undefined) return undefined
    return (request, response) =>
      visit(bioLink.name, (entry) => decideBioLinkVisit(entry, bioLink.linkId), request, response)
  }

  return {
    handle(request, response) {
      const answer = answererOf(request.url ?? '')
      if (answer === undefined) return false
      try {
        if (request.method !== 'GET' && request.method !== 'HEAD') {
          refuse(request, response, wrongMethod(config.publicUrl))
        } else {
          answer(request, response)
        }
      } catch (error) {
        fail(error, response)
      }
      return true
    },
    find: async (name) => resolver.peek(name) ?? (await resolver.load(name)),
    attach: (server) =>
      openFastLane(server, {
        find(name) {
          if (misses.blocksAnyone()) return undefined
          const entry = resolver.peek(name)
          return entry === undefined ? resolver.load(name).then(plainLink) : plainLink(entry)
        },
        record: (link, visit, lane) => clicks.record(link, visitorOf(visit), lane, link.redirect),
        failed: (error) => log.error({ err: error }, 'a visit failed'),
      }),
    status: () => ({
      clicks: clicks.status(),
      lookups,
      entries: resolver.size(),
      databaseDown: breaker.isOpen(),
    }),
    lag: () => clicks.lag(),
    close() {
      heartbeat.close()
      return clicks.close()
    },
  }
}

/** With an id to quote, as every answer but the plain redirect has one: that one stays as it was made. */
function named(answer: VisitResponse, requestId: string = randomUUID()): VisitResponse {
  return { ...answer, headers: [...answer.headers, 'X-Request-Id', requestId] }
}

/** The link, if the visitor is simply to be sent on. */
function plainLink(entry: NameEntry | undefined): LinkEntry | undefined {
  const decision = decideVisit(entry)
  return decision.do === 'redirect' ? decision.link : undefined
}
