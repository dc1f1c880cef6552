import { problems } from './errors.ts'

/** The operators that compare a column with one value, and what they are in SQL. */
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
} as const

type Operator = keyof typeof comparisons | 'in' | 'is'

/** One condition on a column: `column=not.op.value`. `value` is a list for `in` only. */
export interface ColumnFilter {
  kind: 'comparison'
  column: string
  negated: boolean
  operator: Operator
  value: string | string[]
}

/** `and=(…)`, `or=(…)`, nested and negated as the client likes. */
export interface FilterTree {
  kind: 'and' | 'or'
  negated: boolean
  terms: Filter[]
}

export type Filter = ColumnFilter | FilterTree

const isValues = new Set(['null', 'not_null', 'true', 'false', 'unknown'])

const maxDepth = 8
const maxTerms = 200
/** A pattern's cost grows with its wildcards: `%a%b%c%…` over long addresses is how one request stalls a server. */
const maxWildcards = 8
const maxPattern = 2_100

/** Parses a query parameter that filters: a column with `op.value`, or a tree (`and`, `or`, `not.and`, `not.or`). */
export function parseFilter(name: string, text: string): Filter {
  const tree = /^(not\.)?(and|or)$/.exec(name)
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(name)?.[1]
  if (!tree && quoted === undefined && name.includes('.'))
    throw problems.notEmbedded(name.slice(0, name.indexOf('.')))
  const column = quoted === undefined ? name : unescape(quoted)
  const reader = new Reader(text, column)
  const filter = tree
    ? readTree(reader, tree, 1)
    : readComparison(reader, column, () => reader.expect(/.*/sy)[0])
  reader.expect(/$/y)
  return filter
}

/** @param words what announced it: `not.`, if it is negated, and `and` or `or` */
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
  const column = reader.quoted(quotedColumn) ?? reader.expect(/[^.,()"]+/y)[0]
  reader.expect(/\./y)
  return readComparison(reader, column, () => readValue(reader))
}

/** Reads `not.op.value`. @param readSingle reads the value, unless it is a list */
function readComparison(reader: Reader, column: string, readSingle: () => string): ColumnFilter {
  const [, not, operator] = reader.expect(/(not\.)?([a-z]+)\./y)
  if (!isOperator(operator)) return reader.fail()
  const filter = { kind: 'comparison', column, negated: not !== undefined, operator } as const
  if (operator === 'in') return { ...filter, value: readList(reader) }
  const value = readSingle()
  if (operator === 'is') {
    const word = value.trim().toLowerCase()
    return isValues.has(word) ? { ...filter, value: word } : reader.fail()
  }
  if (operator !== 'like' && operator !== 'ilike') return { ...filter, value }
  const wildcards = value.match(/[*%_]/g)?.length ?? 0
  const many = value.match(/[*%]/g)?.length ?? 0
  if (value.length > maxPattern || many > maxWildcards || wildcards > 200) reader.fail()
  // In an address `*` needs no escape, so the protocol takes it for `%`.
  return { ...filter, value: value.replaceAll('*', '%') }
}

function isOperator(text = ''): text is Operator {
  return text === 'in' || text === 'is' || Object.hasOwn(comparisons, text)
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

/** A value inside parentheses: quoted, or everything up to the next comma or closing parenthesis. */
function readValue(reader: Reader): string {
  return reader.quoted(quotedValue) ?? reader.expect(/[^,)]*/y)[0]
}

const quotedColumn = /"((?:[^"\\]|\\.)*)"(?=\.)/sy
/** With anything else behind it, the quotes are part of an unquoted value. */
const quotedValue = /"((?:[^"\\]|\\.)*)"\s*(?=[,)])/sy

/** Removes the backslashes of a quoted name or value. */
function unescape(quoted: string): string {
  return quoted.replace(/\\(.)/gs, '$1')
}

/** A cursor over one parameter's text. */
class Reader {
  readonly #text: string
  readonly #name: string
  #at = 0

  constructor(text: string, name: string) {
    this.#text = text
    this.#name = name
  }

  /** Takes what a sticky pattern finds here. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at += found[0].length
    return found
  }

  expect(pattern: RegExp): RegExpExecArray {
    return this.match(pattern) ?? this.fail()
  }

  /** Takes `"…"`, in which a backslash escapes the next character; undefined when there is none here. */
  quoted(pattern: RegExp): string | undefined {
    const found = this.match(pattern)
    return found?.[1] === undefined ? undefined : unescape(found[1])
  }

  fail(): never {
    throw problems.unparsable(`filter of ${this.#name.slice(0, 63)}`, this.#text)
  }
}
