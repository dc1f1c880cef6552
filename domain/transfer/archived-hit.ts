import { withoutFormulaGuard } from '#domain/csv.ts'
import {
  hitFacts,
  type HitFact,
  type HitVerdict,
  reportVerdicts,
  utmFields,
} from '#domain/reports/hits.ts'
import { readInstant } from './read-instant.ts'

/** Columns of `clicks.csv` in an archive (docs/archive.md) that an import reads. */
export const archivedHitColumns = ['at', 'target', 'verdict', ...hitFacts, ...utmFields] as const
type Column = (typeof archivedHitColumns)[number]
/** Columns without which no hit can be read. */
export const neededHitColumns = ['at', 'target', 'verdict'] as const satisfies Column[]

const sources = ['link', 'qr', 'bio', 'popup', 'api'] as const
const devices = new Set(['desktop', 'mobile', 'tablet', 'tv', 'other'])

/** A visit of a person, as a file says. Each text is bounded; '' is not known. */
export interface ArchivedHit {
  /** Milliseconds since 1970. */
  at: number
  /** The id of a link, a page, or a link of a page, there. */
  target: string
  source: (typeof sources)[number]
  /** Referrer, page, the five UTM fields, rule and variant. */
  origin: string[]
  /** Mark of the placement. */
  mark: string
  /** Country, region and city. */
  place: string[]
  /** Device, browser, system, language, and no bot. */
  client: string[]
}

/** `bot`: nobody's visit. A refusal is the end of a sentence about the row. */
export type ReadHit =
  | { kind: 'hit'; hit: ArchivedHit }
  | { kind: 'bot' }
  | { kind: 'refused'; refusal: string }

/** Verdicts of people. */
const people: ReadonlySet<HitVerdict> = new Set(['counted', 'repeat', 'own', 'imported'])
/** Clocks differ. */
const skewMs = 300_000

/** Reads a row of `clicks.csv` by the names of its columns. Facts that no hit can have become unknown. Never throws. */
export function readArchivedHit(
  cells: Readonly<Partial<Record<string, string>>>,
  nowMs: number,
): ReadHit {
  const cell = (name: Column) => cells[name] ?? ''
  const verdict = reportVerdicts.find((each) => each === cell('verdict'))
  if (verdict === undefined) return refused('its verdict is unknown')
  if (!people.has(verdict)) return { kind: 'bot' }
  const instant = readInstant(cell('at'))
  if (instant === undefined) return refused('its time cannot be read')
  const at = Date.parse(instant)
  if (at > nowMs + skewMs) return refused('its time is in the future')
  const target = cell('target').toLowerCase()
  if (!uuid.test(target)) return refused('its target is no id')
  const text = (name: HitFact | (typeof utmFields)[number], most: number) =>
    plainText(withoutFormulaGuard(cell(name).slice(0, 2_000)), most)
  const word = (name: HitFact, shape: RegExp) => (shape.test(cell(name)) ? cell(name) : '')
  const device = cell('device')
  return {
    kind: 'hit',
    hit: {
      at,
      target,
      source: sources.find((each) => each === cell('source')) ?? 'link',
      origin: [
        text('referrer', 253),
        text('page', 354),
        ...utmFields.map((field) => text(field, 100).toLowerCase()),
        word('rule', ruleId),
        word('variant', ruleId),
      ],
      mark: word('placement', /^[a-z0-9]{1,8}$/),
      place: [countryOf(cell('country')), text('region', 80), text('city', 80)],
      client: [
        devices.has(device) ? device : '',
        text('browser', 50),
        text('system', 50),
        word('language', /^[a-z]{2,3}$/),
        '',
      ],
    },
  }
}

/** Names of countries by their codes; codes without one are no countries. */
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const noCountries = new Set(['XX', 'ZZ', 'EU', 'UN', 'EZ'])
const countries = new Map<string, string>()

function countryOf(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return ''
  const known = countries.get(code)
  if (known !== undefined) return known
  const country = noCountries.has(code) || regions.of(code) === undefined ? '' : code
  countries.set(code, country)
  return country
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ruleId = /^[\w-]{1,40}$/

function refused(refusal: string): ReadHit {
  return { kind: 'refused', refusal }
}

/** One line without characters that change the direction of text. */
function plainText(value: string, most: number): string {
  const text = value
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ')
    .trim()
  // The cut must not leave half of a character.
  return text
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim()
}
