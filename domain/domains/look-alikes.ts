/** Scripts of living languages (UAX 31, table 5). A label has the letters of one of them. */
const scripts =
  'Arab Armn Beng Bopo Cyrl Deva Ethi Geor Grek Gujr Guru Hang Hani Hebr Hira Kana Knda Khmr Laoo Latn Mlym Mymr Orya Sinh Taml Telu Thaa Thai Tibt'.split(
    ' ',
  )

/** Those that Japanese, Chinese and Korean mix (UTS 39, "highly restrictive"). */
const mixtures = [
  ['Latn', 'Hani', 'Hira', 'Kana'],
  ['Latn', 'Hani', 'Bopo'],
  ['Latn', 'Hani', 'Hang'],
]

const alphabets = [...scripts.map((script) => [script]), ...mixtures].map((names) => {
  const letters = names.map((name) => `\\p{scx=${name}}`).join('')
  return new RegExp(`^[${letters}\\p{sc=Zyyy}\\p{sc=Zinh}]+$`, 'u')
})

/** Letters that look like Latin ones, and top-level domains where people read the script. */
const lookAlikes = [
  { letters: /^[асԁеһіјӏорԛѕԝхуъьҽпгѵѡ\d-]+$/u, topLevel: /^(bg|by|kz|ru|su|ua|uz)$/ },
  { letters: /^[αγεηικνορςτυχωϲϳ\d-]+$/u, topLevel: /^gr$/ },
]

/** Whether a label in Unicode mixes scripts: `pаypal` with a Cyrillic а. */
export function mixesScripts(label: string): boolean {
  return !alphabets.some((alphabet) => alphabet.test(label))
}

/** Whether all letters of a label in Unicode look like Latin ones although none is: `аррӏе`. */
export function looksLatin(label: string, topLevel: string): boolean {
  if (/^[\d-]+$/.test(label)) return false
  return lookAlikes.some(
    (alphabet) => alphabet.letters.test(label) && !alphabet.topLevel.test(topLevel),
  )
}
