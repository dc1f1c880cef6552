import type { IncomingMessage, ServerResponse } from 'node:http'
import { logRefusal } from '../http/refusals.ts'
import { hasApp, type PublicSite } from '../http/public-site.ts'
import { decideBioLinkVisit, decidePreviewPage, decideVisit, type VisitDecision } from './decide.ts'
import { createLinkActions, isOfLink, type LinkActionsDeps } from './link-actions.ts'
import type { ReadLinkVisit } from './rules/link-visit.ts'
import type { VisitMissLimit } from './names/miss-limit.ts'
import type { createMissedCodes } from './names/missed-codes.ts'
import type { NameEntry } from './names/name-entry.ts'
import { createPopupBeacons, type PopupBeaconsDeps } from './visitor-pages/popup-beacons.ts'
import { createPasswordTaker, type PasswordTakerDeps } from './visitor-pages/password-form.ts'
import {
  redirectTo,
  type ResponseSink,
  responseToPrefetch,
  textResponse,
  type VisitResponse,
  withRequestId,
} from './responses.ts'
import type { MeasuredSink } from './visit-meter.ts'
import { isPrefetch } from './visitor/visitor.ts'
import { mendedTarget } from './mended-target.ts'
import type { Hosts } from '../http/hosts.ts'
import {
  createReserved,
  type IsReserved,
  type KeptNames,
  nameIn,
  scannedTarget,
  type VisitPath,
  visitPathOf,
} from './visit-path.ts'

interface VisitHandlerDeps extends PopupBeaconsDeps, LinkActionsDeps, PasswordTakerDeps {
  config: PublicSite & { trustedProxies: number; keptNames: KeptNames }
  hosts: Pick<Hosts, 'placeOf'>
  misses: VisitMissLimit
  missedCodes: Pick<ReturnType<typeof createMissedCodes>, 'count'>
  linkVisitOf: ReadLinkVisit
}

/** Handles visits on node:http. */
export function createVisitHandler(deps: VisitHandlerDeps) {
  const { config, hosts, resolver, misses, log, meter, linkVisitOf } = deps
  const isReserved = createReserved(config.keptNames)
  const readPath = createPathReader(hosts, isReserved)
  const act = createActions(deps, isReserved)
  const recordBeacon = createPopupBeacons(deps)
  const takePassword = createPasswordTaker(deps)
  const fail = (error: unknown, sink: MeasuredSink): void => {
    log.error({ err: error }, 'a visit failed')
    meter.decided('failed')
    if (!sink.isSent()) sink.send(textResponse(500, config))
  }

  const visit = (
    key: string,
    decide: (entry: NameEntry | undefined) => Action,
    request: IncomingMessage,
    sink: MeasuredSink,
  ): void => {
    const entry = resolver.peek(key)
    if (misses.blocksAnyone() && !resolver.isKnown(key)) {
      const waitSeconds = misses.waitOf(request)
      if (waitSeconds !== undefined)
        return act({ do: 'too-many-misses', waitSeconds }, request, sink)
    }
    if (entry !== undefined) return act(decide(entry), request, sink)
    resolver
      .load(key)
      .then((loaded) => act(decide(loaded), request, sink))
      .catch((error: unknown) => fail(error, sink))
  }

  /** @param target that was mended (mended-target.ts) */
  const handle = (
    path: VisitPath,
    request: IncomingMessage,
    sink: MeasuredSink,
    target?: string,
  ): void => {
    if (path.to === 'popup') {
      meter.decided('popup')
      return void recordBeacon(path, request, sink).catch((error: unknown) => fail(error, sink))
    }
    if (request.method === 'POST' && path.to === 'name')
      return void takePassword(path.key, request, sink)
        .then((isTaken) => isTaken || act({ do: 'wrong-method' }, request, sink))
        .catch((error: unknown) => fail(error, sink))
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return act({ do: 'wrong-method' }, request, sink)
    if (path.to === 'demo' || path.to === 'not-found') return act({ do: path.to }, request, sink)
    const toPrefetch = () => sink.send(responseToPrefetch(hosts.placeOf(request).site))
    const answered = isPrefetch(request) ? { ...sink, send: toPrefetch } : sink
    const decide = decisionAbout(path, linkVisitOf(request, path.to === 'preview-page'))
    const decideMended = (entry: NameEntry | undefined): Action => {
      if (target !== undefined && hasOwnAddress(entry)) return { do: 'mended', target }
      const decision = decide(entry)
      return decision.do === 'missing' ? { do: 'missing', asPage: true } : decision
    }
    visit(path.key, target === undefined ? decide : decideMended, request, answered)
  }

  const handleSafely: typeof handle = (path, request, sink, target) => {
    try {
      handle(path, request, sink, target)
    } catch (error) {
      fail(error, sink)
    }
  }

  /**
   * The response to a target that nothing else knows, if the text around a link became a part of it (mended-target.ts);
   * the request has the mended target then, or that of a scan. Undefined for other targets; never rejects.
   */
  const handleMended = async (request: IncomingMessage): Promise<VisitResponse | undefined> => {
    const target = mendedTarget(request.url ?? '')
    const path = target === undefined ? undefined : readPath(request, target)
    if (path === undefined) return undefined
    return firstResponse((sink) => handleSafely(path, request, sink, target))
  }

  return {
    /** Returns false for a path that is not a visit; never throws. */
    handle(request: IncomingMessage, response: ServerResponse): boolean {
      const path = readPath(request, request.url)
      if (path === undefined || (path.to === 'popup' && request.method !== 'POST')) return false
      handleSafely(path, request, meter.measure(response))
      return true
    },
    handleMended,
    handleUnserved: createUnservedHandler({ meter, act, handleMended, fail }),
  }
}

