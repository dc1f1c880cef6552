import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { countryHeader as countryOf, type Place } from '../../analytics/hits/places.ts'
import { canonicalAgent } from '#domain/visits/reading/agents.ts'
import { limitKey } from '../../http/client-address.ts'
import { browserOf } from './browsers.ts'
import { maxTextBytes, type KnownVisitor } from './visitor-facts.ts'
import type { VisitorKeys } from './visitor-keys.ts'

/**
 * @param url of the visit: its path is the link to which a visitor may be new
 * @param country from the header of a trusted proxy, instead of the address's
 */
export type IdentifyVisitor = (
  address: string,
  userAgent: string,
  url?: string,
  country?: string,
) => KnownVisitor

const hashBytes = 8
/** More than the canonical form has, because blanks may be left out. */
const maxSentAgent = 1_024
/** New visitors of one address at one link. Those beyond are one visitor: a User-Agent is quickly made up. */
const maxNewVisitors = 100
const newVisitorsMs = 30 * 60_000

/** Remembers the visitors of this moment: their next requests cost one look-up here, instead of a hash, a classification and a search for the place. */
export function createVisitorIdentifier(
  keys: VisitorKeys,
  placeOf: (address: string) => Place,
): IdentifyVisitor {
  const known = new LRUCache<string, KnownVisitor>({ max: 10_000 })
  const isCrowded = countNewVisitors()
  let knownDay = 0
  return (address, userAgent, url = '', country) => {
    const { key, day } = keys.current()
    if (day !== knownDay) known.clear()
    knownDay = day
    const sent = userAgent.slice(0, maxSentAgent)
    const text = `${address}\n${country ?? ''}\n${sent}`
    let visitor = known.get(text)
    if (!visitor) {
      const browser = canonicalAgent(sent)
      const path = pathOf(url)
      const told = path !== '' && isCrowded(`${limitKey(address)} ${path}`) ? '' : browser
      const hash = createHmac('sha256', key).update(`${address}\n${told}`).digest()
      const place =
        country === undefined
          ? placeOf(address)
          : { country: countryOf(country), region: '', city: '' }
      const identity = { hash: hash.subarray(0, hashBytes), place: placeBytes(place) }
      visitor = { browser: browserOf(browser), identity }
      known.set(text, visitor)
    }
    return visitor
  }
}

function pathOf(url: string): string {
  return /^[^?#]{0,64}/.exec(url)?.[0].toLowerCase() ?? ''
}

/** Whether an address has had its new visitors at a link; each call is one. */
function countNewVisitors(): (key: string) => boolean {
  const counts = new LRUCache<string, { visitors: number }>({ max: 10_000, ttl: newVisitorsMs })
  return (key) => {
    const count = counts.get(key) ?? { visitors: 0 }
    if (count.visitors === 0) counts.set(key, count)
    return ++count.visitors > maxNewVisitors
  }
}

function placeBytes({ country, region, city }: Place): Uint8Array {
  if (region === '' && city === '') return Buffer.from(country)
  const bytes = Buffer.from(`${country}\t${region}\t${city}`)
  // A name so long that it would not fit says nothing.
  return bytes.length > maxTextBytes.place ? Buffer.from(country) : bytes
}
