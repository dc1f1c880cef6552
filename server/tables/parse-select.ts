import { problems } from './errors.ts'
import { aggregates, type Embedding, type SelectItem } from './query.ts'
import { Reader } from './reader.ts'

const castable =
  /^(text|varchar|char|bpchar|smallint|int[248]?|integer|bigint|numeric|decimal|real|float[48]?|double precision|bool|boolean|uuid|date|time|timetz|timestamp|timestamptz|interval|json|jsonb|bytea|inet)(\[\])?$/

const maxItems = 100
const maxDepth = 5
const maxEmbeddings = 20

/** The name under which an answer shows an embedding, and under which other parameters speak of it. */
export function embeddedName({ alias, target }: Embedding): string {
  return alias ?? target
}

/** @throws {ProtocolError} PGRST100 for anything but a list of columns and embeddings, or too long or deep */
export function parseSelect(text: string): SelectItem[] {
  const reader = new Reader(text, 'select parameter')
  const counted = { embeddings: 0 }
  const items = text.trim() === '' ? ['*' as const] : readItems(reader, 1, counted)
  reader.end()
  return items
}

function readItems(reader: Reader, depth: number, counted: { embeddings: number }): SelectItem[] {
  const items: SelectItem[] = []
  do {
    items.push(readItem(reader, depth, counted))
    if (items.length > maxItems) reader.fail()
  } while (reader.match(/\s*,/y))
  return items
}

function readItem(reader: Reader, depth: number, counted: { embeddings: number }): SelectItem {
  reader.match(/\s*/y)
  if (reader.match(/\*(?=\s*(?:,|\)|$))/y)) return '*'
  const spread = reader.match(/\.\.\./y) !== null
  let name = reader.name()
  let alias: string | undefined
  if (reader.match(/\s*:(?!:)\s*/y)) {
    alias = name
    name = reader.name()
  }
  const aliased = alias === undefined ? {} : { alias }
  if (!spread && name === 'count' && reader.match(/\(\)/y))
    return { kind: 'field', ...aliased, aggregate: 'count', ...readCast(reader, 'aggregateCast') }
  const modifiers: string[] = []
  while (reader.match(/!/y)) modifiers.push(reader.name())
  if (reader.match(/\s*\(/y)) {
    if (depth > maxDepth || ++counted.embeddings > maxEmbeddings) reader.fail()
    const select = reader.match(/\s*\)/y) ? [] : readItems(reader, depth + 1, counted)
    if (select.length > 0) reader.expect(/\s*\)/y)
    return {
      kind: 'embedding',
      target: name,
      ...aliased,
      ...readModifiers(reader, modifiers),
      spread,
      query: { select, filters: [], order: [], offset: 0 },
    }
  }
  if (spread || modifiers.length > 0) reader.fail()
  const field = { column: name, path: reader.path() }
  const cast = readCast(reader, 'cast')
  const called = reader.match(/\.([a-z]+)\(\)/y)?.[1]
  if (called === undefined) return { kind: 'field', field, ...aliased, ...cast }
  const aggregate = aggregates.find((each) => each === called) ?? reader.fail()
  const aggregateCast = readCast(reader, 'aggregateCast')
  return { kind: 'field', field, ...aliased, ...cast, aggregate, ...aggregateCast }
}

function readModifiers(reader: Reader, modifiers: string[]): { hint?: string; inner: boolean } {
  const hints = modifiers.filter((each) => each !== 'inner' && each !== 'left')
  const [hint] = hints
  if (hints.length > 1 || modifiers.length > 2) reader.fail()
  return { inner: modifiers.includes('inner'), ...(hint !== undefined && { hint }) }
}

function readCast<Key extends string>(reader: Reader, key: Key): { [K in Key]?: string } {
  const cast = reader.match(/::\s*([a-z0-9_ ]+(?:\[\])?)/y)?.[1]?.trim()
  if (cast === undefined) return {}
  if (!castable.test(cast)) throw problems.unparsable('select parameter', `::${cast}`)
  return { [key]: cast } as { [K in Key]?: string }
}
