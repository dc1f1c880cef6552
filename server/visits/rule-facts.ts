import type { IncomingMessage } from 'node:http'
import type { RuleFacts } from '#domain/visits/conditions.ts'
import type { LinkRules } from '#domain/visits/rules.ts'
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
    const [country = '', region, city] = Buffer.from(identity.place).toString().split('\t')
    const query = rawQueryOf(request.url)
    const forwarded = request.headers['x-forwarded-for']?.toString()
    return {
      country,
      region,
      city,
      languages: request.headers['accept-language'],
      ...ruleSoftwareOf(request.headers['user-agent'] ?? ''),
      address: clientAddress(request.socket.remoteAddress, forwarded, trustedProxies),
      firstVisit: asksForFirstVisit(link.options?.ruling?.rules ?? [])
        ? firstVisits.visit(link.id, visitorNumber(identity.hash), verdict === 'counted')
        : undefined,
      source: originOf('', query).source,
      query,
      shareOf: (key) => shareOf(identity.hash, link.id, key),
    }
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
