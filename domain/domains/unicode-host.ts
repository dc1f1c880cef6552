// The parameters of punycode (RFC 3492, section 5).
const base = 36
const tMin = 1
const tMax = 26
const skew = 38
const damp = 700
const firstBias = 72
const firstCode = 128
const lastCode = 0x10_ffff

/** Decodes a host for display: `xn--bcher-kva.example` becomes `bücher.example`. Labels that are not valid punycode stay unchanged. */
export function unicodeHost(host: string): string {
  return host
    .split('.')
    .map((label) => (label.startsWith('xn--') ? decode(label.slice(4)) || label : label))
    .join('.')
}

/** @returns undefined for a text that is no punycode */
function decode(encoded: string): string | undefined {
  const end = Math.max(encoded.lastIndexOf('-'), 0)
  const output = Array.from(encoded.slice(0, end), (character) => character.codePointAt(0) ?? 0)
  const digits = Array.from(encoded.slice(end === 0 ? 0 : end + 1), digitOf)
  let code = firstCode
  let bias = firstBias
  let at = 0
  let position = 0
  while (at < digits.length) {
    const before = position
    for (let weight = 1, k = base; ; k += base) {
      const digit = digits[at++]
      if (digit === undefined) return undefined
      position += digit * weight
      const threshold = Math.min(Math.max(k - bias, tMin), tMax)
      if (digit < threshold) break
      weight *= base - threshold
    }
    const length = output.length + 1
    bias = adapt(position - before, length, before === 0)
    code += Math.floor(position / length)
    if (code > lastCode) return undefined
    position %= length
    output.splice(position++, 0, code)
  }
  return String.fromCodePoint(...output)
}

function digitOf(character: string): number | undefined {
  const digit = Number.parseInt(character, base)
  if (Number.isNaN(digit)) return undefined
  // Letters come first: a is 0, and 0 is 26.
  return digit < 10 ? digit + 26 : digit - 10
}

function adapt(change: number, length: number, isFirst: boolean): number {
  let delta = Math.floor(isFirst ? change / damp : change / 2)
  delta += Math.floor(delta / length)
  let k = 0
  for (; delta > ((base - tMin) * tMax) / 2; k += base) delta = Math.floor(delta / (base - tMin))
  return k + Math.floor(((base - tMin + 1) * delta) / (delta + skew))
}
