import { orThrow } from '../../primitives/or-throw.ts'
import { problems } from '../errors.ts'
import { parseFilter } from './parse-filters.ts'
import { embeddedName, parseSelect } from './parse-select.ts'
import type { Ordering, Query } from './query.ts'
import { Reader } from './reader.ts'

/** Parameters that are not filters. */
const reserved = new Set(['select', 'columns', 'on_conflict'])
/** Parameters of a list and of each embedded list. */
const listParameters = new Map<string, (query: Query, text: string) => void>([
  ['order', (query, text) => (query.order = parseOrder(text))],
  ['limit', (query, text) => (query.limit = parseCount('limit', text))],
  ['offset', (query, text) => (query.offset = parseCount('offset', text))],
])
const listParameter = /^(?:(.*)\.)?(order|limit|offset)$/s
const maxParameters = 100
const maxNames = 100

/**
 * Parses the query string of a table request (https://docs.postgrest.org/en/stable/references/api/tables_views.html).
 *
 * @throws {ProtocolError} PGRST100, PGRST103, PGRST108
 */
export function parseQuery(parameters: URLSearchParams): Query {
  const entries = [...parameters]
  if (entries.length > maxParameters) throw problems.unparsable('query', 'too many parameters')
  const last = (name: string) => parameters.getAll(name).at(-1)
  const columns = last('columns')
  const onConflict = last('on_conflict')
  const query: Query = {
    select: parseSelect(last('select') ?? '*'),
    filters: [],
    order: [],
    offset: 0,
    ...(columns !== undefined && { columns: parseNames('columns', columns) }),
    ...(onConflict !== undefined && { onConflict: parseNames('on_conflict', onConflict) }),
  }
  for (const [name, text] of entries) {
    if (reserved.has(name)) continue
    const [, path, what = ''] = listParameter.exec(name) ?? []
    const set = listParameters.get(what)
    if (set) {
      set(embeddedQuery(query, path === undefined ? [] : parsePath(path)), text)
      continue
    }
    const filter = parseFilter(name, text)
    embeddedQuery(query, filter.path).filters.push(filter.filter)
  }
  return query
}

function embeddedQuery(query: Query, path: readonly string[]): Query {
  const [first, ...rest] = path
  if (first === undefined) return query
  const embedding = query.select
    .filter((item) => item.kind === 'embedding')
    .find((item) => embeddedName(item) === first)
  return embeddedQuery(orThrow(embedding, () => problems.notEmbedded(first)).query, rest)
}

function parsePath(text: string): string[] {
  const reader = new Reader(text, 'parameter name')
  const path: string[] = []
  do path.push(reader.name())
  while (reader.match(/\./y))
  reader.end()
  return path
}

function parseOrder(text: string): Ordering[] {
  const order: Ordering[] = []
  if (text === '') return order
  const reader = new Reader(text, 'order')
  do {
    reader.match(/\s*/y)
    const field = reader.field()
    const inner = field.path.length === 0 && reader.match(/\(/y) ? reader.field() : undefined
    if (inner) reader.expect(/\)/y)
    const direction = reader.match(/\.(asc|desc)(?=$|[.,])/y)?.[1]
    const nulls = reader.match(/\.nulls(first|last)(?=$|,)/y)?.[1]
    order.push({
      field: inner ?? field,
      ...(inner && { embedding: field.column }),
      direction: direction === 'desc' ? direction : 'asc',
      ...((nulls === 'first' || nulls === 'last') && { nulls }),
    })
    if (order.length > maxNames) reader.fail()
  } while (reader.match(/,/y))
  reader.end()
  return order
}

function parseNames(what: string, text: string): string[] {
  const reader = new Reader(text, what)
  const names: string[] = []
  do {
    reader.match(/\s*/y)
    if (names.push(reader.name()) > maxNames) reader.fail()
  } while (reader.match(/\s*,/y))
  reader.end()
  return names
}

function parseCount(what: 'limit' | 'offset', text: string): number {
  if (!/^-?\d+$/.test(text)) throw problems.unparsable(what, text)
  const count = Number(text)
  if (count < 0) throw problems.range(`${what} must not be negative.`)
  return Math.min(count, Number.MAX_SAFE_INTEGER)
}
