import { destinationMaxLength } from '#domain/destinations.ts'
import { qrParameter } from '#domain/qr-address.ts'

/** Which parameters of a visit go on to the destination. */
export interface QueryForwarding {
  /** `all`, or the names of parameters, in their own spelling. */
  names: 'all' | ReadonlySet<string>
  /** Whether a parameter of the visit replaces the destination's. */
  overrides: boolean
}

/** How `forward_query` and `forward_overrides` of a link read; undefined forwards nothing. */
export function forwardingOf(
  forwardQuery: string,
  overrides: boolean,
): QueryForwarding | undefined {
  if (forwardQuery === 'none') return undefined
  return { names: forwardQuery === 'all' ? 'all' : new Set(forwardQuery.split(',')), overrides }
}

/** Parameters that are for the short link. */
const ownNames: ReadonlySet<string> = new Set([qrParameter, 'password'])

/**
 * Appends pairs of a visit's query to a destination: as they came, in their order, before `#`. Where both have a parameter,
 * the destination's wins, unless the link says otherwise. Nothing is forwarded if the address would become too long.
 *
 * @param query of the visit, without `?`
 */
export function forwardQuery(
  destination: string,
  query: string,
  { names, overrides }: QueryForwarding,
): string {
  const hash = destination.indexOf('#')
  const address = hash === -1 ? destination : destination.slice(0, hash)
  const fragment = hash === -1 ? '' : destination.slice(hash)
  const [base = '', ...rest] = address.split('?')
  const ownQuery = rest.join('?')
  const own = pairsOf(ownQuery)
  const ownKeys = new Set(own.map(nameOf))
  const forwarded = pairsOf(query).filter((pair) => {
    const name = nameOf(pair)
    if (!isSafe(pair) || ownNames.has(name)) return false
    return (names === 'all' || names.has(name)) && (overrides || !ownKeys.has(name))
  })
  if (forwarded.length === 0) return destination
  const replaced = new Set(forwarded.map(nameOf).filter((name) => ownKeys.has(name)))
  const kept =
    replaced.size === 0 ? ownQuery : own.filter((pair) => !replaced.has(nameOf(pair))).join('&')
  const joint = kept === '' || kept.endsWith('&') ? '' : '&'
  const result = `${base}?${kept}${joint}${forwarded.join('&')}${fragment}`
  return result.length > destinationMaxLength ? destination : result
}

const pairsOf = (query: string) => query.split('&').filter((pair) => pair !== '')

function nameOf(pair: string): string {
  const name = pair.split('=', 1)[0] ?? ''
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

/** The characters that a destination may have, without the start of a fragment. */
const isSafe = (pair: string) => /^[!"$-[\]-~]*$/.test(pair)
