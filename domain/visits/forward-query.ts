import { destinationMaxLength } from '#domain/links/destinations.ts'
import { qrParameter } from '#domain/links/qr-address.ts'
import { firstParameters } from './reading/query-parameters.ts'

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
const forLink: ReadonlySet<string> = new Set([qrParameter, 'password'])

/**
 * Appends pairs of a visit's query to a destination: as they came, in their order, before `#`. Where both have a parameter,
 * the destination's wins, unless the link says otherwise. Nothing is forwarded if the address would become too long, and of a
 * query that is too long to be read (query-parameters.ts) only named parameters in its readable part.
 *
 * @param query of the visit, without `?`
 */
export function forwardQuery(
  destination: string,
  query: string,
  { names, overrides }: QueryForwarding,
): string {
  if (query === '') return destination
  const readable = firstParameters(query)
  if (names === 'all' && readable.length < query.length) return destination
  const hash = destination.indexOf('#')
  const address = hash === -1 ? destination : destination.slice(0, hash)
  const fragment = hash === -1 ? '' : destination.slice(hash)
  const start = address.indexOf('?')
  const base = start === -1 ? address : address.slice(0, start)
  const ownQuery = start === -1 ? '' : address.slice(start + 1)
  const ownNames = namesIn(ownQuery)
  const forwarded: string[] = []
  const replaced = new Set<string>()
  for (const pair of pairsOf(readable)) {
    const name = nameOf(pair)
    if (!isSafe(pair) || forLink.has(name)) continue
    if (names !== 'all' && !names.has(name)) continue
    const isOwn = ownNames.has(name)
    if (isOwn && !overrides) continue
    if (isOwn) replaced.add(name)
    forwarded.push(pair)
  }
  if (forwarded.length === 0) return destination
  const kept = replaced.size === 0 ? ownQuery : without(replaced, ownQuery)
  const joint = kept === '' || kept.endsWith('&') ? '' : '&'
  const result = `${base}?${kept}${joint}${forwarded.join('&')}${fragment}`
  return result.length > destinationMaxLength ? destination : result
}

const pairsOf = (query: string) => query.split('&').filter((pair) => pair !== '')

/** Names of a destination's parameters; of one with more than a hundred, the first ones. */
function namesIn(query: string): ReadonlySet<string> {
  return query === '' ? none : new Set(pairsOf(firstParameters(query)).map(nameOf))
}

const none: ReadonlySet<string> = new Set()

/** A query without the parameters of these names. */
function without(names: ReadonlySet<string>, query: string): string {
  const readable = firstParameters(query)
  const kept = pairsOf(readable).filter((pair) => !names.has(nameOf(pair)))
  return kept.join('&') + query.slice(readable.length)
}

function nameOf(pair: string): string {
  const end = pair.indexOf('=')
  const name = end === -1 ? pair : pair.slice(0, end)
  if (!/[%+]/.test(name)) return name
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

/** The characters that a destination may have, without the start of a fragment. */
const isSafe = (pair: string) => /^[!"$-[\]-~]*$/.test(pair)
