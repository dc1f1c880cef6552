import { type ColumnPath, Reader } from './reader.ts'

/** The operators that compare a column with one value, and their SQL. */
export const comparisons = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
  isdistinct: 'is distinct from',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxr: '&<',
  nxl: '&>',
  adj: '-|-',
} as const

/** The operators of full-text search, and the function of each that reads a query. */
export const searches = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
} as const

type Comparison = keyof typeof comparisons
type Search = keyof typeof searches

interface ColumnCondition {
  kind: 'comparison'
  field: ColumnPath
  negated: boolean
}

/** One condition on a column: `column=not.op.value`. */
export type ColumnFilter = ColumnCondition &
  (
    | { operator: Comparison; value: string }
    /** With `any` or `all`, the value is an array as PostgreSQL writes it. */
    | { operator: Comparison; value: string; quantifier: 'any' | 'all' }
    | { operator: 'in'; value: string[] }
    | { operator: 'is'; value: string }
    | { operator: Search; value: string; language: string | undefined }
  )

/** `and=(…)`, `or=(…)`, nested and negated as the client likes. */
export interface FilterTree {
  kind: 'and' | 'or'
  negated: boolean
  terms: Filter[]
}

export type Filter = ColumnFilter | FilterTree

/** A filter `column=eq.value` on a whole column. */
export interface Equality {
  column: string
  value: string
}

/** The equality that a filter is; undefined for any other filter. */
export function equalityOf(filter: Filter | undefined): Equality | undefined {
  if (filter?.kind !== 'comparison' || filter.operator !== 'eq' || 'quantifier' in filter)
    return undefined
  const { field, negated, value } = filter
  if (negated || field.path.length > 0) return undefined
  return { column: field.column, value }
}

const isValues = new Set(['null', 'not_null', 'true', 'false', 'unknown'])
const quantifiable = new Set(['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike'])

const maxDepth = 8
const maxTerms = 200
/** A pattern's cost grows with its wildcards: `%a%b%c%…` over long addresses is how one request stalls a server. */
const maxWildcards = 8
const maxPattern = 2_100
const maxPatterns = 20

/** A filter, and the embedded resources that its parameter names before it: `popup.title=eq.Hello`. */
export interface PlacedFilter {
  path: string[]
  filter: Filter
}

/** Parses a query parameter that filters: a column with `op.value`, or a tree (`and`, `or`, `not.and`, `not.or`). */
export function parseFilter(name: string, text: string): PlacedFilter {
  const label = `filter of ${name.slice(0, 63)}`
  const names = new Reader(name, label)
  const path: string[] = []
  for (;;) {
    const tree = names.match(/(not\.)?(and|or)$/y)
    const reader = new Reader(text, label)
    if (tree) {
      const filter = readTree(reader, tree, 1)
      reader.end()
      return { path, filter }
    }
    const field = names.field()
    if (field.path.length === 0 && names.match(/\./y)) {
      path.push(field.column)
      continue
    }
    names.end()
    const filter = readComparison(reader, field, () => reader.expect(/.*/sy)[0])
    reader.expect(/$/y)
    return { path, filter }
  }
}

/** @param words its prefix: `not.`, if it is negated, and `and` or `or` */
function readTree(reader: Reader, [, not, kind]: RegExpExecArray, depth: number): FilterTree {
  if (depth > maxDepth) reader.fail()
  const terms: Filter[] = []
  reader.expect(/\s*\(/y)
  do {
    reader.expect(/\s*/y)
    terms.push(readTerm(reader, depth))
    if (terms.length > maxTerms) reader.fail()
  } while (reader.match(/\s*,/y))
  reader.expect(/\s*\)\s*/y)
  return { kind: kind === 'or' ? 'or' : 'and', negated: not !== undefined, terms }
}

function readTerm(reader: Reader, depth: number): Filter {
  const tree = reader.match(/(not\.)?(and|or)(?=\s*\()/y)
  if (tree) return readTree(reader, tree, depth + 1)
  const field = reader.field()
  reader.expect(/\./y)
  return readComparison(reader, field, () => readArray(reader) ?? readValue(reader))
}

/** Reads `not.op.value`, `op(any).{…}`, `fts(english).…`. @param readSingle reads the value, unless it is a list */
function readComparison(reader: Reader, field: ColumnPath, readSingle: () => string): ColumnFilter {
  const [, not, operator = ''] = reader.expect(/(not\.)?([a-z]+)/y)
  const condition = { kind: 'comparison', field, negated: not !== undefined } as const
  const modifier = reader.match(/\(([A-Za-z_]{1,63})\)/y)?.[1]
  reader.expect(/\./y)
  if (isSearch(operator)) {
    return { ...condition, operator, value: readSingle(), language: modifier }
  }
  if (modifier !== undefined) {
    const quantifier = modifier === 'any' || modifier === 'all' ? modifier : reader.fail()
    if (!isComparison(operator) || !quantifiable.has(operator)) return reader.fail()
    return {
      ...condition,
      operator,
      value: asPattern(reader, operator, readSingle(), true),
      quantifier,
    }
  }
  if (operator === 'in') return { ...condition, operator, value: readList(reader) }
  const value = readSingle()
  if (operator === 'is') {
    const word = value.trim().toLowerCase()
    return isValues.has(word) ? { ...condition, operator, value: word } : reader.fail()
  }
  if (!isComparison(operator)) return reader.fail()
  return { ...condition, operator, value: asPattern(reader, operator, value, false) }
}

/** In an address `*` needs no escape, so the protocol takes it for `%`. */
function asPattern(reader: Reader, operator: Comparison, value: string, isList: boolean): string {
  if (operator !== 'like' && operator !== 'ilike') return value
  const wildcards = value.match(/[*%_]/g)?.length ?? 0
  const many = value.match(/[*%]/g)?.length ?? 0
  const patterns = isList ? value.split(',').length : 1
  if (value.length > maxPattern || wildcards > 200 || patterns > maxPatterns) reader.fail()
  if (many > (isList ? 2 * patterns : maxWildcards)) reader.fail()
  return value.replaceAll('*', '%')
}

function isComparison(text: string): text is Comparison {
  return Object.hasOwn(comparisons, text)
}

function isSearch(text: string): text is Search {
  return Object.hasOwn(searches, text)
}

function readList(reader: Reader): string[] {
  const values: string[] = []
  reader.expect(/\(\s*/y)
  if (reader.match(/\)/y)) return values
  do values.push(readValue(reader))
  while (reader.match(/,/y))
  reader.expect(/\)/y)
  return values
}

/** `{a,"b,c"}` with nothing but the end of the value behind it. */
function readArray(reader: Reader): string | undefined {
  return reader.match(/\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}(?=$|[,)])/sy)?.[0]
}

/** A value inside parentheses: quoted, or everything up to the next comma or closing parenthesis. */
function readValue(reader: Reader): string {
  return reader.quoted(quotedValue) ?? reader.expect(/[^,)]*/y)[0]
}

/** With anything else behind it, the quotes are part of an unquoted value. */
const quotedValue = /"((?:[^"\\]|\\.)*)"\s*(?=[,)])/sy
