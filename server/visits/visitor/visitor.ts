import { clientAddress } from '../../http/client-address.ts'
import { storableText } from './browsers.ts'
import { type Browser, type ClickVerdict, maxTextBytes, type Visitor } from './visitor-facts.ts'
import type { IdentifyVisitor } from './visitor-identity.ts'

/** A request for a short link, as node:http or the fast lane read it. */
export interface VisitRequest {
  method?: string | undefined
  url?: string | undefined
  rawHeaders: readonly string[]
  socket: { remoteAddress?: string | undefined }
}

interface VisitorReaderDeps {
  trustedProxies: number
  /** The header in which a trusted proxy names the visitor's country, in lower case. */
  countryHeader: string | undefined
  identify: IdentifyVisitor
}

/** Reads the record of a request. */
export type ReadVisitor = (request: VisitRequest) => Visitor

/** The headers that {@link createVisitorReader} reads, in lower case. */
export function visitorHeaders({
  trustedProxies,
  countryHeader,
}: Pick<VisitorReaderDeps, 'trustedProxies' | 'countryHeader'>): string[] {
  const always = ['user-agent', 'referer', 'accept-language', ...purposeHeaders]
  if (trustedProxies === 0) return always
  return [...always, 'x-forwarded-for', ...(countryHeader === undefined ? [] : [countryHeader])]
}

/** Headers in which browsers say that no person sees the page yet. */
const purposeHeaders = ['sec-purpose', 'purpose', 'x-moz']

/**
 * Whether a browser asks before the press of a person (`prefetch`, `prefetch;prerender`), to use the response at the press. One
 * that shows a preview (`preview`) shows the response at once.
 */
export function isPrefetch({ rawHeaders }: Pick<VisitRequest, 'rawHeaders'>): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!purposeHeaders.includes(rawHeaders[i]?.toLowerCase() ?? '')) continue
    const purpose = rawHeaders[i + 1] ?? ''
    if (/prefetch|prerender/i.test(purpose) && !/preview/i.test(purpose)) return true
  }
  return false
}

/** Reads the raw headers: parsing them into an object costs more than the rest of a visit. */
export function createVisitorReader(deps: VisitorReaderDeps): ReadVisitor {
  const { trustedProxies, identify } = deps
  const countryHeader = trustedProxies > 0 ? deps.countryHeader : undefined
  const lengths = new Set(visitorHeaders(deps).map(({ length }) => length))
  return ({ method, url, rawHeaders, socket }) => {
    let userAgent = ''
    let referrer = ''
    let language = ''
    let forwarded = ''
    let country: string | undefined
    let prefetch = false
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] ?? ''
      // The length alone rules out most headers.
      if (!lengths.has(name.length)) continue
      const value = rawHeaders[i + 1] ?? ''
      switch (name.toLowerCase()) {
        case 'user-agent':
          userAgent ||= value
          break
        case 'referer':
          referrer ||= storableText(value, maxTextBytes.referrer)
          break
        case 'accept-language':
          language ||= storableText(value, maxTextBytes.language)
          break
        case 'purpose':
        case 'sec-purpose':
        case 'x-moz':
          // `prefetch;prerender` or `preview`: no person sees the page yet.
          prefetch ||= /prefetch|prerender|preview/i.test(value)
          break
        case 'x-forwarded-for':
          forwarded += forwarded === '' ? value : `, ${value}`
          break
        case countryHeader:
          country ??= value
          break
      }
    }
    const address = clientAddress(socket.remoteAddress, forwarded, trustedProxies)
    const { browser, identity } = identify(address, userAgent, url, country)
    const verdict = verdictOf(method, prefetch, browser)
    return { verdict, browser, referrer, query: queryOf(url), language, identity }
  }
}

function queryOf(url: string | undefined): string {
  const start = url?.indexOf('?') ?? -1
  return url === undefined || start === -1
    ? ''
    : storableText(url.slice(start + 1, start + 1 + maxTextBytes.query), maxTextBytes.query)
}

function verdictOf(method: string | undefined, prefetch: boolean, browser: Browser): ClickVerdict {
  if (method === 'HEAD') return 'head'
  if (prefetch) return 'prefetch'
  return browser.isBot ? 'bot' : 'counted'
}
