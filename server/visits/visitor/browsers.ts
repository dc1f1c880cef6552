import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'
import { onlyClaimsBrowser } from '#domain/visits/reading/agents.ts'
import type { Browser } from './visitor-facts.ts'

// A few browsers make most of the visits, and classifying one takes longer than the response.
const browsers = new LRUCache<string, Browser>({ max: 10_000, memoMethod: readBrowser })

/** @param agent canonical (domain/visits/reading/agents.ts) */
export function browserOf(agent: string): Browser {
  return browsers.memo(agent)
}

function readBrowser(agent: string): Browser {
  return { isBot: isBot(agent), userAgent: Buffer.from(agent, 'latin1') }
}

/**
 * True for crawlers, link previewers, monitors, HTTP libraries, driven browsers, names that no list knows, and clients
 * without a name (decision 0013).
 *
 * @param agent canonical
 */
export function isBot(agent: string): boolean {
  return agent === '' || isbot(agent) || onlyClaimsBrowser(agent)
}

/** Header values may contain tabs and bytes above 127. They become question marks. */
export function storableText(value: string, maxLength: number): string {
  const text = value.slice(0, maxLength)
  return /[^ -~]/.test(text) ? text.replace(/[^ -~]/g, '?') : text
}
