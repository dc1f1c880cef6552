import { type ClickDimension, hitFacts, utmFields } from '#domain/reports/hits.ts'
import { hitSources, hitVerdicts } from '../hits/verdicts.ts'
import type { NumberedScope, Filters } from './question.ts'
import type { Values } from './statement.ts'

/** The dictionary that has each dimension (`app.click_clients` and so on); `hit`: a column of the hit itself. */
const homes: Readonly<Record<ClickDimension, 'client' | 'place' | 'origin' | 'hit'>> = {
  target: 'hit',
  source: 'hit',
  verdict: 'hit',
  device: 'client',
  browser: 'client',
  system: 'client',
  language: 'client',
  bot: 'client',
  country: 'place',
  region: 'place',
  city: 'place',
  referrer: 'origin',
  page: 'origin',
  rule: 'origin',
  variant: 'origin',
  placement: 'origin',
  utm_source: 'origin',
  utm_medium: 'origin',
  utm_campaign: 'origin',
  utm_term: 'origin',
  utm_content: 'origin',
}

/** The columns of hits, but for time and visitor, in the order in which those that are alike otherwise are listed. */
export const restOfHit = 'scope, origin, place, client, verdict, source'

/** Texts of a hit `e` that was joined with its dictionaries `client`, `place` and `origin`. */
export const textsOfHit = ([...hitFacts, 'bot', ...utmFields] as const).map((name) =>
  homes[name] === 'hit'
    ? `app.click_word('${name}', e.${name}::text) as ${name}`
    : `${homes[name]}.${name}`,
)

/** The grouping column of a dimension, and the name of a group `g.key`. */
export function groupOf(dimension: ClickDimension): { key: string; name: string } {
  const dictionary = homes[dimension]
  if (dictionary !== 'hit')
    return {
      key: `e.${dictionary}`,
      name: `(select d.${dimension} from app.click_${dictionary}s d where d.id = g.key)`,
    }
  if (dimension === 'target') return { key: 'e.scope', name: 'g.key::text' }
  return { key: `e.${dimension}`, name: `app.click_word('${dimension}', g.key::text)` }
}

export function hitsOfScope({ scope, account }: NumberedScope, values: Values): string {
  return `e.${scope === account ? 'account' : 'scope'} = ${values.bind(scope, 'integer')}`
}

/** The hits `e` from one moment on and before another, both expressions. The hours are in the index. */
export function withinTimes(from: string, to: string): string {
  return `e.at >= ${from} and e.at < ${to}
    and app.hour_of(e.at) between app.hour_of(${from}) and app.hour_of(${to} - interval '1 microsecond')`
}

/** Columns with the numbers that the filters mean in the dictionaries: read before hits are, because then their index is used. */
export function compileFilterNumbers(filters: Filters, values: Values): string[] {
  return entriesOf(filters).flatMap(([dimension, texts]) => {
    const dictionary = homes[dimension]
    if (dictionary === 'hit') return []
    const given = values.bind(texts, 'text[]')
    return [
      `array(select id from app.click_${dictionary}s where ${dimension} = any (${given})) as ${filterColumn(dimension)}`,
    ]
  })
}

const filterColumn = (dimension: ClickDimension) => `filter_${dimension}`

/** Conditions on hits `e` that follow others. @param numbers the row with the columns of {@link compileFilterNumbers} */
export function compileFilters(
  filters: Filters,
  numbers: Readonly<Record<string, unknown>>,
  values: Values,
): string {
  const conditions = entriesOf(filters).map(([dimension, texts]) => {
    const dictionary = homes[dimension]
    if (dictionary !== 'hit')
      return `e.${dictionary} = any (${values.bind(numbers[filterColumn(dimension)], 'integer[]')})`
    if (dimension === 'target')
      return `e.scope = any (${values.bind(texts.map(Number), 'integer[]')})`
    return `e.${dimension} = any (${values.bind(lettersOf(dimension, texts), '"char"[]')})`
  })
  return conditions.map((condition) => ` and ${condition}`).join('')
}

function entriesOf(filters: Filters): [ClickDimension, readonly string[]][] {
  return Object.entries(filters) as [ClickDimension, readonly string[]][]
}

function lettersOf(dimension: ClickDimension, words: readonly string[]): string[] {
  const letters: Readonly<Record<string, string>> =
    dimension === 'verdict' ? hitVerdicts : hitSources
  return words.flatMap((word) => (Object.hasOwn(letters, word) ? [letters[word] ?? ''] : []))
}
