import { ruleBounds } from './rules.ts'

export interface RuleProblem {
  /** Keys and indexes joined by dots: `0.when.1.is.0`. Empty for the rules as a whole. */
  readonly path: string
  /** An English sentence without its full stop. */
  readonly message: string
}

/** A person cannot read more at once, and a program can send thousands. */
const maxProblems = 20

interface RulesReaderOptions {
  ownHosts: readonly string[]
  destination?: string
  newId?: () => string
}

/** Reads parts of rules, and collects the problems. Each method returns undefined for a part that it refuses. */
export class RulesReader {
  readonly problems: RuleProblem[] = []
  readonly ownHosts: readonly string[]
  readonly destination: string | undefined
  readonly #newId: (() => string) | undefined
  readonly #ids = new Set<string>()
  readonly #zones = new Set<string>()
  #conditions = 0
  #values = 0

  constructor({ ownHosts, destination, newId }: RulesReaderOptions) {
    this.ownHosts = ownHosts
    this.destination = destination
    this.#newId = newId
  }

  report(path: string, message: string): undefined {
    if (this.problems.length < maxProblems) this.problems.push({ path, message })
  }

  /** Whether no further problem would be kept. */
  get isFull(): boolean {
    return this.problems.length >= maxProblems
  }

  /** Counts a condition. @returns false for the first of all rules that is one too many, with a problem, and for all after it */
  takeCondition(path: string): boolean {
    return this.#take(path, 'conditions', ++this.#conditions, 1, ruleBounds.allConditions)
  }

  /** The same for values of a condition. */
  takeValues(count: number, path: string): boolean {
    return this.#take(path, 'values', (this.#values += count), count, ruleBounds.allValues)
  }

  /** The same for a time zone, by its name in any spelling. */
  takeZone(zone: string, path: string): boolean {
    const { size } = this.#zones
    const total = this.#zones.add(zone.toLowerCase()).size
    return total === size || this.#take(path, 'time zones', total, 1, ruleBounds.zones)
  }

  #take(path: string, noun: string, total: number, added: number, bound: number): boolean {
    if (total <= bound) return true
    if (total - added <= bound)
      this.report(path, `The rules of a link have at most ${bound} ${noun} in total`)
    return false
  }

  /** An object without keys besides `keys`. */
  object(
    json: unknown,
    path: string,
    keys: readonly string[],
  ): Readonly<Record<string, unknown>> | undefined {
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      return this.report(path, `This is an object with ${keys.join(', ')}`)
    const unknown = Object.keys(json).find((key) => !keys.includes(key))
    if (unknown !== undefined)
      return this.report(
        path,
        `“${unknown.slice(0, 40)}” is not possible here: the keys are ${keys.join(', ')}`,
      )
    return { ...json }
  }

  /** An id that no other rule or variant of the link has; a new one if it is missing. */
  id(json: unknown, path: string): string | undefined {
    const id = json ?? this.#newId?.()
    if (typeof id !== 'string' || !/^[\w-]+$/.test(id) || id.length > ruleBounds.idLength)
      return this.report(
        path,
        `An id has 1 to ${ruleBounds.idLength} letters, digits, hyphens and underscores`,
      )
    if (this.#ids.has(id)) return this.report(path, `The id ${id} is there twice`)
    this.#ids.add(id)
    return id
  }
}

const targetNames: Readonly<Record<string, string>> = {
  to: 'destination',
  ios: 'address for iOS',
  android: 'address for Android',
  fallback: 'fallback',
}

/** The problem with its place in words: "Rule 2, condition 1: “UK” is not a country code such as DE or US". */
export function ruleProblemSentence({ path, message }: RuleProblem): string {
  const [rule, part, index, field] = path.split('.')
  if (rule === undefined || rule === '') return message
  const places = [`Rule ${Number(rule) + 1}`]
  if (part === 'when' && index !== undefined) places.push(`condition ${Number(index) + 1}`)
  if (part === 'split' && index !== undefined)
    places.push(`variant ${variantLetter(Number(index))}`)
  const target = targetNames[(part === 'split' ? field : part === 'app' ? index : part) ?? '']
  if (target !== undefined) places.push(target)
  return `${places.join(', ')}: ${message}`
}

/** Name of a variant for people: A, B, … */
export function variantLetter(index: number): string {
  return String.fromCharCode(65 + index)
}
