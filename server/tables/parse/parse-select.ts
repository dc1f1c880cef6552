import { problems } from '../errors.ts'
import { aggregates, type Embedding, type SelectItem } from './query.ts'
import { Reader } from './reader.ts'

const castable =
  /^(text|varchar|char|bpchar|smallint|int[248]?|integer|bigint|numeric|decimal|real|float[48]?|double precision|bool|boolean|uuid|date|time|timetz|timestamp|timestamptz|interval|json|jsonb|bytea|inet)(\[\])?$/

const allColumns = { kind: 'all' } as const
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
  const items = text.trim() === '' ? [allColumns] : readItems(reader, 1, counted)
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
  if (reader.match(/\*(?=\s*(?:,|\)|$))/y)) return allColumns
  const spread = reader.match(/\.\.\./y) !== null
  let name = reader.name()
  let alias: string | undefined
  if (reader.match(/\s*:(?!:)\s*/y)) {
    alias = name
    name = reader.name()
  }
  if (!spread && name === 'count' && reader.match(/\(\)/y))
    return { kind: 'field', alias, aggregate: 'count', aggregateCast: readCast(reader) }
  const modifiers: string[] = []
  while (reader.match(/!/y)) modifiers.push(reader.name())
  if (reader.match(/\s*\(/y)) {
    if (depth > maxDepth || ++counted.embeddings > maxEmbeddings) reader.fail()
    const select = reader.match(/\s*\)/y) ? [] : readItems(reader, depth + 1, counted)
    if (select.length > 0) reader.expect(/\s*\)/y)
    return {
      kind: 'embedding',
      target: name,
      alias,
      ...readModifiers(reader, modifiers),
      spread,
      query: { select, filters: [], order: [], offset: 0 },
    }
  }
  if (spread || modifiers.length > 0) reader.fail()
  const field = { column: name, path: reader.path() }
  const cast = readCast(reader)
  const called = reader.match(/\.([a-z]+)\(\)/y)?.[1]
  if (called === undefined) return { kind: 'field', field, alias, cast }
  const aggregate = aggregates.find((each) => each === called) ?? reader.fail()
  return { kind: 'field', field, alias, cast, aggregate, aggregateCast: readCast(reader) }
}

function readModifiers(
  reader: Reader,
  modifiers: string[],
): { hint: string | undefined; inner: boolean } {
  const [hint, ...others] = modifiers.filter((each) => each !== 'inner' && each !== 'left')
  if (others.length > 0 || modifiers.length > 2) reader.fail()
  return { inner: modifiers.includes('inner'), hint }
}

function readCast(reader: Reader): string | undefined {
  const cast = reader.match(/::\s*([a-z0-9_ ]+(?:\[\])?)/y)?.[1]?.trim()
  if (cast !== undefined && !castable.test(cast))
    throw problems.unparsable('select parameter', `::${cast}`)
  return cast
}