interface UnservedDeps extends Pick<VisitHandlerDeps, 'meter'> {
  act(action: Action, request: IncomingMessage, sink: ResponseSink): void
  handleMended(request: IncomingMessage): Promise<VisitResponse | undefined>
  fail(error: unknown, sink: MeasuredSink): void
}

/** Answers requests at a place without the app for its root, and for paths that are neither visits nor served there. */
function createUnservedHandler({ meter, act, handleMended, fail }: UnservedDeps) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const sink = meter.measure(response)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return act({ do: 'wrong-method' }, request, sink)
    if (isRoot(request.url)) return act({ do: 'root' }, request, sink)
    handleMended(request)
      .then((mended) =>
        mended ? sink.send(mended) : act({ do: 'not-found', leads: true }, request, sink),
      )
      .catch((error: unknown) => fail(error, sink))
  }
}

/** Reads where a visit goes. Its request has the target from then on, or that of a scan (visit-path.ts). */
function createPathReader(hosts: Pick<Hosts, 'placeOf'>, isReserved: IsReserved) {
  return (request: IncomingMessage, target = ''): VisitPath | undefined => {
    const place = hosts.placeOf(request)
    const { prefix } = place
    const url = scannedTarget(target, prefix, isReserved) ?? target
    const path = visitPathOf(url, prefix, isReserved)
    if (path?.to === 'demo' && !hasApp(place)) return undefined
    if (path !== undefined) request.url = url
    return path
  }
}

function isRoot(target = ''): boolean {
  return target === '/' || target.startsWith('/?')
}

/** The first response that is sent. */
function firstResponse(send: (sink: MeasuredSink) => void): Promise<VisitResponse> {
  let isSent = false
  return new Promise((resolve) => {
    const sendFirst = (response: VisitResponse) => {
      isSent = true
      resolve(response)
    }
    send({ send: sendFirst, isSent: () => isSent })
  })
}

