import type { RuleFacts } from '#domain/visits/reading/visit-reading.ts'
import { isOfQrCode } from '#domain/links/qr-address.ts'
import type { LinkRules } from '#domain/visits/rules.ts'
import type { NamedSoftware } from '#domain/visits/simulated-visit.ts'
import type { Config } from '../../config.ts'
import { clientAddress } from '../../http/client-address.ts'
import { visitorNumber } from '../record/decode-clicks.ts'
import type { FirstVisits } from './first-visits.ts'
import type { LinkEntry } from '../names/name-entry.ts'
import { ruleSoftwareOf } from './rule-software.ts'
import type { ReadVisitor, VisitRequest } from '../visitor/visitor.ts'
import type { SharesOfVisitor } from '../visitor/visitor-shares.ts'

interface RuleFactsDeps {
  config: Pick<Config, 'trustedProxies'>
  firstVisits: Pick<FirstVisits, 'visit'>
  visitorOf: ReadVisitor
  sharesOf: SharesOfVisitor
}

/** Reads the facts of a visit to a link with rules. Call it once for a visit: it remembers the visitor. */
export type ReadRuleFacts = ReturnType<typeof createRuleFactsReader>

export function createRuleFactsReader(deps: RuleFactsDeps) {
  const { visitorOf, sharesOf, firstVisits } = deps
  const { trustedProxies } = deps.config
  return (
    request: VisitRequest,
    link: Pick<LinkEntry, 'id' | 'options'>,
    visitor = visitorOf(request),
  ): RuleFacts => {
    const { identity, verdict } = visitor
    const firstVisit = asksForFirstVisit(link.options?.ruling?.rules ?? [])
      ? firstVisits.visit(link.id, visitorNumber(identity.hash), verdict === 'counted')
      : undefined
    const query = rawQueryOf(request.url)
    return new VisitFacts(request, {
      place: identity.place,
      trustedProxies,
      firstVisit,
      query,
      sharesOf: () => sharesOf(identity.hash, link.id),
    })
  }
}

interface ReadFacts extends Pick<RuleFacts, 'firstVisit'> {
  query: string
  sharesOf: () => RuleFacts['shareOf']
  place: Uint8Array
  trustedProxies: number
}

/** Most rules ask for few facts, and some cost more than the rest of a visit: they are read when they are asked for. */
class VisitFacts implements RuleFacts {
  readonly query: string
  readonly firstVisit: boolean | undefined
  readonly #request: VisitRequest
  readonly #read: ReadFacts
  #place: string[] | undefined
  #software: NamedSoftware | undefined
  #shareOf: RuleFacts['shareOf'] | undefined

  constructor(request: VisitRequest, read: ReadFacts) {
    this.query = read.query
    this.firstVisit = read.firstVisit
    this.#request = request
    this.#read = read
  }

  #placeNames(): string[] {
    return (this.#place ??= placeNamesOf(this.#read.place))
  }
  #named(): NamedSoftware {
    return (this.#software ??= ruleSoftwareOf(headerOf(this.#request, 'user-agent') ?? ''))
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
    return headerOf(this.#request, 'accept-language')
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
    const { remoteAddress } = this.#request.socket
    const forwarded = headerOf(this.#request, 'x-forwarded-for')
    return clientAddress(remoteAddress, forwarded, this.#read.trustedProxies)
  }
  get source() {
    return isOfQrCode(this.query) ? 'qr' : 'link'
  }

  shareOf(key: string): number | undefined {
    this.#shareOf ??= this.#read.sharesOf()
    return this.#shareOf(key)
  }
}

// The identity of a visitor is remembered, so its place is the same object.
const places = new WeakMap<Uint8Array, string[]>()

/** Country, region and city. */
function placeNamesOf(place: Uint8Array): string[] {
  let names = places.get(place)
  if (!names) places.set(place, (names = Buffer.from(place).toString().split('\t')))
  return names
}

/** A header that may come several times; `name` is in lower case. */
function headerOf({ rawHeaders }: VisitRequest, name: string): string | undefined {
  let value: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const each = rawHeaders[i]
    if (each?.length !== name.length || each.toLowerCase() !== name) continue
    value = value === undefined ? rawHeaders[i + 1] : `${value}, ${rawHeaders[i + 1]}`
  }
  return value
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
