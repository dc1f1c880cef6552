import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'
import { clientAddress } from '../http/client-address.ts'
import { type Browser, type ClickVerdict, maxTextBytes, type Visitor } from './visitor-facts.ts'
import type { IdentifyVisitor } from './visitor-identity.ts'

/** A request for a short link, as node:http or the fast lane read it. */
export interface VisitRequest {
  method?: string | undefined
  url?: string | undefined
  rawHeaders: readonly string[]
  socket: { remoteAddress?: string | undefined }
}

// A few browsers make most of the visits, and classifying one takes longer than the response.
const browsers = new LRUCache<string, Browser>({ max: 10_000 })

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
  const always = ['user-agent', 'referer', 'purpose', 'sec-purpose', 'x-moz', 'accept-language']
  if (trustedProxies === 0) return always
  return [...always, 'x-forwarded-for', ...(countryHeader === undefined ? [] : [countryHeader])]
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
    const browser = browserOf(userAgent)
    const address = clientAddress(socket.remoteAddress, forwarded, trustedProxies)
    return {
      verdict: verdictOf(method, prefetch, browser),
      browser,
      referrer,
      query: queryOf(url),
      language,
      identity: identify(address, userAgent, pathOf(url), country),
    }
  }
}

function pathOf(url = ''): string {
  return /^[^?#]{0,64}/.exec(url)?.[0].toLowerCase() ?? ''
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

function browserOf(header: string): Browser {
  const length = maxTextBytes.userAgent
  const text = header.length > length ? header.slice(0, length) : header
  let browser = browsers.get(text)
  if (!browser) {
    const userAgent = Buffer.from(storableText(text, length), 'latin1')
    browser = { isBot: isBot(text), userAgent }
    browsers.set(text, browser)
  }
  return browser
}

/** True for crawlers, link previewers, monitors, HTTP libraries, driven browsers, and clients without a name (decision 0013). */
export function isBot(userAgent: string): boolean {
  return userAgent === '' || isbot(userAgent)
}

/** Header values may contain tabs and bytes above 127. They become question marks. */
function storableText(value: string, maxLength: number): string {
  const text = value.length > maxLength ? value.slice(0, maxLength) : value
  return /[^ -~]/.test(text) ? text.replace(/[^ -~]/g, '?') : text
}
