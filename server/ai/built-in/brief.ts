export type Intent =
  | 'discount'
  | 'shipping'
  | 'newsletter'
  | 'launch'
  | 'event'
  | 'download'
  | 'survey'
  | 'contest'
  | 'trial'
  | 'booking'
  | 'donation'
  | 'general'

/** What a prompt says, as far as rules can read it. All phrases are the prompt's own words. */
export interface Brief {
  intent: Intent
  /** What it is about, for example `summer shoes`, `our bakery`. */
  subject: string | undefined
  /** The same without its article. */
  noun: string | undefined
  /** For example `20%`. */
  percent: string | undefined
  /** For example `$10`. */
  amount: string | undefined
  /** For example `SUMMER20`. */
  code: string | undefined
  /** For example `this weekend`, `until Friday`. */
  deadline: string | undefined
  /** For example `new customers`. */
  audience: string | undefined
}

// The first that matches counts, so the special stand before the general.
const intents: [Intent, RegExp][] = [
  ['contest', /\b(giveaway|contest|raffle|sweepstakes?|prize|(chance to|enter to|and) win)\b/i],
  ['survey', /\b(survey|feedback|poll|questionnaire|opinions?|reviews?|rate us)\b/i],
  ['discount', /%|\bpercent\b|[$€£]\s?\d+ off|\b(half[- ]price|black friday|cyber monday)\b/i],
  [
    'download',
    /\b(downloads?|e-?books?|guide|checklist|templates?|white ?paper|pdf|cheat ?sheet|wallpapers?)\b/i,
  ],
  [
    'event',
    /\b(webinar|event|workshop|conference|meet-?up|concert|festival|class(es)?|lesson|rsvp|tickets?|open day|masterclass)\b/i,
  ],
  ['trial', /\b(free trial|trial|demo)\b/i],
  ['shipping', /\bfree (shipping|delivery)\b/i],
  [
    'discount',
    /\b(discount|sale|coupon|voucher|promo|deals?|save|clearance|special offer|bundle)\b/i,
  ],
  [
    'launch',
    /\b(launch\w*|introducing|coming soon|pre-?orders?|wait(ing)?[- ]?list|early access|announc\w+|brand[- ]new|new (product|collection|feature|app|album|book|line))\b/i,
  ],
  [
    'booking',
    /\b(book(ing)? (a|an|your|now|online|appointments?)|appointments?|reserv\w+|consultations?|table)\b/i,
  ],
  ['donation', /\b(donat\w+|charity|fund-?rais\w+|volunteers?)\b/i],
  [
    'newsletter',
    /\b(newsletter|subscrib\w+|mailing list|e-?mail list|sign-?ups?|sign up|updates|tips|e-?mails?)\b/i,
  ],
]

const boilerplate =
  /^\s*(?:(?:hi|hello|hey|please|kindly|can you|could you|i want|i need|i would like|i'd like|we want|we need|we would like|let's|help me)[,\s]+(?:you\s+)?(?:to\s+)?)*(?:(?:create|make|write|design|generate|build|craft|show|have)\s+(?:me\s+|us\s+)?)?(?:(?:an?|the|some|my|our)\s+)?(?:[\w-]+\s+){0,3}?(?:pop-?ups?|banner|modal|dialog|overlay)\b(?:\s+(?:text|copy|message|window))?[\s:,-]*(?:(?:that|which|to|for|about|offering|announcing|promoting|promotes|offers|announces|with|asking|asks|telling|inviting|encouraging|saying|says|tells|invites)\b\s*)*/i

const deadlineWords =
  /\b(?:(?:only )?(?:until|till|ends?|by|before) (?:the end of )?(?:\w+ \d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)? \w+|monday|tuesday|wednesday|thursday|friday|saturday|sunday|midnight|tonight|tomorrow|the (?:week|month|year))|this (?:weekend|week|month|friday|saturday|sunday|summer|winter|spring|autumn)|today only|today|tonight|tomorrow|(?:on|next) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|for (?:24|48) hours)\b/i

const audienceWords =
  /\b(?:for|to|asks?|invite|inviting) (?:all |our |your |my |the )*((?:new|first[- ]time|returning|existing|loyal|young|busy|local)? ?(?:e-?mail |newsletter )?(?:subscribers?|customers?|visitors?|members?|shoppers?|students?|clients?|readers?|fans?|users?|parents|beginners|developers|teams|freelancers|founders|buyers))\b/i

/** Reads a prompt by rules: what kind of popup, about what, with which figures. */
export function readPrompt(prompt: string): Brief {
  const text = prompt.replace(/\s+/g, ' ').trim()
  const intent = intents.find(([, words]) => words.test(text))?.[0] ?? 'general'
  const percent = /\b(\d{1,3})\s?(?:%|percent\b)/i.exec(text)?.[1]
  const amount = /([$€£]\s?\d{1,5}(?:[.,]\d{2})?)/.exec(text)?.[1]?.replace(' ', '')
  const code =
    /\b(?:code|coupon|voucher)\s*:?\s*["'“]?([A-Z][A-Z0-9-]{2,14}|[A-Z0-9-]*\d[A-Z0-9-]*)\b/.exec(
      text,
    )?.[1]
  const deadline = deadlineWords.exec(text)?.[0].replace(/^(?:ends?|before) /i, 'until ')
  const audience = audienceWords.exec(text)?.[1]?.trim()
  const subject = subjectOf(text)
  return {
    intent,
    subject: subject && withArticle(subject, intent),
    noun: subject?.noun,
    percent: percent && Number(percent) <= 100 ? `${percent}%` : undefined,
    amount,
    code,
    deadline: deadline
      ?.toLowerCase()
      .replace(/\b(mon|tues|wednes|thurs|fri|satur|sun)day\b/g, capitalised),
    audience,
  }
}

