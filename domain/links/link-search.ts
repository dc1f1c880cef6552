import { reportedName } from '#domain/forms/report-form.ts'

const beyondAscii = /[\u0080-\u{10ffff}]/u
const escapedInPaths = /[\u0080-\u{10ffff} ]+/gu

/**
 * Texts to look for when this is typed, at most ten: titles hold it as it is. Addresses are stored in ASCII, so `münchen` is
 * looked for as a host (`xn--mnchen-3ya`) and as a part of a path, in the spellings that differ once they are escaped
 * (`m%C3%BCnchen`, `M%C3%BCnchen`, `M%C3%9CNCHEN`). The database ignores the case of everything else. A pasted short link
 * is its code, one of a domain its host and code.
 *
 * @param ownHosts from `ownHostsOf`
 */
export function searchAlternatives(typed: string, ownHosts: readonly string[]): string[] {
  const text = typed.trim()
  const code = text.includes('/') ? reportedName(text, ownHosts) : undefined
  const pasted = code ?? onDomain(text)
  const inTitles = [typed, ...(pasted === undefined ? [] : [pasted])]
  if (!beyondAscii.test(text)) return distinct([...inTitles, asPath(text)])
  const composed = text.normalize('NFC')
  const lower = composed.toLowerCase()
  const capitalized = lower.replaceAll(/(?<![\p{L}\p{M}])\p{L}/gu, (letter) => letter.toUpperCase())
  const spellings = [composed, lower, capitalized, composed.toUpperCase()]
  return distinct([
    ...inTitles,
    composed,
    composed.normalize('NFD'),
    ...spellings.map(asPath),
    asHost(lower),
  ])
}

/** `go.example/menu` of a pasted link; undefined for another text. The database knows which hosts are domains. */
function onDomain(text: string): string | undefined {
  const [, host, code] =
    /^(?:https?:\/\/)?([^\s/?#]+\.[^\s/?#]+)\/([\w-]{3,50})\/?(?:[?#]\S*)?$/i.exec(text) ?? []
  if (host === undefined || code === undefined || !URL.canParse(`http://${host}`)) return undefined
  return `${new URL(`http://${host}`).hostname}/${code.toLowerCase()}`
}

/** One for each line of `list_links`. */
export function searchLines(typed: string, ownHosts: readonly string[]): string {
  return searchAlternatives(typed.replaceAll('\n', ' '), ownHosts).join('\n')
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}

function asPath(text: string): string {
  return text.toWellFormed().replaceAll(escapedInPaths, (letters) => encodeURIComponent(letters))
}

function asHost(text: string): string {
  const [host = '', ...path] = text.replace(/^https?:\/\//, '').split('/')
  if (!URL.canParse(`http://${host}`)) return asPath(text)
  return [new URL(`http://${host}`).hostname, ...path.map(asPath)].join('/')
}
