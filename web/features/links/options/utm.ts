/** The parameters of a campaign, in the order of the form. */
export const utmNames = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const
type UtmName = (typeof utmNames)[number]
/** Values as people read them; empty for a parameter that is not there. */
export type Utm = Record<UtmName, string>

export const noUtm: Utm = {
  utm_source: '',
  utm_medium: '',
  utm_campaign: '',
  utm_term: '',
  utm_content: '',
}

/** Reads the campaign of an address, also of one that is still being typed. */
export function utmOf(address: string): Utm {
  const { pairs } = partsOf(address)
  const valueOf = (name: UtmName) => {
    const pair = pairs.find((each) => nameOf(each) === name)
    return pair === undefined ? '' : decoded(pair.slice(pair.indexOf('=') + 1 || pair.length))
  }
  return {
    utm_source: valueOf('utm_source'),
    utm_medium: valueOf('utm_medium'),
    utm_campaign: valueOf('utm_campaign'),
    utm_term: valueOf('utm_term'),
    utm_content: valueOf('utm_content'),
  }
}

/**
 * Writes parameters of a campaign into an address. One that is there keeps its place, and an empty one leaves; everything else
 * stays as it was typed.
 */
export function withUtm(address: string, change: Partial<Utm>): string {
  const { base, pairs, fragment } = partsOf(address)
  let written = pairs
  for (const name of utmNames) {
    const value = change[name]
    if (value === undefined) continue
    const at = written.findIndex((pair) => nameOf(pair) === name)
    const others = written.filter((pair) => nameOf(pair) !== name)
    const pair = `${name}=${encodeURIComponent(value.toWellFormed())}`
    written = value === '' ? others : others.toSpliced(at < 0 ? others.length : at, 0, pair)
  }
  if (written === pairs) return address
  return `${base}${written.length === 0 ? '' : `?${written.join('&')}`}${fragment}`
}

export function isSameUtm(one: Utm, other: Utm): boolean {
  return utmNames.every((name) => one[name] === other[name])
}

function partsOf(address: string) {
  const [, base = '', query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(address) ?? []
  const pairs = query === undefined || query === '' ? [] : query.split('&')
  return { base, pairs, fragment }
}

function nameOf(pair: string): string {
  return decoded(pair.split('=', 1)[0] ?? '')
}

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
