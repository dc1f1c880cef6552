import pg from 'pg'
import { comparisons, type ColumnFilter, type Filter, searches } from './parse/parse-filters.ts'
import type { SelectedField } from './parse/query.ts'
import { type Embed, embedOf, orderedBy, type ReadPlan } from './read-plan.ts'
import type { ColumnPath } from './parse/reader.ts'
import { comparesKeys, shownColumn } from './name-keys.ts'
import { columnsFor, publicColumns, type Scope } from './scope.ts'

// Column names reach SQL only when the catalog knows them, aliases only through `quote`, values only as parameters.

const quote = pg.escapeIdentifier

/** Parts of a statement: its values, and names for the rows it reads. */
export class Statements {
  readonly values: unknown[] = []
  /** Fails with a division by zero when the lists in the answer are too long. */
  embedsLists = false
  #aliases = 0

  /** Returns the placeholder of a value. */
  bind(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  alias(): string {
    return `r${++this.#aliases}`
  }
}

/** In the lists of one answer: without a bound, a list in each row of a list in each row would fill the memory. */
const maxEmbeddedRows = 20_000

/**
 * Adds the rows of a list to those of the lists before it, in a setting of the transaction, and fails with a division by zero when
 * there are too many.
 */
function counted(list: string, statement: Statements): string {
  statement.embedsLists = true
  const before = `coalesce(nullif(current_setting('hoplet.embedded', true), ''), '0')::int`
  const sum = `set_config('hoplet.embedded', (${before} + count(*))::text, true)::int`
  return `case when ${sum} > ${maxEmbeddedRows} then (1 / (count(*) - count(*)))::text::json else ${list} end`
}

/** A column of the answer. */
interface Output {
  name: string
  sql: string
  isAggregate: boolean
}

/** A clause without parts is left out: ` where a and b`. */
export function clause(keyword: string, parts: readonly string[], separator: string): string {
  return parts.length > 0 ? ` ${keyword} ${parts.join(separator)}` : ''
}

const not = (isNegated: boolean) => (isNegated ? 'not ' : '')
const castTo = (type: string | undefined) => (type === undefined ? '' : `::${type}`)

export interface Selection {
  outputs: Output[]
  /** Joins that some of them need. */
  joins: string
}

/** The columns of the answer, from rows that `alias` names. */
export function select(plan: ReadPlan, alias: string, statement: Statements): Selection {
  let joins = ''
  const outputs = plan.query.select.flatMap((item): Output[] => {
    if (item.kind === 'all')
      return columnsFor(plan.scope, 'select').map((name) => ({
        name,
        sql: starred(plan.scope, name, alias, statement),
        isAggregate: false,
      }))
    if (item.kind === 'field') return [selected(plan.scope, item, alias, statement)]
    const embed = plan.embeds.find(({ embedding }) => embedding === item)
    if (!embed || item.query.select.length === 0) return []
    if (!item.spread)
      return [{ name: embed.name, sql: embedded(embed, alias, statement), isAggregate: false }]
    const spread = statement.alias()
    const { names, sql } = spreadRows(embed, alias, statement)
    joins += ` left join lateral (${sql}) as ${spread} on true`
    return names.map((name) => ({ name, sql: `${spread}.${quote(name)}`, isAggregate: false }))
  })
  return { outputs, joins }
}

/** The outputs as SQL, and their grouping when some are aggregates. */
export function listOf({ outputs }: Selection): { list: string; groups: string } {
  const list = outputs.map(({ sql, name }) => `${sql} as ${quote(name)}`).join(', ')
  const grouped = outputs.flatMap(({ isAggregate }, at) => (isAggregate ? [] : [at + 1]))
  const isGrouped = grouped.length > 0 && grouped.length < outputs.length
  return { list, groups: isGrouped ? ` group by ${grouped.join(', ')}` : '' }
}

function selected(scope: Scope, item: SelectedField, alias: string, statement: Statements): Output {
  const { field, cast, aggregate, aggregateCast } = item
  const value = field && fieldOf(scope, field, alias, statement) + castTo(cast)
  const own = field?.path.findLast(({ key }) => typeof key === 'string')?.key ?? field?.column
  if (aggregate === undefined)
    return { name: item.alias ?? String(own), sql: value ?? 'null', isAggregate: false }
  const sql = `${aggregate}(${value ?? '*'})${castTo(aggregateCast)}`
  return { name: item.alias ?? aggregate, sql, isAggregate: true }
}

function fieldOf(
  scope: Scope,
  { column, path }: ColumnPath,
  alias: string,
  statement: Statements,
): string {
  const own = `${alias}.${quote(column)}`
  if (path.length === 0) return shownColumn(scope, column, own)
  const { relation } = scope
  const type = relation.facts[relation.columns.indexOf(column)]?.type ?? ''
  const steps = path.map(
    ({ arrow, key }) =>
      `${arrow} ${statement.bind(key)}::${typeof key === 'number' ? 'int' : 'text'}`,
  )
  return `(${/^jsonb?$/.test(type) ? own : `to_jsonb(${own})`} ${steps.join(' ')})`
}

/** In a public look-up `*` keeps its shape, but a private column has a value in the caller's own rows only. */
function starred(scope: Scope, column: string, alias: string, statement: Statements): string {
  const name = shownColumn(scope, column, `${alias}.${quote(column)}`)
  const { owner } = scope.rules
  if (scope.lookup === undefined || publicColumns(scope).includes(column)) return name
  const own = owner && userIdOf(scope)
  if (!owner || own === undefined) return 'null'
  return `case when ${alias}.${quote(owner.column)} = ${statement.bind(own)} then ${name} end`
}

/** Rows of an embedding as one JSON value. */
function embedded(embed: Embed, alias: string, statement: Statements): string {
  const { sql } = embeddedRows(embed, alias, statement)
  return embed.isToOne
    ? `(select row_to_json(t.*) from (${sql}) as t)`
    : `(select ${counted(`coalesce(json_agg(t.*), '[]')`, statement)} from (${sql}) as t)`
}

/** The columns of an embedding as columns of the row: of to-many, lists. */
function spreadRows(embed: Embed, alias: string, statement: Statements) {
  const { sql, names } = embeddedRows(embed, alias, statement)
  if (embed.isToOne) return { names, sql }
  const lists = names.map((name, at) => {
    const list = `coalesce(json_agg(t.${quote(name)}), '[]')`
    return `${at === 0 ? counted(list, statement) : list} as ${quote(name)}`
  })
  return { names, sql: `select ${lists.join(', ')} from (${sql}) as t` }
}

function embeddedRows(embed: Embed, alias: string, statement: Statements) {
  const { plan, isToOne } = embed
  const inner = statement.alias()
  const selection = select(plan, inner, statement)
  const { list, groups } = listOf(selection)
  const from = joined(embed, alias, inner, statement, selection.joins)
  const { query, scope } = plan
  const limit = isToOne ? 1 : Math.min(query.limit ?? scope.maxRows, scope.maxRows)
  const offset = query.offset > 0 ? ` offset ${statement.bind(query.offset)}` : ''
  const sql = `select ${list} ${from}${groups}${orderBy(plan, inner, statement)} limit ${limit}${offset}`
  return { sql, names: selection.outputs.map(({ name }) => name) }
}

/** `from` and `where` for the rows of an embedding that belong to a row, with the embedding's own filters. */
function joined(
  { relationship, through, plan }: Embed,
  alias: string,
  inner: string,
  statement: Statements,
  joins = '',
): string {
  const { pairs } = relationship
  const between = through && statement.alias()
  const conditions = pairs.map(
    ([own, other]) => `${between ?? inner}.${quote(other)} = ${alias}.${quote(own)}`,
  )
  const tables = [`${plan.scope.relation.sql} as ${inner}`]
  if (through && between) {
    for (const [own, other] of relationship.through?.pairs ?? [])
      conditions.push(`${inner}.${quote(other)} = ${between}.${quote(own)}`)
    conditions.push(...ownerConditions(through, between, statement))
    tables.push(`${through.relation.sql} as ${between}`)
  }
  conditions.push(...conditionsOf(plan, inner, statement))
  return `from ${tables.join(' cross join ')}${joins}${clause('where', conditions, ' and ')}`
}

/** All that a row must fulfill: its owner, the filters, and `!inner` embeddings, which must have rows. */
export function where(plan: ReadPlan, alias: string, statement: Statements): string {
  return clause('where', conditionsOf(plan, alias, statement), ' and ')
}

function conditionsOf(plan: ReadPlan, alias: string, statement: Statements): string[] {
  return [
    ...ownerConditions(plan.scope, alias, statement),
    ...plan.query.filters.map((filter) => compileFilter(plan, filter, alias, statement)),
    ...innerConditions(plan, alias, statement),
  ]
}

export function innerConditions(plan: ReadPlan, alias: string, statement: Statements): string[] {
  return plan.embeds
    .filter(({ embedding }) => embedding.inner)
    .map((embed) => exists(embed, alias, statement))
}

function exists(embed: Embed, alias: string, statement: Statements): string {
  const { limit, offset } = embed.plan.query
  const page =
    limit === undefined && offset === 0 ? '' : ` limit ${limit ?? 'all'} offset ${offset}`
  return `exists (select ${joined(embed, alias, statement.alias(), statement)}${page})`
}

/** Ownership is checked by row security and, here, by the query itself. */
function ownerConditions(scope: Scope, alias: string, statement: Statements): string[] {
  const { owner } = scope.rules
  const userId = userIdOf(scope)
  if (!owner || userId === undefined || scope.lookup !== undefined) return []
  const own = statement.bind(userId)
  const column = `${alias}.${quote(owner.column)}`
  if (!scope.parent) return [`${column} = ${own}`]
  const { relation, owner: parentOwner } = scope.parent
  const keys = relation.key.map(quote).join(', ')
  return [`${column} in (select ${keys} from ${relation.sql} where ${quote(parentOwner)} = ${own})`]
}

function userIdOf(scope: Scope): string | undefined {
  return scope.identity.role === 'authenticated' ? scope.identity.claims.sub : undefined
}

function compileFilter(
  plan: ReadPlan,
  filter: Filter,
  alias: string,
  statement: Statements,
): string {
  if (filter.kind !== 'comparison') {
    const terms = filter.terms.map((term) => compileFilter(plan, term, alias, statement))
    return `${not(filter.negated)}(${terms.join(` ${filter.kind} `)})`
  }
  const embed = embedOf(plan, filter)
  if (!embed) return compileComparison(plan.scope, filter, alias, statement)
  const isMissing = (filter.value === 'null') !== filter.negated
  return `${not(isMissing)}${exists(embed, alias, statement)}`
}

function compileComparison(
  scope: Scope,
  filter: ColumnFilter,
  alias: string,
  statement: Statements,
): string {
  const field = comparesKeys(scope, filter)
    ? `${alias}.${quote(filter.field.column)}`
    : fieldOf(scope, filter.field, alias, statement)
  const negation = not(filter.negated)
  const column = `${negation}${field}`
  const { operator } = filter
  if (operator === 'is') return `${column} is ${filter.value.replace('_', ' ')}`
  if (operator === 'in') return `${column} = any (${statement.bind(filter.value)})`
  if ('language' in filter) {
    const type = scope.relation.facts[scope.relation.columns.indexOf(filter.field.column)]?.type
    const language =
      filter.language === undefined ? '' : `${statement.bind(filter.language)}::regconfig, `
    const isVector = type === 'tsvector' && filter.field.path.length === 0
    const document = isVector ? field : `to_tsvector(${language}${field})`
    const search = `${searches[filter.operator]}(${language}${statement.bind(filter.value)})`
    return `${negation}${document} @@ ${search}`
  }
  const value = statement.bind(filter.value)
  const compared = 'quantifier' in filter ? `${filter.quantifier} (${value})` : value
  return `${column} ${comparisons[filter.operator]} ${compared}`
}

export function orderBy(plan: ReadPlan, alias: string, statement: Statements): string {
  const items = plan.query.order.map(({ field, embedding, direction, nulls }) => {
    const value =
      embedding === undefined
        ? fieldOf(plan.scope, field, alias, statement)
        : related(orderedBy(plan, embedding), field, alias, statement)
    return `${value} ${direction}${nulls ? ` nulls ${nulls}` : ''}`
  })
  return clause('order by', items, ', ')
}

function related(embed: Embed, field: ColumnPath, alias: string, statement: Statements): string {
  const inner = statement.alias()
  const value = fieldOf(embed.plan.scope, field, inner, statement)
  return `(select ${value} ${joined(embed, alias, inner, statement)} limit 1)`
}
