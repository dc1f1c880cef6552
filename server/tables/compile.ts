import pg from 'pg'
import type { ApiFunction } from './catalog/catalog.ts'
import {
  clause,
  innerConditions,
  listOf,
  orderBy,
  select,
  type Selection,
  Statements,
  where,
} from './compile-rows.ts'
import type { Answer, Shape } from './parse/parse-headers.ts'
import type { ReadPlan } from './read-plan.ts'
import { columnsFor } from './scope.ts'

/** A statement with one row, a {@link StatementResult}. */
export interface Statement {
  text: string
  values: unknown[]
  /** Beginning of a CSV body. */
  header?: string
  /** A division by zero means that there are too many embedded rows. */
  embedsLists?: boolean
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

const quote = pg.escapeIdentifier

/** The rows of the plan's relation, or those that a function returns. */
export function compileRead(
  plan: ReadPlan,
  { prefer, shape }: Answer,
  call?: CallSource,
): Statement {
  const statement = new Statements()
  const { scope, query } = plan
  const called = call && compileCallSource(call, statement)
  // A function that is counted too runs once.
  const isShared = called !== undefined && prefer.count !== undefined
  const shared = isShared ? `with called as materialized (select * from ${called}) ` : ''
  const from = `from ${isShared ? 'called' : (called ?? scope.relation.sql)} as r`
  const selection = select(plan, 'r', statement)
  const { list, groups } = listOf(selection)
  const isPaged = query.offset > 0 && !call && canSkipKeys(plan, selection)
  const isFiltered = !isPaged || prefer.count !== undefined
  const conditions = isFiltered ? where(plan, 'r', statement) : ''
  const total = prefer.count ? `(select count(*) ${from}${conditions})` : 'null'
  const limit = Math.min(query.limit ?? scope.maxRows, scope.maxRows)
  const page = `limit ${statement.bind(limit)} offset ${statement.bind(query.offset)}`
  const order = orderBy(plan, 'r', statement)
  const rows = isPaged
    ? `select ${list} ${from}${selection.joins}${keysOf(plan, page, statement)}${order}`
    : `select ${list} ${from}${selection.joins}${conditions}${groups}${order} ${page}`
  const figures = `count(*)::int as rows, ${total} as total`
  const answer = answerWith(selection, rows, shape, statement, figures)
  return { ...answer, text: shared + answer.text }
}

/** Whether the rows have keys that this caller may read. */
function canSkipKeys({ scope }: ReadPlan, { outputs }: Selection): boolean {
  const { key } = scope.relation
  const readable = columnsFor(scope, 'select')
  const hasAggregates = outputs.some(({ isAggregate }) => isAggregate)
  return key.length > 0 && key.every((name) => readable.includes(name)) && !hasAggregates
}

/**
 * The keys of a page as a condition. PostgreSQL computes the columns of rows that it skips, and some columns of a view cost much:
 * so only their keys are skipped.
 */
function keysOf(plan: ReadPlan, page: string, statement: Statements): string {
  const { key, sql } = plan.scope.relation
  const [own, found] = ['r', 'p'].map((alias) =>
    key.map((name) => `${alias}.${quote(name)}`).join(', '),
  )
  const rest = `${where(plan, 'p', statement)}${orderBy(plan, 'p', statement)}`
  return ` where (${own}) in (select ${found} from ${sql} as p${rest} ${page})`
}

/** `rows` have the same keys, `columns`. */
export function compileInsert(
  plan: ReadPlan,
  answer: Answer,
  columns: readonly string[],
  rows: unknown[],
): Statement {
  const statement = new Statements()
  const names = columns.map(quote).join(', ')
  const source =
    columns.length === 0
      ? 'default values'
      : `(${names}) select ${names} from json_populate_recordset(null::${plan.scope.relation.sql}, ${statement.bind(JSON.stringify(rows))}::json)`
  const { resolution } = answer.prefer
  const merging = resolution === 'merge-duplicates' && columns.length > 0
  const counted = merging ? ` where ${countInserted('+ 1')}` : ''
  const conflict = onConflict(plan, columns, resolution)
  const change = `insert into ${plan.scope.relation.sql} as r ${source}${counted}${conflict}`
  return changeWith(plan, answer, change, statement)
}

/** How many rows match, at most `most`. */
export function compileCount(plan: ReadPlan, most: number): Statement {
  const statement = new Statements()
  const from = `${plan.scope.relation.sql} as r${where(plan, 'r', statement)}`
  const text = `select null as body, count(*)::int as rows from (select 1 from ${from} limit ${statement.bind(most)}) as t`
  return { text, values: statement.values }
}

export function compileUpdate(
  plan: ReadPlan,
  answer: Answer,
  changes: Record<string, unknown>,
): Statement {
  const statement = new Statements()
  const view = plan.scope.relation.sql
  const source = `json_populate_record(null::${view}, ${statement.bind(JSON.stringify(changes))}::json)`
  const sets = Object.keys(changes)
    .map((column) => `${quote(column)} = b.${quote(column)}`)
    .join(', ')
  const change = `update ${view} as r set ${sets} from ${source} as b${where(plan, 'r', statement)}`
  return changeWith(plan, answer, change, statement)
}

export function compileDelete(plan: ReadPlan, answer: Answer): Statement {
  const statement = new Statements()
  const change = `delete from ${plan.scope.relation.sql} as r${where(plan, 'r', statement)}`
  return changeWith(plan, answer, change, statement)
}

/** A function that returns one value, a list of values, or nothing. */
export function compileCall(source: CallSource, returns: ApiFunction['returns']): Statement {
  const statement = new Statements()
  const call = compileCallSource(source, statement)
  const list = `(select coalesce(json_agg(r), '[]')::text from ${call} as r)`
  const value = returns === 'void' ? `(${call})::text` : `to_json(${call})::text`
  const text = `select ${returns === 'list' ? list : value} as body, 1 as rows`
  return { text, values: statement.values }
}

function compileCallSource({ sql, args }: CallSource, statement: Statements): string {
  const named = args.map(
    ({ name, type, value }) => `${quote(name)} => ${statement.bind(value)}::${type}`,
  )
  return `${sql}(${named.join(', ')})`
}

/** Wraps a change so that it answers with its rows as JSON, or only with how many there were. */
function changeWith(
  plan: ReadPlan,
  { prefer, shape }: Answer,
  change: string,
  statement: Statements,
): Statement {
  const { scope } = plan
  const inserted =
    prefer.resolution === 'merge-duplicates'
      ? `nullif(current_setting('hoplet.inserted', true), '')::int`
      : 'null::int'
  if (prefer.return === 'representation') {
    const readable = columnsFor(scope, 'select').map((column) => `r.${quote(column)}`)
    const selection = select(plan, 'r', statement)
    const { list, groups } = listOf(selection)
    const filtered = clause('where', innerConditions(plan, 'r', statement), ' and ')
    const rows = `select ${list} from changed as r${selection.joins}${filtered}${groups}${orderBy(plan, 'r', statement)}`
    const figures = `count(*)::int as rows, ${inserted} as inserted`
    const answer = answerWith(selection, rows, shape, statement, figures)
    const text = `with changed as (${change} returning ${readable.join(', ')}) ${answer.text}`
    return { ...answer, text }
  }
  const columns = scope.relation.key.map((column) => `r.${quote(column)}::text`).join(', ')
  const key = prefer.return === 'headers-only' ? `array[${columns}]::text[]` : 'null::text[]'
  const text = `with changed as (${change} returning ${key} as key)
    select null as body, count(*)::int as rows, min(key) as key, ${inserted} as inserted from changed`
  return { text, values: statement.values }
}

/** The statement with one row: the selected rows as its body, and figures about them. */
function answerWith(
  { outputs }: Selection,
  rows: string,
  shape: Shape,
  statement: Statements,
  figures: string,
): Statement {
  const header = shape.csv ? `${outputs.map(({ name }) => csvField(name)).join(',')}\n` : undefined
  const body = header === undefined ? jsonOf(shape) : csvOf(statement.bind(header))
  const text = `select ${body} as body, ${figures} from (${rows}) as t`
  const { values, embedsLists } = statement
  return { text, values, embedsLists, ...(header !== undefined && { header }) }
}

function jsonOf(shape: Shape): string {
  // `t.*` is always the whole row: a plain `t` would be the column when a client's alias has that name.
  const list = shape.nullsStripped ? 'json_strip_nulls(json_agg(t.*))' : 'json_agg(t.*)'
  return shape.single ? `(${list} -> 0)::text` : `coalesce(${list}, '[]')::text`
}

/** A row as PostgreSQL writes it is a line of CSV in parentheses. */
function csvOf(header: string): string {
  const line = `substr((t.*)::text, 2, length((t.*)::text) - 2)`
  return `${header}::text || coalesce(string_agg(${line}, e'\\n'), '')`
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function onConflict(
  { scope, query }: ReadPlan,
  columns: readonly string[],
  resolution: Answer['prefer']['resolution'],
): string {
  // Without a column there is no value to merge; a row that lacks required columns is refused as any insert is.
  if (!resolution || columns.length === 0) return ''
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
