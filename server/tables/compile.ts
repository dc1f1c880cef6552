import pg from 'pg'
import type { ApiFunction } from './catalog.ts'
import { comparisons, type ColumnFilter, type Filter } from './parse-filters.ts'
import type { Answer, Shape } from './parse-headers.ts'
import type { Query } from './parse-query.ts'
import { columnsFor, publicColumns, type Scope } from './scope.ts'

/** A statement with one row, a {@link StatementResult}. */
export interface Statement {
  text: string
  values: unknown[]
}

export interface StatementResult {
  /** JSON text. */
  body: string | null
  /** How many rows are in the body, or were changed. */
  rows: number
  /** How many rows match, when they were to be counted. */
  total?: string | null
  /** The primary key of an inserted row. */
  key?: string[] | null
  /** How many of an upsert's rows were new. */
  inserted?: number | null
}

/** A call of a function: schema and name as SQL, and its arguments. */
export interface CallSource {
  sql: string
  args: { name: string; type: string; value: unknown }[]
}

/** Column names reach SQL only when the catalog knows them, aliases only through `quote`, values only as parameters. */
const quote = pg.escapeIdentifier

/** Collects the values of a statement; `bind` returns the placeholder. */
class Parameters {
  readonly values: unknown[] = []

  bind(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}

/** `source` is the relation itself, or a call of a function that returns its rows. */
export function compileRead(
  scope: Scope,
  query: Query,
  { prefer, shape }: Answer,
  call?: CallSource,
): Statement {
  const parameters = new Parameters()
  const source = call ? compileCallSource(call, parameters) : scope.relation.sql
  const from = `from ${source} as r${where(scope, query.filters, parameters)}`
  const total = prefer.count ? `(select count(*) ${from})` : 'null'
  const limit = Math.min(query.limit ?? scope.maxRows, scope.maxRows)
  const text = `select ${jsonOf(shape)} as body, count(*)::int as rows, ${total} as total from (
    select ${selectList(scope, query, parameters)} ${from}${orderBy(query)}
    limit ${parameters.bind(limit)} offset ${parameters.bind(query.offset)}) as t`
  return { text, values: parameters.values }
}

/** `rows` have the same keys, `columns`. */
export function compileInsert(
  scope: Scope,
  query: Query,
  answer: Answer,
  columns: readonly string[],
  rows: unknown[],
): Statement {
  const parameters = new Parameters()
  const names = columns.map(quote).join(', ')
  const source =
    columns.length === 0
      ? 'default values'
      : `(${names}) select ${names} from json_populate_recordset(null::${scope.relation.sql}, ${parameters.bind(JSON.stringify(rows))}::json)`
  const { resolution } = answer.prefer
  const merging = resolution === 'merge-duplicates' && columns.length > 0
  const counted = merging ? ` where ${countInserted('+ 1')}` : ''
  const conflict = onConflict(scope, query, columns, resolution)
  const change = `insert into ${scope.relation.sql} as r ${source}${counted}${conflict}`
  return changeWith(scope, query, answer, change, parameters)
}

export function compileUpdate(
  scope: Scope,
  query: Query,
  answer: Answer,
  changes: Record<string, unknown>,
): Statement {
  const parameters = new Parameters()
  const view = scope.relation.sql
  const source = `json_populate_record(null::${view}, ${parameters.bind(JSON.stringify(changes))}::json)`
  const sets = Object.keys(changes)
    .map((column) => `${quote(column)} = b.${quote(column)}`)
    .join(', ')
  const change = `update ${view} as r set ${sets} from ${source} as b${where(scope, query.filters, parameters)}`
  return changeWith(scope, query, answer, change, parameters)
}

export function compileDelete(scope: Scope, query: Query, answer: Answer): Statement {
  const parameters = new Parameters()
  const change = `delete from ${scope.relation.sql} as r${where(scope, query.filters, parameters)}`
  return changeWith(scope, query, answer, change, parameters)
}

/** A function that returns one value, a list of values, or nothing. */
export function compileCall(source: CallSource, returns: ApiFunction['returns']): Statement {
  const parameters = new Parameters()
  const call = compileCallSource(source, parameters)
  const list = `(select coalesce(json_agg(r), '[]')::text from ${call} as r)`
  const value = returns === 'void' ? `(${call})::text` : `to_json(${call})::text`
  const text = `select ${returns === 'list' ? list : value} as body, 1 as rows`
  return { text, values: parameters.values }
}

function compileCallSource({ sql, args }: CallSource, parameters: Parameters): string {
  const named = args.map(
    ({ name, type, value }) => `${quote(name)} => ${parameters.bind(value)}::${type}`,
  )
  return `${sql}(${named.join(', ')})`
}

/** Wraps a change so that it answers with its rows as JSON, or only with how many there were. */
function changeWith(
  scope: Scope,
  query: Query,
  { prefer, shape }: Answer,
  change: string,
  parameters: Parameters,
): Statement {
  const inserted =
    prefer.resolution === 'merge-duplicates'
      ? `nullif(current_setting('hoplet.inserted', true), '')::int`
      : 'null::int'
  if (prefer.return === 'representation') {
    const readable = columnsFor(scope, 'select').map((column) => `r.${quote(column)}`)
    const text = `with changed as (${change} returning ${readable.join(', ')})
      select ${jsonOf(shape)} as body, count(*)::int as rows, ${inserted} as inserted
      from (select ${selectList(scope, query, parameters)} from changed as r${orderBy(query)}) as t`
    return { text, values: parameters.values }
  }
  const columns = scope.relation.key.map((column) => `r.${quote(column)}::text`).join(', ')
  const key = prefer.return === 'headers-only' ? `array[${columns}]::text[]` : 'null::text[]'
  const text = `with changed as (${change} returning ${key} as key)
    select null as body, count(*)::int as rows, min(key) as key, ${inserted} as inserted from changed`
  return { text, values: parameters.values }
}

function jsonOf(shape: Shape): string {
  // `t.*` is always the whole row: a plain `t` would be the column when a client's alias has that name.
  const list = shape.nullsStripped ? 'json_strip_nulls(json_agg(t.*))' : 'json_agg(t.*)'
  return shape.single ? `(${list} -> 0)::text` : `coalesce(${list}, '[]')::text`
}

function selectList(scope: Scope, query: Query, parameters: Parameters): string {
  const items = query.select.flatMap((item) => {
    if (item === '*')
      return columnsFor(scope, 'select').map((column) => starred(scope, column, parameters))
    const value = `r.${quote(item.column)}${item.cast ? `::${item.cast}` : ''}`
    return [`${value} as ${quote(item.alias ?? item.column)}`]
  })
  return items.join(', ')
}

/** In a public look-up `*` keeps its shape, but a private column has a value in the caller's own rows only. */
function starred(scope: Scope, column: string, parameters: Parameters): string {
  const name = quote(column)
  const { owner } = scope.rules
  if (scope.lookup === undefined || publicColumns(scope).includes(column)) return `r.${name}`
  const own = owner && userIdOf(scope)
  if (!owner || own === undefined) return `null as ${name}`
  return `case when r.${quote(owner.column)} = ${parameters.bind(own)} then r.${name} end as ${name}`
}

function where(scope: Scope, filters: Filter[], parameters: Parameters): string {
  const conditions = filters.map((filter) => compileFilter(filter, parameters))
  const owned = ownerCondition(scope, parameters)
  if (owned) conditions.unshift(owned)
  return conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''
}

/** Ownership is checked by row security and, here, by the query itself. */
function ownerCondition(scope: Scope, parameters: Parameters): string | undefined {
  const { owner } = scope.rules
  const userId = userIdOf(scope)
  if (!owner || userId === undefined || scope.lookup !== undefined) return undefined
  const own = parameters.bind(userId)
  const column = `r.${quote(owner.column)}`
  if (!scope.parent) return `${column} = ${own}`
  const { relation, owner: parentOwner } = scope.parent
  const keys = relation.key.map(quote).join(', ')
  return `${column} in (select ${keys} from ${relation.sql} where ${quote(parentOwner)} = ${own})`
}

function userIdOf(scope: Scope): string | undefined {
  return scope.identity.role === 'authenticated' ? scope.identity.claims.sub : undefined
}

function compileFilter(filter: Filter, parameters: Parameters): string {
  if (filter.kind === 'comparison') return compileComparison(filter, parameters)
  const terms = filter.terms.map((term) => compileFilter(term, parameters)).join(` ${filter.kind} `)
  return `${filter.negated ? 'not ' : ''}(${terms})`
}

function compileComparison(filter: ColumnFilter, parameters: Parameters): string {
  const { operator, value } = filter
  const column = `${filter.negated ? 'not ' : ''}r.${quote(filter.column)}`
  if (operator === 'is') return `${column} is ${String(value).replace('_', ' ')}`
  if (operator === 'in') return `${column} = any (${parameters.bind(value)})`
  return `${column} ${comparisons[operator]} ${parameters.bind(value)}`
}

function orderBy(query: Query): string {
  if (query.order.length === 0) return ''
  const items = query.order.map(
    ({ column, descending, nulls }) =>
      `r.${quote(column)} ${descending ? 'desc' : 'asc'}${nulls ? ` nulls ${nulls}` : ''}`,
  )
  return ` order by ${items.join(', ')}`
}

function onConflict(
  scope: Scope,
  query: Query,
  columns: readonly string[],
  resolution: Answer['prefer']['resolution'],
): string {
  if (!resolution) return ''
  const target = (query.onConflict ?? scope.relation.key).map(quote).join(', ')
  if (resolution === 'ignore-duplicates') return ` on conflict (${target}) do nothing`
  const sets = columns.map((column) => `${quote(column)} = excluded.${quote(column)}`)
  return ` on conflict (${target}) do update set ${sets.join(', ')} where ${countInserted('- 1')}`
}

/**
 * A condition that is always true and counts in a setting of the transaction: each proposed row adds one and each
 * merged row takes it back, so that the new rows remain. (A view has no xmax to tell them apart.)
 */
function countInserted(step: '+ 1' | '- 1'): string {
  const before = `coalesce(nullif(current_setting('hoplet.inserted', true), ''), '0')::int`
  return `set_config('hoplet.inserted', (${before} ${step})::text, true) is not null`
}
