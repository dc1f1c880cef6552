import { type AcceptedLanguages, acceptedLanguages } from './accepted-languages.ts'
import { type SearchedAddress, searchedAddress } from './address-ranges.ts'
import { parseAddress } from './addresses.ts'
import { type QueryValues, readQuery } from './query-parameters.ts'
import type {
  RuleApp,
  RuleBrowser,
  RuleDevice,
  RuleSource,
  RuleSystem,
} from '#domain/visits/rule-values.ts'

/**
 * Facts about a visit that conditions ask for. Undefined, and the empty text for places and the address: not known. `other`
 * is known, but no value that a condition could name.
 */
export interface RuleFacts {
  /** ISO 3166-1 alpha-2 in capitals. */
  readonly country: string | undefined
  /** English names, where the database of addresses has them. */
  readonly region: string | undefined
  readonly city: string | undefined
  /** The header Accept-Language. */
  readonly languages: string | undefined
  readonly system: RuleSystem | 'other' | undefined
  readonly device: RuleDevice | 'other' | undefined
  readonly browser: RuleBrowser | 'other' | undefined
  /** `none`: no app, an ordinary browser. */
  readonly inApp: RuleApp | 'other' | 'none' | undefined
  /** The visitor's address; an IPv4 address may be written as IPv6 writes it. */
  readonly address: string | undefined
  /** The visitor's first visit to this link on this UTC day. */
  readonly firstVisit: boolean | undefined
  readonly source: RuleSource | undefined
  /** The query of the short link's address as sent, without its `?`. */
  readonly query: string | undefined
  /**
   * A number in [0, 100) that stays the same for the visitor's day and the key, and says nothing about the number of another
   * key. Conditions pass the rule's id, splits `id/split`.
   */
  shareOf(key: string): number | undefined
}

/**
 * A visit as the conditions of a link compare it. A fact that costs something is read and prepared once for all of them: a stranger
 * chooses the headers, and an owner how many conditions ask for them.
 */
export class VisitReading {
  readonly facts: RuleFacts
  /** Milliseconds since 1970. */
  readonly now: number
  #languages: AcceptedLanguages | undefined
  #region: string | undefined
  #city: string | undefined
  #address: SearchedAddress | 'unknown' | undefined
  #source: RuleSource | 'unknown' | undefined
  #query: QueryValues | 'unknown' | undefined
  readonly #share = { key: '', value: undefined as number | undefined }

  constructor(facts: RuleFacts, now: number) {
    this.facts = facts
    this.now = now
  }

  /** None: not known. */
  get languages(): AcceptedLanguages {
    return (this.#languages ??= acceptedLanguages(this.facts.languages ?? ''))
  }
  /** '': not known. */
  get region(): string {
    return (this.#region ??= comparableName(this.facts.region ?? ''))
  }
  get city(): string {
    return (this.#city ??= comparableName(this.facts.city ?? ''))
  }
  get address(): SearchedAddress | undefined {
    return known((this.#address ??= readAddress(this.facts.address) ?? 'unknown'))
  }
  get source(): RuleSource | undefined {
    return known((this.#source ??= this.facts.source ?? 'unknown'))
  }
  get query(): QueryValues | undefined {
    return known((this.#query ??= readKnownQuery(this.facts.query) ?? 'unknown'))
  }

  /** Share of the visitor for a rule; its conditions ask one after the other. */
  shareOf(ruleId: string): number | undefined {
    const share = this.#share
    if (share.key !== ruleId) {
      share.key = ruleId
      share.value = this.facts.shareOf(ruleId)
    }
    return share.value
  }
}

const known = <T>(value: T | 'unknown'): T | undefined => (value === 'unknown' ? undefined : value)

function readAddress(address = ''): SearchedAddress | undefined {
  const groups = parseAddress(address)
  return groups && searchedAddress(groups)
}

const readKnownQuery = (query: string | undefined) =>
  query === undefined ? undefined : readQuery(query)

/** Name of a place without regard to case. */
export function comparableName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase()
}
