import { destinationNotice } from '#domain/links/destination-notice.ts'
import { readDestination } from '#domain/links/destinations.ts'
import { reservedWords } from '#domain/routes.ts'
import { customCodeProblem, normalizeShortCode } from '#domain/links/short-codes.ts'
import { type Notice, notices, reservedCodeNotice } from '#domain/texts/texts.ts'

export type ShortenDecision =
  | { readonly kind: 'refuse'; readonly field: 'url' | 'code'; readonly notice: Notice }
  | { readonly kind: 'login' }
  | { readonly kind: 'create'; readonly url: string; readonly customCode: string | null }

/**
 * The effect of pressing Shorten; the first problem in the order of the checks wins. A link that could not be made leads to
 * no sign-in: the dialog promises that it is made afterwards.
 */
export function decideShorten(form: {
  url: string
  code: string
  /** The host of the link; null is the server's own. */
  domain: string | null
  signedIn: boolean
  ownHosts: readonly string[]
}): ShortenDecision {
  if (form.url.trim() === '') return { kind: 'refuse', field: 'url', notice: notices.urlMissing }
  const destination = readDestination(form.url, { ownHosts: form.ownHosts })
  if (!destination.ok)
    return { kind: 'refuse', field: 'url', notice: destinationNotice(destination.reason) }

  const code = normalizeShortCode(form.code)
  const notice = code === '' ? undefined : codeNotice(code, form.domain)
  if (notice !== undefined) return { kind: 'refuse', field: 'code', notice }
  if (!form.signedIn) return { kind: 'login' }
  return { kind: 'create', url: destination.url, customCode: code === '' ? null : code }
}

function codeNotice(code: string, domain: string | null): Notice | undefined {
  const problem = customCodeProblem(code)
  if (problem === 'characters') return notices.customCodeCharacters
  if (problem === 'length') return notices.customCodeLength
  // The server knows the few words of a domain.
  return domain === null && reservedWords.includes(code) ? reservedCodeNotice : undefined
}