// Where one thought ends and the next begins.
const joints =
  /\s*(?:[.,;:!?()"“”]+|\s[–—-]\s|\b(?:for|on|about|to|with|that|which|who|where|when|from|in|at|by|featuring|promoting|announcing|offering|asking|inviting|because|so|if|using|per)\b)\s*/i

// Words that say what kind of popup it is and not what it is about; dropped at both ends of a thought.
const noise = new Set(
  `a an the our my your their his her its some any all more most this these those and or plus also only just very really
  new free big small little special exclusive limited great amazing awesome best nice fresh latest first early now today
  popup pop-up pop popups banner modal text copy message headline button page website site web visitors visitor customers customer
  people users user subscribers subscriber everyone anyone who they them we us i me you it is are be will can should
  create make write design generate build offer offers give get gets giving let want wants need show tell ask asks invite
  discount discounts off sale sales coupon voucher promo promotion deal deals save saving savings code newsletter newsletters
  subscribe subscribing sign up signup signing join email emails e-mail mailing list updates tips launch launching launches launched introducing
  announce announcing announcement coming soon preorder pre-order waitlist access release releasing event webinar live register registration rsvp download
  downloads ebook e-book guide checklist template templates whitepaper pdf survey feedback poll questionnaire opinion
  giveaway contest raffle win prize trial demo try book booking appointment reserve donate donation percent orders order
  purchase black friday cyber monday help tone style look colour colours color colors pastel bright dark mood friendly playful professional weekly monthly daily has have had do does take taking answer share sharing of any collect collects minute minutes
  encourage encouraging promote promotes announces offering short quick encourages signups sign-ups asking`.split(
    /\s+/,
  ),
)

interface Subject {
  noun: string
  article: string | undefined
}

/** The site speaks for itself: what the prompt calls `a bakery` or `my bakery` is `our bakery` to its visitors. */
function withArticle({ noun, article }: Subject, intent: Intent): string {
  if (article === undefined) return noun
  const kept = article === 'the' || ((article === 'a' || article === 'an') && intent === 'contest')
  return `${kept ? article : 'our'} ${noun}`
}

/** The thought that says most, without what is said elsewhere: at most four words. */
function subjectOf(text: string): Subject | undefined {
  const shouted = text.toUpperCase() === text
  const rest = (shouted ? text.toLowerCase() : text)
    .replace(boilerplate, ' ')
    .replace(
      /\b(?:with |use |using )?(?:the )?(?:code|coupon|voucher)\s*:?\s*["'“]?[A-Z0-9][A-Z0-9-]{2,14}\b["'”]?/,
      '. ',
    )
    .replace(
      /(?:\b(?:up to|get|of|a|save)\s)*\b\d{1,3}\s?(?:%|percent\b)(?:\s*(?:off|discount))?/gi,
      '. ',
    )
    .replace(/[$€£]\s?\d+(?:[.,]\d+)?(?:\s*off)?/g, '. ')
    .replace(/\bfree (?:shipping|delivery)\b/gi, '. ')
    .replace(audienceWords, '. ')
    .replace(deadlineWords, '. ')
  const thoughts = rest
    .split(joints)
    .map((thought) => trimNoise(thought.split(' ').filter(Boolean)))
    .filter(({ words }) => words.length > 0)
  const best = thoughts.reduce<Thought | undefined>(
    (most, thought) => (!most || weightOf(thought) > weightOf(most) ? thought : most),
    undefined,
  )
  if (!best) return undefined
  const words = best.words.slice(0, 4)
  while (words.length > 1 && (isNoise(words.at(-1)) || words.join(' ').length > mostCharacters))
    words.pop()
  const noun = words.join(' ')
  // Cut in the middle of a word or a sentence it would be nobody's own words.
  const most = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(noun)
    ? 8
    : mostCharacters
  return noun.length > most ? undefined : { noun, article: best.article }
}

const mostCharacters = 30

interface Thought {
  words: string[]
  article: string | undefined
}

const seasons =
  /^(summer|winter|spring|autumn|fall|christmas|easter|holiday|halloween|valentine'?s?)$/i

function weightOf({ words }: Thought): number {
  if (words.length === 1 && seasons.test(words[0] ?? '')) return 0.5
  return Math.min(words.length, 3) + (words.some((word) => word.length > 4) ? 1 : 0)
}

function isNoise(word: string | undefined): boolean {
  return word !== undefined && noise.has(word.toLowerCase())
}

function trimNoise(words: string[]): Thought {
  const first = words.findIndex((word) => !isNoise(word) && /[\p{L}\p{N}]/u.test(word))
  if (first < 0) return { words: [], article: undefined }
  let end = words.length
  while (end > first && isNoise(words[end - 1])) end--
  const article = words
    .slice(0, first)
    .map((word) => word.toLowerCase())
    .findLast((word) => /^(an?|the|our|my|their|his|her)$/.test(word))
  return { words: words.slice(first, end), article }
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
