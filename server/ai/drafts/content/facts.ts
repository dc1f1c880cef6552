import { z } from 'zod'
import { phrases, readBlocks } from '../data-file.ts'
import seasonsFile from './seasons.txt?raw'

// Bounded, and only whole numbers: a prompt may be a thousand digits.
const number = String.raw`(?<![\d,.])\d[\d,]{0,9}(?:\.\d\d)?(?![\d,.]{0,3}\d)`
const money = String.raw`(?:[$€£]\s?${number}|${number}\s?(?:€|£|dollars|euros|pounds|USD|EUR)(?!\w))`
const weekday = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?'
const month =
  '(?:January|February|March|April|May|June|July|August|September|October|November|December)'
const day = String.raw`(?:${weekday}|${month} \d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)? (?:of )?${month})`
const clock = String.raw`(?: at \d{1,2}(?::\d\d)?\s?(?:[ap]\.?m\b\.?|o'clock)?)?`
const deadline = String.raw`${day}|midnight|noon|tonight|tomorrow|Christmas|New Year|(?:the )?end of (?:the |this )?(?:day|week|month|year)|${month}`
const cheaper = '(?:off|discount|cheaper|less|savings?|reduction|sale)'
const percent = String.raw`(?:up to )?(?<!\d)\d{1,2}\s?(?:%|percent\b)`
const platforms =
  'Discord|Slack|Telegram|WhatsApp|Instagram|TikTok|YouTube|LinkedIn|Facebook|Twitch|Kickstarter|Patreon|Etsy|Spotify'

const seasons = readBlocks(seasonsFile, z.record(z.string(), phrases)).flatMap(Object.entries)

const saving = found(
  String.raw`(${percent}(?=[\s-]+${cheaper}\b)|(?<=\b(?:save|saves|get|gets|take|discount of|reduced by)\s+)${percent}|(?:up to )?${money}(?=\s+${cheaper}\b))`,
)
const until = found(
  String.raw`\b(?:until|till|through|ends?(?: on| at)?|by|before)\s+(${deadline})`,
)
const on = found(
  String.raw`\b((?:on|this|next|every)\s+${day}${clock}|on the \d{1,2}(?:st|nd|rd|th)(?: of ${month})?|(?:this|next) (?:week(?:end)?|month)|tomorrow${clock}|tonight${clock})`,
)
const platform = found(String.raw`\b(${platforms})\b`)

/** What a prompt states and a draft can repeat word for word. Each fact is ready to be put into a sentence. */
const readers = {
  /** '20%', '$10' or 'up to 50%'; read before 'off'. */
  saving: (prompt) =>
    lowerStart(
      saving(prompt)
        ?.replace(/\s?percent/i, '%')
        .replace(/\s%/, '%'),
    ),
  /** 'SPRING20'. */
  code: found(
    String.raw`\b[Cc](?:ode|oupon)(?: code)?(?: is)?\s*:?\s*["'“‘]?([A-Z0-9][A-Z0-9_-]{2,15})\b`,
    '',
  ),
  /** 'Sunday', 'June 5' or 'midnight'; read after 'until' or 'by'. */
  until: (prompt) => until(prompt)?.replace(/^end/i, 'the end'),
  /** 'on Friday', 'tomorrow' or 'this weekend'. */
  on: (prompt) => lowerStart(on(prompt)),
  /** '$29' or '$9 a month'. */
  price: found(
    String.raw`(${money}(?:\s?(?:/|a |per )\s?(?:month|year|week|day|night|person|ticket|seat|session|hour|class)\b)?)(?!\s+${cheaper}\b)`,
  ),
  /** '$50', what an order must reach. */
  minimum: found(
    String.raw`\b(?:over|above|from|more than|of at least|minimum(?: of)?)\s+(${money})`,
  ),
  /** The text in quotation marks: a name or a title. */
  name: found(
    String.raw`[“"«„]([^“”"«»„\n]{2,40})[”"»“]|(?:^|[\s(])['‘]([^'‘’\n]{2,40})['’](?=$|[\s.,;:!?)])`,
  ),
  /** '14 days', of a trial. */
  period(prompt) {
    const said = /\b(\d{1,3}|one|two|three|six|seven)[- ](day|week|month)s?\b/i.exec(prompt)
    if (!said?.[1] || !said[2]) return undefined
    const plural = /^(1|one)$/i.test(said[1]) ? '' : 's'
    return `${said[1].toLowerCase()} ${said[2].toLowerCase()}${plural}`
  },
  /** 'Black Friday' or 'summer'. */
  season: (prompt) => seasons.find(([, words]) => words.test(prompt))?.[0],
  /** 'Discord' or 'Instagram', as the platform writes itself. */
  platform(prompt) {
    const said = platform(prompt)?.toLowerCase()
    return platforms.split('|').find((name) => name.toLowerCase() === said)
  },
} satisfies Record<string, (prompt: string) => string | undefined>

export type Facts = { [Name in keyof typeof readers]?: string }

export const factNames = Object.keys(readers)

/** Reads the facts of an English prompt. What is not stated is left out; nothing is guessed. */
export function readFacts(prompt: string): Facts {
  const stated = Object.entries(readers).map(([name, read]) => [name, read(prompt)] as const)
  return Object.fromEntries(stated.filter(([, fact]) => fact))
}

/** A reader of the first group that a pattern captures. */
function found(source: string, flags = 'i'): (prompt: string) => string | undefined {
  const pattern = new RegExp(source, flags)
  return (prompt) => pattern.exec(prompt)?.slice(1).find(Boolean)?.trim()
}

function lowerStart(text: string | undefined): string | undefined {
  return text && text.charAt(0).toLowerCase() + text.slice(1)
}
