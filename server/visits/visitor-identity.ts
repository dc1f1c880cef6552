import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { countryHeader as countryOf, type Place } from '../analytics/hits/places.ts'
import { limitKey } from '../http/client-address.ts'
import { maxTextBytes, type VisitorIdentity } from './visitor-facts.ts'
import type { VisitorKeys } from './visitor-keys.ts'

/**
 * @param path of the link: it tells which visitors are new to it
 * @param country from the header of a trusted proxy, instead of the address's
 */
export type IdentifyVisitor = (
  address: string,
  userAgent: string,
  path?: string,
  country?: string,
) => VisitorIdentity

const hashBytes = 8
const maxUserAgent = 512
/** New visitors of one address at one link. Those beyond are one visitor: a User-Agent is quickly made up. */
const maxNewVisitors = 100
const newVisitorsMs = 30 * 60_000

/** Remembers the visitors of this moment: their next requests cost neither a hash nor a look-up. */
export function createVisitorIdentifier(
  keys: VisitorKeys,
  placeOf: (address: string) => Place,
): IdentifyVisitor {
  const known = new LRUCache<string, VisitorIdentity>({ max: 10_000 })
  const isCrowded = countNewVisitors()
  let knownDay = 0
  return (address, userAgent, path = '', country) => {
    const { key, day } = keys.current()
    if (day !== knownDay) known.clear()
    knownDay = day
    const browser = userAgent.length > maxUserAgent ? userAgent.slice(0, maxUserAgent) : userAgent
    const text = `${address}\n${country ?? ''}\n${browser}`
    let identity = known.get(text)
    if (!identity) {
      const told = path !== '' && isCrowded(`${limitKey(address)} ${path}`) ? '' : browser
      const hash = createHmac('sha256', key).update(`${address}\n${told}`).digest()
      const place =
        country === undefined
          ? placeOf(address)
          : { country: countryOf(country), region: '', city: '' }
      identity = { hash: hash.subarray(0, hashBytes), place: placeBytes(place) }
      known.set(text, identity)
    }
    return identity
  }
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
