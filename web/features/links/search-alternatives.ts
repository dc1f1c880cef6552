const beyondAscii = /[\u0080-\u{10ffff}]/u
const beyondAsciiRuns = /[\u0080-\u{10ffff}]+/gu

/**
 * The texts to look for when this is typed. Addresses are stored in ASCII, so `münchen` is looked for as a host
 * (`xn--mnchen-3ya`) and as a part of a path (`m%C3%BCnchen`).
 */
export function searchAlternatives(typed: string): string[] {
  if (!beyondAscii.test(typed)) return [typed]
  const lower = typed.toLowerCase()
  return [...new Set([asPath(typed), asPath(lower), asHost(lower)])]
}

function asPath(text: string): string {
  return text.replaceAll(beyondAsciiRuns, (letters) => encodeURIComponent(letters))
}

function asHost(text: string): string {
  const [host = '', ...path] = text.replace(/^https?:\/\//, '').split('/')
  if (!URL.canParse(`http://${host}`)) return asPath(text)
  return [new URL(`http://${host}`).hostname, ...path.map(asPath)].join('/')
}
