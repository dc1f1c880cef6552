// Bounded, and only whole numbers: a prompt may be a thousand digits.
const number = String.raw`(?<![\d,.])\d[\d,]{0,9}(?:[.,]\d\d)?(?![\d,.]{0,3}\d)`
const percent = String.raw`(?<!\d)\d{1,2}\s?(?:%|percent\b|Prozent\b)`
const money = String.raw`(?:[$€£]\s?${number}|${number}[\s-]?(?:€|£|zł|R\$|(?:dollars|euros|euro|pounds|USD|EUR|CHF|kr)(?!\w)))`
const cheaper = '(?:off|discount|cheaper|less|savings?|reduction|sale)'

const englishSaving = found(
  String.raw`((?:up to )?${percent}(?=[\s-]+${cheaper}\b)|(?<=\b(?:save|saves|get|gets|take|discount of|reduced by)\s+)${percent}|(?:up to )?${money}(?=\s+${cheaper}\b))`,
)
const anySaving = found(`(${percent})`)
const amount = found(`(${percent}|${money})`)
// One thing only: 'for my readers' names no shop.
const shop = found(
  String.raw`\b(?:for|of) (?:a|an|my|our) ((?!new\b|[a-zé -]*newsletter)[a-zé -]{2,24}[a-rt-zé])(?=$|[.,!]| with\b| and\b)`,
)
const name = found(
  String.raw`[“"«„]([^“”"«»„\n]{2,40})[”"»“]|(?:^|[\s(])['‘]([^'‘’\n]{2,40})['’](?=$|[\s.,;:!?)])`,
)

const occasions = [
  'Black Friday',
  'Cyber Monday',
  'Valentine’s Day',
  'Mother’s Day',
  'Father’s Day',
  'Thanksgiving',
  'Christmas',
  'Easter',
  'Halloween',
  'New Year',
].map((name) => ({ name, pattern: new RegExp(`\\b${name.replace('’', "[’']?")}\\b`, 'i') }))

/** Facts that a prompt states and a finished draft can repeat word for word, ready to be put into a sentence. */
export interface Facts {
  /** '20%', '$10' or 'up to 50%'; read before 'off'. */
  saving?: string
  /** The first percentage or price: '10%', '€5'. */
  amount?: string
  /** The text in quotation marks: a name or a title. */
  name?: string
  /** 'coffee roastery', of 'for our coffee roastery'; English only. */
  shop?: string
  /** 'Black Friday'; English only. */
  occasion?: string
}

export const factNames = [
  'saving',
  'amount',
  'name',
  'shop',
  'occasion',
] as const satisfies (keyof Facts)[]

/** Reads the facts of a prompt. Nothing is guessed. */
export function readFacts(prompt: string, languageCode: string): Facts {
  const isEnglish = languageCode === 'en'
  const saving = isEnglish ? englishSaving(prompt) : anySaving(prompt)
  const stated = {
    saving: plainPercent(saving && saving.charAt(0).toLowerCase() + saving.slice(1)),
    amount: plainPercent(amount(prompt)),
    name: name(prompt),
    shop: isEnglish ? shop(prompt) : undefined,
    occasion: isEnglish ? occasions.find(({ pattern }) => pattern.test(prompt))?.name : undefined,
  }
  return Object.fromEntries(Object.entries(stated).filter(([, fact]) => fact))
}

/** '20 percent' as '20%'. German and French write the space. */
function plainPercent(text: string | undefined): string | undefined {
  return text?.replace(/\s?percent/i, '%').replace(/-(?=[€£])/, ' ')
}

/** A reader of the first group that a pattern captures. */
function found(source: string): (prompt: string) => string | undefined {
  const pattern = new RegExp(source, 'i')
  return (prompt) => pattern.exec(prompt)?.slice(1).find(Boolean)?.trim()
}
