import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PopupView } from '#public-pages/view-models.ts'
import { logRefusal } from '../http/refusals.ts'
import type { Logger } from '../log.ts'
import { decideBioLinkVisit, decideVisit, type RedirectDecision } from './decide.ts'
import type { VisitMissLimit } from './miss-limit.ts'
import type { LinkEntry, NameEntry } from './name-entry.ts'
import type { VisitorPages } from './pages.ts'
import { createPopupBeacons, type PopupBeaconsDeps } from './popup-beacons.ts'
import { redirectTo, send, textResponse, type VisitResponse } from './responses.ts'
import { type VisitPath, visitPathOf } from './visit-path.ts'

interface VisitHandlerDeps extends PopupBeaconsDeps {
  misses: VisitMissLimit
  pages: VisitorPages
  log: Logger
}

/** Handles visits on node:http. Returns false for a path that is not a visit; never throws. */
export function createVisitHandler(
  deps: VisitHandlerDeps,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { config, resolver, misses, log } = deps
  const act = createActions(deps)
  const recordBeacon = createPopupBeacons(deps)
  const fail = (error: unknown, response: ServerResponse): void => {
    log.error({ err: error }, 'a visit failed')
    if (!response.headersSent) send(response, textResponse(500, config))
  }

  const visit = (
    name: string,
    decide: (entry: NameEntry | undefined) => RedirectDecision,
    request: IncomingMessage,
    response: ServerResponse,
  ): void => {
    const entry = resolver.peek(name)
    if (misses.blocksAnyone() && !resolver.isKnown(name)) {
      const waitSeconds = misses.waitOf(request)
      if (waitSeconds !== undefined)
        return act({ do: 'too-many-misses', waitSeconds }, request, response)
    }
    if (entry !== undefined) return act(decide(entry), request, response)
    resolver
      .load(name)
      .then((loaded) => act(decide(loaded), request, response))
      .catch((error: unknown) => fail(error, response))
  }

  const handle = (path: VisitPath, request: IncomingMessage, response: ServerResponse): void => {
    if (path.to === 'popup')
      return void recordBeacon(path, request, response).catch((error: unknown) =>
        fail(error, response),
      )
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return act({ do: 'wrong-method' }, request, response)
    if (path.to === 'name') return visit(path.name, decideVisit, request, response)
    if (path.to !== 'bio-link') return act({ do: path.to }, request, response)
    const decide = (entry: NameEntry | undefined) => decideBioLinkVisit(entry, path.linkId)
    visit(path.name, decide, request, response)
  }

  return (request, response) => {
    const path = visitPathOf(request.url ?? '')
    if (path === undefined || (path.to === 'popup' && request.method !== 'POST')) return false
    try {
      handle(path, request, response)
    } catch (error) {
      fail(error, response)
    }
    return true
  }
}

type Action =
  | RedirectDecision
  | { do: 'too-many-misses'; waitSeconds: number }
  | { do: 'not-found' | 'demo' | 'wrong-method' }

/** The effects of a decision: record the click, log the refusal, send the response. */
function createActions(
  deps: VisitHandlerDeps,
): (action: Action, request: IncomingMessage, response: ServerResponse) => void {
  const { config, clicks, misses, pages, log, visitorOf } = deps

  /** A refusal gets a request id and a log line, as at every other door. */
  const refuse = (request: IncomingMessage, response: ServerResponse, refusal: VisitResponse) =>
    send(response, withRequestId(refusal, logRefusal(log, request, refusal.status)))

  const tooManyMisses = (seconds: number) =>
    textResponse(429, config, { 'Retry-After': String(seconds) })
  const wrongMethod = textResponse(405, config, { Allow: 'GET, HEAD', Connection: 'close' })

  /** A popup that cannot be rendered must not stop the visitor: the response is then a plain redirect. */
  const interstitial = (link: LinkEntry, popup: PopupView, request: IncomingMessage) => {
    try {
      return pages.interstitial(link, popup, request)
    } catch (error) {
      log.error({ err: error, popup: popup.id }, 'a popup could not be rendered')
      return link.redirect
    }
  }

  return (action, request, response) => {
    switch (action.do) {
      case 'redirect':
      case 'bio-link':
        return clicks.record(action.link, visitorOf(request), response, action.link.redirect)
      case 'interstitial': {
        const page = withRequestId(interstitial(action.link, action.popup, request))
        return clicks.record(action.link, visitorOf(request), response, page)
      }
      case 'bio': {
        const page = withRequestId(pages.bio(action.page, request))
        return clicks.record(action.page, visitorOf(request), response, page)
      }
      case 'demo':
        return send(response, withRequestId(pages.demo(request)))
      case 'bio-link-lost':
        return send(response, redirectTo(`/${action.name}`, config))
      case 'gone':
        return refuse(request, response, pages.gone(action.entry, request))
      case 'missing': {
        const waitSeconds = misses.countMiss(request)
        const refusal =
          waitSeconds === undefined ? redirectTo('/404', config) : tooManyMisses(waitSeconds)
        return refuse(request, response, refusal)
      }
      case 'unavailable':
        return refuse(request, response, textResponse(503, config, { 'Retry-After': '2' }))
      case 'too-many-misses':
        return refuse(request, response, tooManyMisses(action.waitSeconds))
      case 'not-found':
        return refuse(request, response, pages.notFound(request))
      case 'wrong-method':
        return refuse(request, response, wrongMethod)
    }
  }
}

/** Adds the id that a visitor can quote. Plain redirects have none: they are prepared once and sent unchanged. */
function withRequestId(response: VisitResponse, requestId: string = randomUUID()): VisitResponse {
  return { ...response, headers: [...response.headers, 'X-Request-Id', requestId] }
}
