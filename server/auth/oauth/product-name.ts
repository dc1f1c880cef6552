/** Letters of other scripts, and digits, that look like a letter of the product's name. */
const lookAlikes: Readonly<Record<string, string>> = {
  һ: 'h',
  н: 'h',
  Н: 'h',
  ʜ: 'h',
  հ: 'h',
  о: 'o',
  ο: 'o',
  օ: 'o',
  '0': 'o',
  ᴏ: 'o',
  р: 'p',
  ρ: 'p',
  ᴘ: 'p',
  þ: 'p',
  '1': 'l',
  i: 'l',
  '|': 'l',
  '!': 'l',
  ı: 'l',
  і: 'l',
  ι: 'l',
  ӏ: 'l',
  ʟ: 'l',
  ł: 'l',
  '3': 'e',
  е: 'e',
  є: 'e',
  ε: 'e',
  '€': 'e',
  ᴇ: 'e',
  '7': 't',
  т: 't',
  τ: 't',
  '+': 't',
  ᴛ: 't',
}

/** Whether people could take a name for the product itself: it contains the product's name, however it is written. */
export function looksLikeProduct(name: string): boolean {
  const letters = Array.from(
    name.normalize('NFKD').toLowerCase(),
    (sign) => lookAlikes[sign] ?? sign,
  )
  return letters
    .join('')
    .replaceAll(/[^a-z]/g, '')
    .includes('hoplet')
}
