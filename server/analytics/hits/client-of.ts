import { LRUCache } from 'lru-cache'
import { canonicalAgent } from '#domain/visits/reading/agents.ts'
import type { ClickVerdict } from '../../visits/visitor/visitor-facts.ts'
import { isBot } from '../../visits/visitor/browsers.ts'
import { type Bot, botOf } from './bots.ts'
import { firstLanguage } from './first-language.ts'
import { type Software, softwareOf } from './software.ts'

/** Client of a hit. All texts come from fixed lists, never from a request; '' is not known. */
export interface HitClient {
  verdict: Exclude<ClickVerdict, 'bot'> | Bot['verdict']
  device: Software['device'] | 'bot'
  browser: string
  system: string
  /** Primary subtag of BCP 47, for example `de`. */
  language: string
  /** The name of the bot; 'Other' for one that no list names, 'No name' without a User-Agent, '' for everyone else. */
  bot: string
}

const clients = new LRUCache<string, HitClient>({ max: 20_000 })
/** Those that are alike are one object: the store knows it again by its identity. */
const alike = new LRUCache<string, HitClient>({ max: 20_000 })

/**
 * Names the client of a hit by its headers. The verdict of the visit decides
 * whether it counts (decision 0013); this only adds which kind of bot it was, so that clicks and counters stay equal.
 */
export function clientOf(
  userAgent: string,
  verdict: ClickVerdict,
  acceptLanguage: string,
): HitClient {
  const headers = `${verdict}\n${acceptLanguage}\n${userAgent}`
  const known = clients.get(headers)
  if (known) return known
  const described = describe(canonicalAgent(userAgent), verdict, firstLanguage(acceptLanguage))
  const key = Object.values(described).join()
  const client = alike.get(key) ?? described
  alike.set(key, client)
  clients.set(headers, client)
  return client
}

function describe(userAgent: string, verdict: ClickVerdict, language: string): HitClient {
  if (verdict === 'bot') {
    const bot = botNamed(userAgent)
    return { verdict: bot.verdict, ...disguise, language, bot: bot.name }
  }
  // A bot may ask with HEAD or prefetch, too.
  if (verdict !== 'counted' && isBot(userAgent))
    return { verdict, ...disguise, language, bot: botNamed(userAgent).name }
  return { verdict, ...softwareOf(userAgent), language, bot: '' }
}

const crawlerWord =
  /bot|crawl|spider|slurp|scrap|scan|preview|external|embed|feed|rss|monitor|check|archive|google|bing|yahoo|yandex|facebook|whatsapp|telegram|slack|discord/i

function botNamed(userAgent: string): Bot {
  if (userAgent === '') return { name: 'No name', verdict: 'program' }
  const listed = botOf(userAgent)
  if (listed) return listed
  const { device, browser } = softwareOf(userAgent)
  // A client that no list names is a crawler only if it says so.
  const verdict = crawlerWord.test(userAgent) ? 'crawler' : 'program'
  return { name: (device === 'other' && browser) || 'Other', verdict }
}

/** A bot's claim about its browser is not true. */
const disguise = { device: 'bot', browser: '', system: '' } as const
