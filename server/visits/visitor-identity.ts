import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { countryHeader as countryOf, type Place } from '../analytics/hits/places.ts'
import { maxTextBytes, type VisitorIdentity } from './visitor-facts.ts'
import type { VisitorKeys } from './visitor-keys.ts'

/** @param country from the header of a trusted proxy, instead of the address's */
export type IdentifyVisitor = (
  address: string,
  userAgent: string,
  country?: string,
) => VisitorIdentity

const hashBytes = 8
const maxUserAgent = 512

/** Remembers the visitors of this moment: their next requests cost neither a hash nor a look-up. */
export function createVisitorIdentifier(
  keys: VisitorKeys,
  placeOf: (address: string) => Place,
): IdentifyVisitor {
  const known = new LRUCache<string, VisitorIdentity>({ max: 10_000 })
  let knownDay = 0
  return (address, userAgent, country) => {
    const { key, day } = keys.current()
    if (day !== knownDay) known.clear()
    knownDay = day
    const browser = userAgent.length > maxUserAgent ? userAgent.slice(0, maxUserAgent) : userAgent
    const text = `${address}\n${country ?? ''}\n${browser}`
    let identity = known.get(text)
    if (!identity) {
      const hash = createHmac('sha256', key).update(`${address}\n${browser}`).digest()
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

function placeBytes({ country, region, city }: Place): Uint8Array {
  if (region === '' && city === '') return Buffer.from(country)
  const bytes = Buffer.from(`${country}\t${region}\t${city}`)
  // A name so long that it would not fit says nothing.
  return bytes.length > maxTextBytes.place ? Buffer.from(country) : bytes
}
