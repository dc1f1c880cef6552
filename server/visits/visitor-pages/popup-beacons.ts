import type { IncomingMessage } from 'node:http'
import { isPopupAction } from '#domain/popups/popup-actions.ts'
import { addressOf, limitKey } from '../../http/client-address.ts'
import type { Hosts } from '../../http/hosts.ts'
import { isSameOrigin } from '../../http/guards.ts'
import type { PublicSite } from '../../http/public-site.ts'
import { dataPolicy } from '../../http/security-headers.ts'
import type { BucketPolicy, RateLimits } from '../../primitives/token-bucket.ts'
import type { ClickRecorder } from '../click-recorder.ts'
import { decidePopupEvent } from '../decide.ts'
import type { NameEntry } from '../names/name-entry.ts'
import type { Resolver } from '../names/resolver.ts'
import { type ResponseSink, withHeaders } from '../responses.ts'
import type { VisitPath } from '../visit-path.ts'
import type { ReadVisitor } from '../visitor/visitor.ts'

export interface PopupBeaconsDeps {
  config: PublicSite & { trustedProxies: number }
  hosts: Pick<Hosts, 'placeOf'>
  resolver: Resolver
  clicks: ClickRecorder
  rateLimits: RateLimits
  visitorOf: ReadVisitor
}

/** A visit with a popup sends two or three. */
const perAddress: BucketPolicy = { name: 'popup-beacon', burst: 60, windowSeconds: 60 }

type BeaconPath = Extract<VisitPath, { to: 'popup' }>

/**
 * Records popup beacons. Every beacon gets the same response, recorded or not, so the response reveals
 * nothing about names and popups. Rejects only for unexpected errors.
 */
export function createPopupBeacons({
  config,
  hosts,
  resolver,
  clicks,
  rateLimits,
  visitorOf,
}: PopupBeaconsDeps) {
  const answer = withHeaders(204, config, '', {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': dataPolicy,
  })
  const lastAnswer = { ...answer, headers: [...answer.headers, 'Connection', 'close'] }

  const record = (
    entry: NameEntry | undefined,
    { action }: BeaconPath,
    request: IncomingMessage,
    sink: ResponseSink,
  ): void => {
    const event = decidePopupEvent(entry, action)
    if (event === undefined) return sink.send(answer)
    const { popupId, ...details } = event
    const visitor = { ...visitorOf(request), referrer: '', query: '', details }
    const popup = { kind: 'popup', id: popupId } as const
    clicks.record(popup, visitor, sink, answer)
  }

  const mayRecord = (request: IncomingMessage): boolean => {
    const get = (name: string) => request.headers[name]?.toString() ?? null
    if (!isSameOrigin({ headers: { get } }, hosts.placeOf(request).site.publicUrl)) return false
    const address = addressOf(request, config.trustedProxies)
    return rateLimits.take(perAddress, limitKey(address)) === undefined
  }

  return async (path: BeaconPath, request: IncomingMessage, sink: ResponseSink) => {
    // Our pages send none, and it is not read.
    if (hasBody(request)) return sink.send(lastAnswer)
    if (!isPopupAction(path.action) || !mayRecord(request)) return sink.send(answer)
    const entry = resolver.peek(path.key) ?? (await resolver.load(path.key))
    record(entry, path, request, sink)
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}
