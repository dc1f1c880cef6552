import type { IncomingMessage } from 'node:http'
import type { RuleFacts } from '#domain/visits/conditions.ts'
import { qrParameter } from '#domain/qr-address.ts'
import type { LinkRules } from '#domain/visits/rules.ts'
import type { NamedSoftware } from '#domain/visits/simulated-visit.ts'
import { originOf } from '../analytics/hits/origin-of.ts'
import type { Config } from '../config.ts'
import { clientAddress } from '../http/client-address.ts'
import { visitorNumber } from './click-record.ts'
import { type FirstVisitsOfServer, openFirstVisits } from './first-visits.ts'
import type { LinkEntry } from './name-entry.ts'
import { ruleSoftwareOf } from './rule-software.ts'
import type { ReadVisitor } from './visitor.ts'
import type { ShareOfVisitor } from './visitor-shares.ts'

interface RuleFactsDeps extends FirstVisitsOfServer {
  config: Pick<Config, 'clickhouse' | 'trustedProxies'>
  visitorOf: ReadVisitor
  shareOf: ShareOfVisitor
}

/** Reads the facts of a visit to a link with rules. Call it once for a visit: it remembers the visitor. */
export type ReadRuleFacts = ReturnType<typeof createRuleFactsReader>

export function createRuleFactsReader(deps: RuleFactsDeps) {
  const { visitorOf, shareOf } = deps
  const { trustedProxies } = deps.config
  const firstVisits = openFirstVisits(deps)
  return (request: IncomingMessage, link: Pick<LinkEntry, 'id' | 'options'>): RuleFacts => {
    const { identity, verdict } = visitorOf(request)
    const firstVisit = asksForFirstVisit(link.options?.ruling?.rules ?? [])
      ? firstVisits.visit(link.id, visitorNumber(identity.hash), verdict === 'counted')
      : undefined
    const query = rawQueryOf(request.url)
    return new VisitFacts(request, {
      place: identity.place,
      trustedProxies,
      firstVisit,
      query,
      shareOf: (key) => shareOf(identity.hash, link.id, key),
    })
  }
}

interface ReadFacts extends Pick<RuleFacts, 'firstVisit' | 'shareOf'> {
  query: string
  place: Uint8Array
  trustedProxies: number
}

/** Most rules ask for few facts, and some cost more than the rest of a visit: they are read when they are asked for. */
class VisitFacts implements RuleFacts {
  readonly query: string
  readonly firstVisit: boolean | undefined
  readonly shareOf: RuleFacts['shareOf']
  readonly #request: IncomingMessage
  readonly #read: ReadFacts
  #place: string[] | undefined
  #software: NamedSoftware | undefined

  constructor(request: IncomingMessage, read: ReadFacts) {
    this.query = read.query
    this.firstVisit = read.firstVisit
    this.shareOf = read.shareOf
    this.#request = request
    this.#read = read
  }

  #placeNames(): string[] {
    return (this.#place ??= Buffer.from(this.#read.place).toString().split('\t'))
  }
  #named(): NamedSoftware {
    return (this.#software ??= ruleSoftwareOf(this.#request.headers['user-agent'] ?? ''))
  }

  get country() {
    return this.#placeNames()[0]
  }
  get region() {
    return this.#placeNames()[1]
  }
  get city() {
    return this.#placeNames()[2]
  }
  get languages() {
    return this.#request.headers['accept-language']
  }
  get system() {
    return this.#named().system
  }
  get device() {
    return this.#named().device
  }
  get browser() {
    return this.#named().browser
  }
  get inApp() {
    return this.#named().inApp
  }
  get address() {
    const { headers, socket } = this.#request
    const forwarded = headers['x-forwarded-for']?.toString()
    return clientAddress(socket.remoteAddress, forwarded, this.#read.trustedProxies)
  }
  get source() {
    return this.query.includes(qrParameter) ? originOf('', this.query).source : 'link'
  }
}

const askingRules = new WeakMap<LinkRules, boolean>()

function asksForFirstVisit(rules: LinkRules): boolean {
  let asks = askingRules.get(rules)
  if (asks === undefined) {
    asks = rules.some(
      (rule) => 'when' in rule && rule.when.some(({ fact }) => fact === 'first_visit'),
    )
    askingRules.set(rules, asks)
  }
  return asks
}

/** The query of an address as sent, without `?`. */
export function rawQueryOf(url = ''): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}
