import { problems } from './errors.ts'
import { type Filter, parseFilter } from './parse-filters.ts'

/** One item of `select`: `alias:column::cast`. */
export interface Selected {
  column: string
  alias?: string
  cast?: string
}

export interface Ordering {
  column: string
  descending: boolean
  nulls?: 'first' | 'last'
}

/** A parsed query string, not yet checked against the catalog. */
export interface Query {
  /** '*' for all columns that the role may read. */
  select: ('*' | Selected)[]
  filters: Filter[]
  order: Ordering[]
  limit?: number
  offset: number
  /** The keys of a body that count, from `columns`. */
  columns?: string[]
  onConflict?: string[]
}

const castable =
  /^(text|varchar|int[48]?|integer|bigint|numeric|float8|bool|boolean|uuid|date|timestamptz|jsonb?)$/

/** Parameters that are not filters. */
const reserved = new Set(['select', 'order', 'limit', 'offset', 'columns', 'on_conflict'])
const maxParameters = 100

/**
 * Parses the query string of a table request (https://docs.postgrest.org/en/stable/references/api/tables_views.html).
 *
 * @param relation the name for messages
 * @throws {ProtocolError} PGRST100, PGRST103, PGRST108, PGRST123, PGRST200
 */
export function parseQuery(relation: string, parameters: URLSearchParams): Query {
  const entries = [...parameters]
  if (entries.length > maxParameters) throw problems.unparsable('query', 'too many parameters')
  const last = (name: string) => parameters.getAll(name).at(-1)
  const limit = last('limit')
  const columns = last('columns')
  const onConflict = last('on_conflict')
  return {
    select: parseSelect(relation, last('select') ?? '*'),
    filters: entries
      .filter(([name]) => !reserved.has(name))
      .map(([name, text]) => parseFilter(name, text)),
    order: parseOrder(last('order') ?? ''),
    ...(limit !== undefined && { limit: parseCount('limit', limit) }),
    offset: parseCount('offset', last('offset') ?? '0'),
    ...(columns !== undefined && { columns: parseNames('columns', columns) }),
    ...(onConflict !== undefined && { onConflict: parseNames('on_conflict', onConflict) }),
  }
}

function parseSelect(relation: string, text: string): Query['select'] {
  if (text === '') return ['*']
  if (/[(]|^\.\.\.|,\.\.\./.test(text)) {
    const embedded =
      /(?:^|[,:])\s*(?:\.\.\.)?(?:[^,:(]*:)?([^,:()!]*)(?:![^(]*)?\(/.exec(text)?.[1] ?? ''
    if (/(^|\.)(count|sum|avg|min|max)$/.test(embedded.trim())) throw problems.aggregate()
    throw problems.relationship(relation, embedded.trim())
  }
  return splitNames('select', text).map((item) => {
    if (item === '*') return '*'
    const parts =
      /^(?:("(?:[^"\\]|\\.)*"|[^":]+):(?!:))?("(?:[^"\\]|\\.)*"|[^":]+)(?:::([a-z0-9]+))?$/s.exec(
        item,
      )
    const column = parts?.[2]
    if (!parts || column === undefined || /->/.test(column))
      throw problems.unparsable('select parameter', text)
    const [, alias, , cast] = parts
    if (cast !== undefined && !castable.test(cast))
      throw problems.unparsable('select parameter', text)
    return {
      column: unquote(column.trim()),
      ...(alias !== undefined && { alias: unquote(alias.trim()) }),
      ...(cast !== undefined && { cast }),
    }
  })
}

function parseOrder(text: string): Ordering[] {
  if (text === '') return []
  return splitNames('order', text).map((item) => {
    const parts = /^("(?:[^"\\]|\\.)*"|[^".()]+)(?:\.(asc|desc))?(?:\.nulls(first|last))?$/s.exec(
      item,
    )
    if (parts?.[1] === undefined) throw problems.unparsable('order', text)
    const nulls = parts[3] === 'first' || parts[3] === 'last' ? parts[3] : undefined
    return {
      column: unquote(parts[1].trim()),
      descending: parts[2] === 'desc',
      ...(nulls !== undefined && { nulls }),
    }
  })
}

function parseNames(what: string, text: string): string[] {
  return splitNames(what, text).map((name) => unquote(name.trim()))
}

/** Splits at commas outside of quotes. */
function splitNames(what: string, text: string): string[] {
  const items = text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/gs) ?? []
  // What the pattern skipped must be the commas between, or quotes do not match.
  if (items.length > 100 || items.join(',') !== text) throw problems.unparsable(what, text)
  return items
}

function unquote(text: string): string {
  return text.startsWith('"') && text.endsWith('"') && text.length > 1
    ? text.slice(1, -1).replace(/\\(.)/gs, '$1')
    : text
}

function parseCount(what: 'limit' | 'offset', text: string): number {
  if (!/^-?\d+$/.test(text)) throw problems.unparsable(what, text)
  const count = Number(text)
  if (count < 0) throw problems.range(`${what} must not be negative.`)
  return Math.min(count, Number.MAX_SAFE_INTEGER)
}