/** The decision about the name of a path. */
function decisionAbout(
  path: Exclude<VisitPath, { to: 'demo' | 'not-found' | 'popup' }>,
  visitOf: ReturnType<ReadLinkVisit>,
): (entry: NameEntry | undefined) => VisitDecision {
  if (path.to === 'bio-link') return (entry) => decideBioLinkVisit(entry, path.linkId, Date.now())
  const decide = path.to === 'name' ? decideVisit : decidePreviewPage
  return (entry) => decide(entry, visitOf, Date.now())
}

/** Whether its page sends to addresses below its own, or has a cookie for it. */
function hasOwnAddress(entry: NameEntry | undefined): boolean {
  if (entry?.kind === 'bio') return true
  return (
    entry?.kind === 'link' && (entry.popup !== undefined || entry.options?.hasPassword === true)
  )
}

type Action =
  | VisitDecision
  | { do: 'too-many-misses'; waitSeconds: number }
  /** To the target that was meant. */
  | { do: 'mended'; target: string }
  | { do: 'missing'; asPage: true }
  | { do: 'demo' | 'root' | 'wrong-method' }
  /** `leads`: the path is no page, so it leads where missing codes do. */
  | { do: 'not-found'; leads?: boolean }

/** The effects of a decision: record the click, log the refusal, send the response. */
function createActions(
  deps: VisitHandlerDeps,
  isReserved: IsReserved,
): (action: Action, request: IncomingMessage, sink: ResponseSink) => void {
  const { hosts, clicks, misses, missedCodes, pages, log, visitorOf, meter } = deps
  const actOnLink = createLinkActions(deps)

  /** A refusal gets a request id and a log line, as at every other door. */
  const refuse = (request: IncomingMessage, sink: ResponseSink, refusal: VisitResponse) =>
    sink.send(withRequestId(refusal, logRefusal(log, request, refusal.status)))

  const tooManyMisses = (site: PublicSite, seconds: number) =>
    textResponse(429, site, { 'Retry-After': String(seconds) })

  return (action, request, sink) => {
    meter.decided(action.do)
    if (isOfLink(action)) return actOnLink(action, request, sink)
    const { prefix, site, root, missing } = hosts.placeOf(request)
    switch (action.do) {
      case 'bio-link':
        return clicks.record(action.link, visitorOf(request), sink, action.link.redirect)
      case 'bio': {
        const page = withRequestId(pages.bio(action.page, request))
        return clicks.record(action.page, visitorOf(request), sink, page)
      }
      case 'demo':
        return sink.send(withRequestId(pages.demo(request)))
      case 'bio-link-lost':
        return sink.send(redirectTo(`/${action.name}`, site))
      case 'gone':
        return refuse(request, sink, pages.gone(action.entry, request))
      case 'missing': {
        const waitSeconds = misses.countMiss(request)
        if (waitSeconds !== undefined)
          return refuse(request, sink, tooManyMisses(site, waitSeconds))
        const code = nameIn(request.url ?? '', prefix, isReserved)
        if (code !== undefined && visitorOf(request).verdict === 'counted')
          missedCodes.count(prefix + code)
        // The app logs the requests that reach it.
        if ('asPage' in action) return sink.send(pages.notFound(request, site))
        return refuse(request, sink, redirectTo(missing ?? '/404', site))
      }
      case 'root':
        return sink.send(
          root === undefined ? withRequestId(pages.root(request, site)) : redirectTo(root, site),
        )
      case 'mended':
        return sink.send(redirectTo(action.target, site))
      case 'unavailable':
        return refuse(request, sink, textResponse(503, site, { 'Retry-After': '2' }))
      case 'too-many-misses':
        return refuse(request, sink, tooManyMisses(site, action.waitSeconds))
      case 'not-found':
        if ('leads' in action && missing !== undefined)
          return refuse(request, sink, redirectTo(missing, site))
        return refuse(request, sink, pages.notFound(request, site))
      case 'wrong-method':
        return refuse(
          request,
          sink,
          textResponse(405, site, { Allow: 'GET, HEAD', Connection: 'close' }),
        )
    }
  }
}
