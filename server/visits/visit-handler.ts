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
import { redirectTo, type ResponseSink, textResponse, type VisitResponse } from './responses.ts'
import type { MeasuredSink, VisitMeter } from './visit-meter.ts'
import { type VisitPath, visitPathOf } from './visit-path.ts'

interface VisitHandlerDeps extends PopupBeaconsDeps {
  misses: VisitMissLimit
  pages: VisitorPages
  log: Logger
  meter: VisitMeter
}

/** Handles visits on node:http. Returns false for a path that is not a visit; never throws. */
export function createVisitHandler(
  deps: VisitHandlerDeps,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { config, resolver, misses, log, meter } = deps
  const act = createActions(deps)
  const recordBeacon = createPopupBeacons(deps)
  const fail = (error: unknown, sink: MeasuredSink): void => {
    log.error({ err: error }, 'a visit failed')
    meter.decided('failed')
    if (!sink.isSent()) sink.send(textResponse(500, config))
  }

  const visit = (
    name: string,
    decide: (entry: NameEntry | undefined) => RedirectDecision,
    request: IncomingMessage,
    sink: MeasuredSink,
  ): void => {
    const entry = resolver.peek(name)
    if (misses.blocksAnyone() && !resolver.isKnown(name)) {
      const waitSeconds = misses.waitOf(request)
      if (waitSeconds !== undefined)
        return act({ do: 'too-many-misses', waitSeconds }, request, sink)
    }
    if (entry !== undefined) return act(decide(entry), request, sink)
    resolver
      .load(name)
      .then((loaded) => act(decide(loaded), request, sink))
      .catch((error: unknown) => fail(error, sink))
  }

  const handle = (path: VisitPath, request: IncomingMessage, sink: MeasuredSink): void => {
    if (path.to === 'popup') {
      meter.decided('popup')
      return void recordBeacon(path, request, sink).catch((error: unknown) => fail(error, sink))
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return act({ do: 'wrong-method' }, request, sink)
    if (path.to === 'name') return visit(path.name, decideVisit, request, sink)
    if (path.to !== 'bio-link') return act({ do: path.to }, request, sink)
    const decide = (entry: NameEntry | undefined) => decideBioLinkVisit(entry, path.linkId)
    visit(path.name, decide, request, sink)
  }

  return (request, response) => {
    const path = visitPathOf(request.url ?? '')
    if (path === undefined || (path.to === 'popup' && request.method !== 'POST')) return false
    const sink = meter.measure(response)
    try {
      handle(path, request, sink)
    } catch (error) {
      fail(error, sink)
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
): (action: Action, request: IncomingMessage, sink: ResponseSink) => void {
  const { config, clicks, misses, pages, log, visitorOf, meter } = deps

  /** A refusal gets a request id and a log line, as at every other door. */
  const refuse = (request: IncomingMessage, sink: ResponseSink, refusal: VisitResponse) =>
    sink.send(withRequestId(refusal, logRefusal(log, request, refusal.status)))

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

  return (action, request, sink) => {
    meter.decided(action.do)
    switch (action.do) {
      case 'redirect':
      case 'bio-link':
        return clicks.record(action.link, visitorOf(request), sink, action.link.redirect)
      case 'interstitial': {
        const page = withRequestId(interstitial(action.link, action.popup, request))
        return clicks.record(action.link, visitorOf(request), sink, page)
      }
      case 'bio': {
        const page = withRequestId(pages.bio(action.page, request))
        return clicks.record(action.page, visitorOf(request), sink, page)
      }
      case 'demo':
        return sink.send(withRequestId(pages.demo(request)))
      case 'bio-link-lost':
        return sink.send(redirectTo(`/${action.name}`, config))
      case 'gone':
        return refuse(request, sink, pages.gone(action.entry, request))
      case 'missing': {
        const waitSeconds = misses.countMiss(request)
        const refusal =
          waitSeconds === undefined ? redirectTo('/404', config) : tooManyMisses(waitSeconds)
        return refuse(request, sink, refusal)
      }
      case 'unavailable':
        return refuse(request, sink, textResponse(503, config, { 'Retry-After': '2' }))
      case 'too-many-misses':
        return refuse(request, sink, tooManyMisses(action.waitSeconds))
      case 'not-found':
        return refuse(request, sink, pages.notFound(request))
      case 'wrong-method':
        return refuse(request, sink, wrongMethod)
    }
  }
}

/** Adds the id that a visitor can quote. Plain redirects have none: they are prepared once and sent unchanged. */
function withRequestId(response: VisitResponse, requestId: string = randomUUID()): VisitResponse {
  return { ...response, headers: [...response.headers, 'X-Request-Id', requestId] }
}
