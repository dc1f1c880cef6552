import { BlockList, isIPv4, isIPv6 } from 'node:net'

// A second reading of the rules of a link, written from their description only. It shares no code with domain/visits, and
// reads the JSON as programs write it.

export interface WrittenCondition {
  fact: string
  is?: unknown[]
  is_not?: unknown[]
  name?: string
  zone?: string
}
export interface WrittenVariant {
  id: string
  to?: string
  weight: number
}
export interface WrittenRule {
  id: string
  else?: true
  when?: WrittenCondition[]
  to?: string
  split?: WrittenVariant[]
  app?: { ios?: string; android?: string; fallback: string }
}

export interface ReadVisitor {
  country: string
  region: string
  city: string
  languages: string
  system: string
  device: string
  browser: string
  app: string
  address: string
  firstVisit: boolean | null
  source: string
  query: string
  /** Percent, by the id of a rule; of its variants, by `split of` and the id. */
  draws: Map<string, number>
  now: Date
}

/** Ids of the rule and the variant that decide, and the address; the address alone when no rule does. */
export function readSecondTime(
  rules: WrittenRule[],
  visitor: ReadVisitor,
  destination: string,
): (string | undefined)[] {
  for (const rule of rules) {
    if (!rule.else) {
      if (!rule.when || rule.when.length === 0) continue
      if (rule.when.some((condition) => !isMet(condition, visitor, rule.id))) continue
    }
    if (rule.split) {
      let rest = visitor.draws.get(`split of ${rule.id}`) ?? 0
      for (const variant of rule.split) {
        rest -= variant.weight
        if (rest < 0) return [rule.id, variant.id, new URL(variant.to ?? destination).href]
      }
    }
    if (rule.app) {
      const own =
        visitor.system === 'ios'
          ? rule.app.ios
          : visitor.system === 'android'
            ? rule.app.android
            : undefined
      return [rule.id, undefined, new URL(own ?? rule.app.fallback).href]
    }
    if (rule.to !== undefined) return [rule.id, undefined, new URL(rule.to).href]
  }
  return [undefined, undefined, new URL(destination).href]
}

function isMet(condition: WrittenCondition, visitor: ReadVisitor, ruleId: string): boolean {
  const { is, is_not: isNot } = condition
  const list = (is ?? isNot ?? []).map(String)
  const answers = list.map((value) => hasValue(condition, value, visitor, ruleId))
  // A fact is known for all values or for none.
  if (answers.includes('unknown')) return false
  return is ? answers.includes(true) : !answers.includes(true)
}

function hasValue(
  { fact, name = '', zone = '' }: WrittenCondition,
  value: string,
  visitor: ReadVisitor,
  ruleId: string,
): boolean | 'unknown' {
  const same = (known: string) =>
    known === '' ? 'unknown' : known.toUpperCase() === value.trim().toUpperCase()
  switch (fact) {
    case 'country':
    case 'region':
    case 'city':
    case 'system':
    case 'device':
    case 'browser':
    case 'source':
      return same(visitor[fact])
    case 'language':
      return hasLanguage(visitor.languages, value)
    case 'in_app':
      return value === 'any' && visitor.app !== '' ? visitor.app !== 'none' : same(visitor.app)
    case 'address':
      return hasAddress(visitor.address, value)
    case 'weekday': {
      const day = visitor.now.toLocaleDateString('en-GB', { weekday: 'long', timeZone: zone })
      return day.toLowerCase() === value
    }
    case 'hours': {
      const clock = visitor.now.toLocaleTimeString('sv-SE', { timeZone: zone }).slice(0, 5)
      const [start = '', end = ''] = value.split('-')
      return start < end ? start <= clock && clock < end : start <= clock || clock < end
    }
    case 'before':
      return visitor.now < new Date(value)
    case 'after':
      return visitor.now > new Date(value)
    case 'first_visit':
      return visitor.firstVisit === null ? 'unknown' : String(visitor.firstVisit) === value
    case 'query': {
      const pairs = visitor.query.split('&').map((pair) => pair.split(/=(.*)/s))
      const values = pairs
        .filter(([key = '']) => key !== '' && decoded(key) === name)
        .map(([, text = '']) => decoded(text))
      if (value === 'present') return values.length > 0
      return values.includes(value === 'empty' ? '' : value.slice(1))
    }
    case 'share': {
      const draw = visitor.draws.get(ruleId)
      return draw === undefined ? 'unknown' : draw < Number(value)
    }
    default:
      throw new Error(`no fact ${fact}`)
  }
}

function hasLanguage(header: string, wanted: string): boolean | 'unknown' {
  const known = new Map<string, number>()
  for (const [, tag = '', quality = '1'] of header.matchAll(
    /(?:^|,)\s*([\w-]+|\*)\s*(?:;\s*q=([\d.]+)\s*)?(?=,|$)/g,
  ))
    if (Number(quality) >= 0.9 && tag !== '*') known.set(tag.toLowerCase().replace('_', '-'), 1)
  if (known.size === 0) return 'unknown'
  const range = wanted.toLowerCase().replace('_', '-')
  return [...known.keys()].some((tag) => `${tag}-`.startsWith(`${range}-`))
}

function hasAddress(address: string, wanted: string): boolean | 'unknown' {
  if (address === '') return 'unknown'
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  if (wanted.includes('*')) {
    const mark = wanted.includes(':') ? ':' : '.'
    const parts = mark === ':' ? groupsOf(plain) : plain.split('.')
    return (
      isIPv6(plain) === (mark === ':') &&
      parts.every((part, i) => {
        const all = wanted.split(mark)
        const pattern = all[Math.min(i, all.length - 1)] ?? ''
        return pattern === '*' || parseInt(pattern, 16) === parseInt(part, 16)
      })
    )
  }
  const [base = '', length] = wanted.split('/')
  if (isIPv4(base) !== isIPv4(plain)) return false
  const family = isIPv4(base) ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(base, Number(length ?? (family === 'ipv4' ? 32 : 128)), family)
  return list.check(plain, family)
}

/** Only of addresses with one `::`, as the generated ones have it. */
function groupsOf(address: string): string[] {
  const [left = '', right = ''] = address.split('::')
  const [head, tail] = [left.split(':'), right.split(':')]
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
}

function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
