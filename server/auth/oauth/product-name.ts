import letters from './look-alikes.json' with { type: 'json' }

/** Letters of other scripts, and digits and signs, that look like a letter of the product's name. */
const lookAlikes = new Map(
  Object.entries(letters).flatMap(([letter, signs]) => Array.from(signs, (sign) => [sign, letter])),
)
const product = 'hoplet'
/** Any other letter beyond ASCII, which may look like one of the product's name. */
const unknown = '*'
/** Letters that have to be those of the product before unknown ones count as the rest. */
const minKnown = 3

/** Whether people could take a name for the product itself: it contains the product's name, however it is written. */
export function looksLikeProduct(name: string): boolean {
  const seen = Array.from(name.normalize('NFKD').toLowerCase(), letterOf).join('')
  return (
    seen.replaceAll(unknown, '').includes(product) ||
    Array.from(seen).some((_, at) => isProduct(seen, at))
  )
}

function letterOf(sign: string): string {
  const letter = lookAlikes.get(sign) ?? sign
  if (/^[a-z]$/.test(letter)) return letter
  return /^[^\p{ASCII}]$/u.test(letter) && /^[\p{L}\p{N}\p{S}]$/u.test(letter) ? unknown : ''
}

function isProduct(seen: string, at: number): boolean {
  const pairs = Array.from(product, (letter, i) => [letter, seen[at + i]] as const)
  const known = pairs.filter(([letter, sign]) => letter === sign).length
  return known >= minKnown && pairs.every(([letter, sign]) => letter === sign || sign === unknown)
}
