import letters from './look-alikes.json' with { type: 'json' }

/** Letters of other scripts, and digits and signs, that look like a letter of the product's name. */
const lookAlikes = new Map(
  Object.entries(letters).flatMap(([letter, signs]) => Array.from(signs, (sign) => [sign, letter])),
)

/** Whether people could take a name for the product itself: it contains the product's name, however it is written. */
export function looksLikeProduct(name: string): boolean {
  return Array.from(name.normalize('NFKD').toLowerCase(), (sign) => lookAlikes.get(sign) ?? sign)
    .join('')
    .replaceAll(/[^a-z]/g, '')
    .includes('hoplet')
}
