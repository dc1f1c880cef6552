import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'
import { type Browser, maxTextBytes } from './visitor-facts.ts'

// A few browsers make most of the visits, and classifying one takes longer than the response.
const browsers = new LRUCache<string, Browser>({ max: 10_000, memoMethod: readBrowser })

/** @param header User-Agent; the first 512 bytes count */
export function browserOf(header: string): Browser {
  return browsers.memo(header.slice(0, maxTextBytes.userAgent))
}

function readBrowser(text: string): Browser {
  const userAgent = Buffer.from(storableText(text, maxTextBytes.userAgent), 'latin1')
  return { isBot: isBot(text), userAgent }
}

/** True for crawlers, link previewers, monitors, HTTP libraries, driven browsers, and clients without a name (decision 0013). */
export function isBot(userAgent: string): boolean {
  return userAgent === '' || isbot(userAgent)
}

/** Header values may contain tabs and bytes above 127. They become question marks. */
export function storableText(value: string, maxLength: number): string {
  const text = value.slice(0, maxLength)
  return /[^ -~]/.test(text) ? text.replace(/[^ -~]/g, '?') : text
}
