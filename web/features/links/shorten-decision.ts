import { destinationNotice } from '#domain/destination-notice.ts'
import { checkDestination } from '#domain/destinations.ts'
import { reservedWords } from '#domain/routes.ts'
import { customCodeProblem, normalizeShortCode } from '#domain/short-codes.ts'
import { notices, type Notice, reservedCodeNotice } from '#domain/texts.ts'

export type ShortenDecision =
  | { readonly kind: 'refuse'; readonly field: 'url' | 'code'; readonly notice: Notice }
  | { readonly kind: 'login' }
  | { readonly kind: 'create'; readonly url: string; readonly customCode: string | null }

/** What pressing Shorten leads to; the first problem in the order of the checks wins. */
export function decideShorten(form: {
  url: string
  code: string
  signedIn: boolean
  ownHosts: readonly string[]
}): ShortenDecision {
  const url = form.url.trim()
  if (url === '') return { kind: 'refuse', field: 'url', notice: notices.urlMissing }
  if (!form.signedIn) return { kind: 'login' }

  const destination = checkDestination(url, { ownHosts: form.ownHosts })
  if (!destination.ok)
    return { kind: 'refuse', field: 'url', notice: destinationNotice(destination.reason) }

  const code = normalizeShortCode(form.code)
  if (code === '') return { kind: 'create', url: destination.url, customCode: null }
  const problem = customCodeProblem(code)
  if (problem === 'characters') {
    return { kind: 'refuse', field: 'code', notice: notices.customCodeCharacters }
  }
  if (problem === 'length') {
    return { kind: 'refuse', field: 'code', notice: notices.customCodeLength }
  }
  if (reservedWords.includes(code))
    return { kind: 'refuse', field: 'code', notice: reservedCodeNotice }
  return { kind: 'create', url: destination.url, customCode: code }
}
