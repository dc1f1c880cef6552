import { problems } from './errors.ts'

export type Operator =
  | 'eq'
  | 'neq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'like'
  | 'ilike'
  | 'in'
  | 'is'
  | 'isdistinct'

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

const operators: ReadonlySet<string> = new Set<Operator>([
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'in',
  'is',
  'isdistinct',
])
const isValues = new Set(['null', 'not_null', 'true', 'false', 'unknown'])

const maxDepth = 8
const maxTerms = 200
/** A pattern's cost grows with its wildcards: `%a%b%c%…` over long addresses is how one request stalls a server. */
const maxWildcards = 8
const maxPattern = 2_100

/** Parses a query parameter that filters: a column with `op.value`, or a tree (`and`, `or`, `not.and`, `not.or`). */
export function parseFilter(name: string, text: string): Filter {
  const tree = /^(not\.)?(and|or)$/.exec(name)
  if (!tree) return parseComparison(name, text)
  const reader = new Reader(text, name)
  const filter = readTree(reader, tree[2] === 'or' ? 'or' : 'and', tree[1] !== undefined, 1)
  if (!reader.atEnd()) reader.fail()
  return filter
}

function parseComparison(name: string, text: string): ColumnFilter {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(name)?.[1]
  const column = quoted === undefined ? name : unescape(quoted)
  if (quoted === undefined && name.includes('.'))
    throw problems.notEmbedded(name.slice(0, name.indexOf('.')))
  const reader = new Reader(text, column)
  const { negated, operator } = readOperator(reader)
  const value = operator === 'in' ? readList(reader) : reader.rest()
  if (!reader.atEnd()) reader.fail()
  return comparison(column, negated, operator, value, reader)
}

function readTree(reader: Reader, kind: 'and' | 'or', negated: boolean, depth: number): FilterTree {
  if (depth > maxDepth) reader.fail()
  const terms: Filter[] = []
  reader.blanks()
  reader.expect('(')
  do {
    reader.blanks()
    terms.push(readTerm(reader, depth))
    if (terms.length > maxTerms) reader.fail()
    reader.blanks()
  } while (reader.accept(','))
  reader.expect(')')
  reader.blanks()
  return { kind, negated, terms }
}

function readTerm(reader: Reader, depth: number): Filter {
  const tree = reader.match(/(not\.)?(and|or)(?=\s*\()/y)
  if (tree)
    return readTree(reader, tree[2] === 'or' ? 'or' : 'and', tree[1] !== undefined, depth + 1)
  const column = reader.quoted(quotedColumn) ?? reader.match(/[^.,()"]+/y)?.[0]
  if (column === undefined) return reader.fail()
  reader.expect('.')
  const { negated, operator } = readOperator(reader)
  const value = operator === 'in' ? readList(reader) : readValue(reader)
  return comparison(column, negated, operator, value, reader)
}

function readOperator(reader: Reader): { negated: boolean; operator: Operator } {
  const found = reader.match(/(not\.)?([a-z]+)\./y)
  if (!found || !isOperator(found[2])) return reader.fail()
  return { negated: found[1] !== undefined, operator: found[2] }
}

function readList(reader: Reader): string[] {
  const values: string[] = []
  reader.expect('(')
  reader.blanks()
  if (reader.accept(')')) return values
  do values.push(readValue(reader))
  while (reader.accept(','))
  reader.expect(')')
  return values
}

/** A value inside parentheses: quoted, or everything up to the next comma or closing parenthesis. */
function readValue(reader: Reader): string {
  return reader.quoted(quotedValue) ?? reader.match(/[^,)]*/y)?.[0] ?? ''
}

function comparison(
  column: string,
  negated: boolean,
  operator: Operator,
  value: string | string[],
  reader: Reader,
): ColumnFilter {
  if (operator === 'is') {
    const word = String(value).trim().toLowerCase()
    if (!isValues.has(word)) reader.fail()
    return { kind: 'comparison', column, negated, operator, value: word }
  }
  if ((operator === 'like' || operator === 'ilike') && typeof value === 'string') {
    const wildcards = value.match(/[*%_]/g)?.length ?? 0
    const many = value.match(/[*%]/g)?.length ?? 0
    if (value.length > maxPattern || many > maxWildcards || wildcards > 200) reader.fail()
    // In an address `*` needs no escape, so the protocol takes it for `%`.
    return { kind: 'comparison', column, negated, operator, value: value.replaceAll('*', '%') }
  }
  return { kind: 'comparison', column, negated, operator, value }
}

function isOperator(text: string | undefined): text is Operator {
  return text !== undefined && operators.has(text)
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

  atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  accept(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  expect(character: string): void {
    if (!this.accept(character)) this.fail()
  }

  /** Takes what a sticky pattern finds here. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at += found[0].length
    return found
  }

  /** Takes `"…"`, in which a backslash escapes the next character; undefined when there is none here. */
  quoted(pattern: RegExp): string | undefined {
    const found = this.match(pattern)
    return found?.[1] === undefined ? undefined : unescape(found[1])
  }

  blanks(): void {
    this.match(/\s*/y)
  }

  rest(): string {
    const rest = this.#text.slice(this.#at)
    this.#at = this.#text.length
    return rest
  }

  fail(): never {
    throw problems.unparsable(`filter of ${this.#name.slice(0, 63)}`, this.#text)
  }
}
