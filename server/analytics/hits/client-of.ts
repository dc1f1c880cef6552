import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'
import type { ClickVerdict } from '../../visits/visitor-facts.ts'
import { botOf } from './bots.ts'
import { firstLanguage } from './first-language.ts'
import { type Software, softwareOf } from './software.ts'

/** Who made a hit. All texts come from fixed lists, never from a request; '' is not known. */
export interface HitClient {
  verdict: Exclude<ClickVerdict, 'bot'> | 'previewer' | 'crawler' | 'monitor'
  device: Software['device'] | 'bot'
  browser: string
  system: string
  /** Primary subtag of BCP 47, for example `de`. */
  language: string
  /** The name of the bot; 'Other' for one that no list names, '' for everyone else. */
  bot: string
}

const maxUserAgentLength = 512

const clients = new LRUCache<string, HitClient>({ max: 20_000 })

/**
 * Names the client of a hit by its headers, as one object for all clients that are alike. The verdict of the visit decides
 * whether it counts (decision 0013); this only adds which kind of bot it was, so that clicks and counters stay equal.
 */
export function clientOf(
  userAgent: string,
  verdict: ClickVerdict,
  acceptLanguage: string,
): HitClient {
  const client = describe(
    userAgent.slice(0, maxUserAgentLength),
    verdict,
    firstLanguage(acceptLanguage),
  )
  const key = Object.values(client).join()
  const known = clients.get(key)
  if (known) return known
  clients.set(key, client)
  return client
}

function describe(userAgent: string, verdict: ClickVerdict, language: string): HitClient {
  if (verdict === 'bot') {
    const { name, verdict: kind } = botOf(userAgent) ?? unlistedBot
    return { verdict: kind, ...disguise, language, bot: name }
  }
  // A bot may ask with HEAD or prefetch, too.
  const bot = verdict !== 'counted' && isbot(userAgent) ? botOf(userAgent) : undefined
  if (bot && !bot.isTool) return { verdict, ...disguise, language, bot: bot.name }
  const software = softwareOf(userAgent)
  // A bot with a bare name counts (`Uptime-Kuma/1.23`). Its name explains the clicks.
  const isBare = software.device === 'other' && software.browser === ''
  const browser = isBare ? (botOf(userAgent)?.name ?? '') : software.browser
  return { verdict, ...software, browser, language, bot: '' }
}

const unlistedBot = { name: 'Other', verdict: 'crawler' } as const

/** What a bot says about its browser is not true. */
const disguise = { device: 'bot', browser: '', system: '' } as const
