/** What a prompt states and a draft can repeat word for word. Each one is ready to be put into a sentence. */
export interface Facts {
  /** '20%', '$10' or 'up to 50%'; read before 'off'. */
  saving?: string
  /** 'SPRING20'. */
  code?: string
  /** 'Sunday', 'June 5' or 'midnight'; read after 'until' or 'by'. */
  until?: string
  /** 'on Friday', 'tomorrow' or 'this weekend'. */
  on?: string
  /** '$29' or '$9 a month'. */
  price?: string
  /** '$50', what an order must reach. */
  minimum?: string
  /** The text in quotation marks: a name or a title. */
  name?: string
  /** '14 days', of a trial. */
  period?: string
  /** 'Black Friday' or 'summer'. */
  season?: string
  /** 'Discord' or 'Instagram'. */
  platform?: string
}

// Bounded, and only whole numbers: a prompt may be a thousand digits.
const number = String.raw`(?<![\d,.])\d[\d,]{0,9}(?:\.\d\d)?(?![\d,.]{0,3}\d)`
const money = String.raw`(?:[$€£]\s?${number}|${number}\s?(?:€|£|dollars|euros|pounds|USD|EUR)(?!\w))`
const weekday = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?'
const month =
  '(?:January|February|March|April|May|June|July|August|September|October|November|December)'
const day = String.raw`(?:${weekday}|${month} \d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)? (?:of )?${month})`
const clock = String.raw`(?: at \d{1,2}(?::\d\d)?\s?(?:[ap]\.?m\b\.?|o'clock)?)?`
const deadline = String.raw`${day}|midnight|noon|tonight|tomorrow|Christmas|New Year|(?:the )?end of (?:the |this )?(?:day|week|month|year)|${month}`

const first = (prompt: string, pattern: RegExp) => pattern.exec(prompt)?.[1]?.trim()
const pattern = (source: string, flags = 'i') => new RegExp(source, flags)

const cheaper = '(?:off|discount|cheaper|less|savings?|reduction|sale)'
const percent = String.raw`(?:up to )?(?<!\d)\d{1,2}\s?(?:%|percent\b)`
const savings = pattern(
  String.raw`(${percent}(?=[\s-]+${cheaper}\b)|(?<=\b(?:save|saves|get|gets|take|discount of|reduced by)\s+)${percent}|(?:up to )?${money}(?=\s+${cheaper}\b))`,
)
const minimums = pattern(
  String.raw`\b(?:over|above|from|more than|of at least|minimum(?: of)?)\s+(${money})`,
)
const prices = pattern(
  String.raw`(${money}(?:\s?(?:/|a |per )\s?(?:month|year|week|day|night|person|ticket|seat|session|hour|class)\b)?)(?!\s+${cheaper}\b)`,
)
const untils = pattern(
  String.raw`\b(?:until|till|through|ends?(?: on| at)?|by|before)\s+(${deadline})`,
)
const ons = pattern(
  String.raw`\b((?:on|this|next|every)\s+${day}${clock}|on the \d{1,2}(?:st|nd|rd|th)(?: of ${month})?|(?:this|next) (?:week(?:end)?|month)|tomorrow${clock}|tonight${clock})`,
)
const names = /[“"«„]([^“”"«»„\n]{2,40})[”"»“]|(?:^|[\s(])['‘]([^'‘’\n]{2,40})['’](?=$|[\s.,;:!?)])/
const seasons: readonly [RegExp, string][] = [
  [/\bblack friday\b/i, 'Black Friday'],
  [/\bcyber monday\b/i, 'Cyber Monday'],
  [/\b(christmas|xmas)\b/i, 'Christmas'],
  [/\bholidays?\b/i, 'holiday'],
  [/\bhalloween\b/i, 'Halloween'],
  [/\beaster\b/i, 'Easter'],
  [/\bvalentine/i, 'Valentine’s Day'],
  [/\bmother['’]?s day\b/i, 'Mother’s Day'],
  [/\bfather['’]?s day\b/i, 'Father’s Day'],
  [/\bnew year/i, 'New Year'],
  [/\bthanksgiving\b/i, 'Thanksgiving'],
  [/\bback[- ]to[- ]school\b/i, 'back-to-school'],
  [/\bspring\b/i, 'spring'],
  [/\bsummer\b/i, 'summer'],
  [/\b(autumn|fall)\b/i, 'fall'],
  [/\bwinter\b/i, 'winter'],
]
const platforms =
  /\b(Discord|Slack|Telegram|WhatsApp|Instagram|TikTok|YouTube|LinkedIn|Facebook|Twitch|Kickstarter|Patreon|Etsy|Spotify)\b/i
const platformNames =
  'Discord Slack Telegram WhatsApp Instagram TikTok YouTube LinkedIn Facebook Twitch Kickstarter Patreon Etsy Spotify'.split(
    ' ',
  )

/** Reads the facts of an English prompt. What is not stated is left out; nothing is guessed. */
export function readFacts(prompt: string): Facts {
  const name = names.exec(prompt)
  const platform = first(prompt, platforms)?.toLowerCase()
  const stated: { [Key in keyof Facts]: string | undefined } = {
    saving: lowerStart(
      first(prompt, savings)
        ?.replace(/\s?percent/i, '%')
        .replace(/\s%/, '%'),
    ),
    code: codeIn(prompt),
    until: first(prompt, untils)?.replace(/^end/i, 'the end'),
    on: lowerStart(first(prompt, ons)),
    price: first(prompt, prices),
    minimum: first(prompt, minimums),
    name: (name?.[1] ?? name?.[2])?.trim(),
    period: periodIn(prompt),
    season: seasons.find(([words]) => words.test(prompt))?.[1],
    platform: platformNames.find((known) => known.toLowerCase() === platform),
  }
  return Object.fromEntries(Object.entries(stated).filter(([, fact]) => fact))
}

function codeIn(prompt: string): string | undefined {
  const said = /\b[Cc](?:ode|oupon)(?: code)?(?: is)?\s*:?\s*["'“‘]?([A-Z0-9][A-Z0-9_-]{2,15})\b/
  return said.exec(prompt)?.[1]
}

function periodIn(prompt: string): string | undefined {
  const said = /\b(\d{1,3}|one|two|three|six|seven)[- ](day|week|month)s?\b/i.exec(prompt)
  if (!said?.[1] || !said[2]) return undefined
  const plural = /^(1|one)$/i.test(said[1]) ? '' : 's'
  return `${said[1].toLowerCase()} ${said[2].toLowerCase()}${plural}`
}

function lowerStart(text: string | undefined): string | undefined {
  return text && text.charAt(0).toLowerCase() + text.slice(1)
}
