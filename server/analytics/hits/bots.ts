import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { knownBots } from './known-bots.ts'

/** A program that fetches pages by itself, by the name that reports show. */
export interface Bot {
  /** At most 40 printable characters, and never text of a request. */
  name: string
  /** `program`: HTTP libraries and headless browsers. */
  verdict: 'previewer' | 'crawler' | 'monitor' | 'program'
}

interface Rule {
  pattern: RegExp
  bot: Bot
}

interface ListedBot {
  pattern: string
  instances: string[]
  tags?: string[]
}

let rules: Rule[] | undefined

/**
 * Finds the bot that a User-Agent header names. The list also matches some browsers (by a build number, or an app's
 * name), so ask only about requests that are known to come from a bot.
 */
export function botOf(userAgent: string): Bot | undefined {
  rules ??= [...knownRules(), ...listedRules()]
  return rules.find(({ pattern }) => pattern.test(userAgent))?.bot
}

function* knownRules(): Generator<Rule> {
  for (const verdict of ['previewer', 'monitor', 'crawler'] as const)
    for (const [name, pattern] of Object.entries(knownBots[verdict]))
      yield { pattern, bot: { name, verdict } }
}

/** The 1,500 bots of `crawler-user-agents`, programs last: a crawler often names its library, too. */
function listedRules(): Rule[] {
  // Read as a file, because Node.js 20 warns about every import of JSON, and a required module stays in memory.
  const path = createRequire(import.meta.url).resolve('crawler-user-agents')
  const list = JSON.parse(readFileSync(path, 'utf8')) as ListedBot[]
  const listed = list.map(ruleOf)
  const isProgram = ({ bot }: Rule) => bot.verdict === 'program'
  return [...listed.filter((rule) => !isProgram(rule)), ...listed.filter(isProgram)]
}

function ruleOf({ pattern: source, instances, tags = [] }: ListedBot): Rule {
  const pattern = new RegExp(source)
  return { pattern, bot: { name: nameIn(pattern, instances), verdict: verdictBy(tags) } }
}

function verdictBy(tags: string[]): Bot['verdict'] {
  if (tags.includes('http-library') || tags.includes('browser-automation')) return 'program'
  if (tags.includes('social-preview')) return 'previewer'
  return tags.includes('monitoring') ? 'monitor' : 'crawler'
}

/** The match of a pattern in its example: `[cC]ludo` is Cludo, `ContextualBot[\s\S]*outcomes\.net` ContextualBot. */
function nameIn(pattern: RegExp, instances: string[]): string {
  const matched = instances.map((instance) => pattern.exec(instance)?.[0]).find(Boolean)
  const text = matched ?? pattern.source.replaceAll(/\\(.)/g, '$1')
  const [name = ''] = text.split(/[;()]|\/\d/).filter((part) => /\w/.test(part))
  return name.replaceAll(/^\W+|[^\w!]+$/g, '').slice(0, 40)
}
