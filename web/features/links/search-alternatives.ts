/**
 * The texts to look for when this is typed. Addresses are stored in ASCII, so `münchen` is looked for as a host
 * (`xn--mnchen-3ya`) and as a part of a path (`m%C3%BCnchen`).
 */
export function searchAlternatives(typed: string): string[] {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  if (/^[\u0000-\u007f]*$/.test(typed)) return [typed]
  const lower = typed.toLowerCase()
  return [...new Set([asPath(typed), asPath(lower), asHost(lower)])]
}

function asPath(text: string): string {
  return text.replaceAll(/[^\u0000-\u007f]+/gu, (letters) => encodeURIComponent(letters))
}

function asHost(text: string): string {
  const [host = '', ...path] = text.replace(/^https?:\/\//, '').split('/')
  if (!URL.canParse(`http://${host}`)) return asPath(text)
  return [new URL(`http://${host}`).hostname, ...path.map(asPath)].join('/')
}
