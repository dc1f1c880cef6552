import type { Hit } from '../hits/classify.ts'
import { hitSources, hitVerdicts } from '../hits/verdicts.ts'

/** A batch for app.apply_hits (database/code/13_clicks.sql): columns with one line per hit, and the rows that they number. */
type HitBatch = [columns: string[], origins: string, places: string, clients: string]

/** @param mayKeep whether the origin of a hit, as a row, may be stored; it is unknown otherwise */
export function hitBatch(
  hits: readonly Hit[],
  mayKeep: (origin: string, hit: Hit) => boolean,
): HitBatch {
  const origins = numberRows(
    hits,
    ({ origin }) => origin,
    ({ host, path, ...utm }) => [
      host,
      path === '' ? host : host + path,
      utm.utm_source,
      utm.utm_medium,
      utm.utm_campaign,
      utm.utm_term,
      utm.utm_content,
      utm.rule,
      utm.variant,
      utm.placement,
    ],
    mayKeep,
    (texts) => [...texts.slice(0, -3).map(() => ''), ...texts.slice(-3)],
  )
  const places = numberRows(
    hits,
    ({ place }) => place,
    ({ country, region, city }) => [country, region, city],
  )
  const clients = numberRows(
    hits,
    ({ client }) => client,
    ({ device, browser, system, language, bot }) => [device, browser, system, language, bot],
  )
  const columns = [
    hits.map(({ at }) => at),
    hits.map(({ visitor }) => visitor),
    hits.map(({ scope }) => scope.scope),
    hits.map(({ scope }) => scope.account),
    origins.numbers,
    places.numbers,
    clients.numbers,
    hits.map(({ verdict }) => hitVerdicts[verdict]),
    hits.map(({ source }) => hitSources[source]),
  ].map((column) => column.join('\n'))
  return [columns, origins.rows, places.rows, clients.rows]
}

/** Numbers the distinct rows from 1; 0 is one of which nothing is known. Equal parts are mostly one object (hits/classify.ts). */
function numberRows<Part extends object>(
  hits: readonly Hit[],
  partOf: (hit: Hit) => Part,
  textsOf: (part: Part) => string[],
  mayKeep: (row: string, hit: Hit) => boolean = () => true,
  /** The texts of a row that may always be kept. */
  bounded: (texts: readonly string[]) => string[] = (texts) => texts.map(() => ''),
): { numbers: number[]; rows: string } {
  const known = new Map<Part, number>()
  const rows = new Map<string, number>()
  const numberOfRow = (texts: readonly string[]): number => {
    if (texts.every((text) => text === '')) return 0
    const row = JSON.stringify(texts)
    const number = rows.get(row) ?? rows.size + 1
    rows.set(row, number)
    return number
  }
  const numberOf = (hit: Hit): number => {
    const part = partOf(hit)
    let number = known.get(part)
    if (number !== undefined) return number
    const texts = textsOf(part)
    const row = JSON.stringify(texts)
    const mustFit = texts.some((text, i) => text !== bounded(texts)[i])
    if (mustFit && !rows.has(row) && !mayKeep(row, hit)) return numberOfRow(bounded(texts))
    number = numberOfRow(texts)
    known.set(part, number)
    return number
  }
  return { numbers: hits.map(numberOf), rows: `[${[...rows.keys()].join()}]` }
}
