import type { IncomingMessage } from 'node:http'
import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'

/** Why a visit counts or not, as stored in `app.click_events.verdict`. The journal stores the index. */
export const verdicts = ['counted', 'head', 'prefetch', 'bot'] as const
export type ClickVerdict = (typeof verdicts)[number]

/** What the User-Agent header says about a browser. */
export interface Browser {
  isBot: boolean
  /** At most 512 printable ASCII bytes. */
  userAgent: Uint8Array
}

/** What is recorded about a visitor besides the time. Never an IP address or a cookie. */
export interface Visitor {
  verdict: ClickVerdict
  browser: Browser
  /** At most 512 printable ASCII characters. */
  referrer: string
}

const maxTextLength = 512

// A few browsers make most of the visits, and classifying one takes longer than the response.
const browsers = new LRUCache<string, Browser>({ max: 10_000 })

const readLengths = new Set(
  ['user-agent', 'referer', 'purpose', 'sec-purpose', 'x-moz'].map(({ length }) => length),
)

/** Reads the raw headers: parsing them into an object costs more than the rest of a visit. */
export function visitorOf(request: Pick<IncomingMessage, 'method' | 'rawHeaders'>): Visitor {
  const { rawHeaders } = request
  let userAgent = ''
  let referrer = ''
  let prefetch = false
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    // The length alone rules out most headers.
    if (!readLengths.has(name.length)) continue
    const value = rawHeaders[i + 1] ?? ''
    switch (name.toLowerCase()) {
      case 'user-agent':
        userAgent ||= value
        break
      case 'referer':
        referrer ||= storableText(value)
        break
      case 'purpose':
      case 'sec-purpose':
      case 'x-moz':
        // `prefetch;prerender` or `preview`: no person sees the page yet.
        prefetch ||= /prefetch|prerender|preview/i.test(value)
        break
    }
  }
  const browser = browserOf(userAgent)
  return { verdict: verdictOf(request.method, prefetch, browser), browser, referrer }
}

function verdictOf(method: string | undefined, prefetch: boolean, browser: Browser): ClickVerdict {
  if (method === 'HEAD') return 'head'
  if (prefetch) return 'prefetch'
  return browser.isBot ? 'bot' : 'counted'
}

function browserOf(header: string): Browser {
  const text = header.length > maxTextLength ? header.slice(0, maxTextLength) : header
  let browser = browsers.get(text)
  if (!browser) {
    browser = { isBot: declaresBot(text), userAgent: Buffer.from(storableText(text), 'latin1') }
    browsers.set(text, browser)
  }
  return browser
}

const crawlerWord =
  /bot|crawl|spider|slurp|scrap|scan|preview|external|embed|feed|rss|monitor|check|archive|google|bing|yahoo|yandex|facebook|whatsapp|telegram|slack|discord/i

/**
 * True for programs that identify themselves as crawlers, link previewers or monitors. Bare HTTP clients (`curl/8.5.0`,
 * `node`) and headless browsers are run on purpose, so their visits count: see docs/decisions/0013.
 */
function declaresBot(userAgent: string): boolean {
  const isBareClient = /^[\w.-]+(\/[\w.-]+)?$/.test(userAgent) && !crawlerWord.test(userAgent)
  return !isBareClient && isbot(userAgent.replace('HeadlessChrome', 'Chrome'))
}

/** Header values may contain tabs and bytes above 127. They become question marks. */
function storableText(value: string): string {
  const text = value.length > maxTextLength ? value.slice(0, maxTextLength) : value
  return /[^ -~]/.test(text) ? text.replace(/[^ -~]/g, '?') : text
}
