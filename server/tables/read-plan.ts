import { orThrow } from '../primitives/or-throw.ts'
import { problems } from './errors.ts'
import { type ColumnFilter, equalityOf, type Filter } from './parse/parse-filters.ts'
import { embeddedName } from './parse/parse-select.ts'
import type { Embedding, Query, SelectedField, SelectItem } from './parse/query.ts'
import { findRelationship, type Relationship } from './catalog/relationships.ts'
import {
  checkColumns,
  columnsFor,
  openScope,
  publicColumns,
  type Scope,
  type ServedSchema,
} from './scope.ts'

/** A query with checked names: against the catalog, the grants, and the rights of an app. */
export interface ReadPlan {
  scope: Scope
  query: Query
  embeds: readonly Embed[]
}

/** An embedding with its rows. */
export interface Embed {
  embedding: Embedding
  name: string
  relationship: Relationship
  isToOne: boolean
  /** The relation in between, of many-to-many. */
  through?: Scope
  plan: ReadPlan
}

/** @throws {ProtocolError} for names that do not exist, or that the identity may not read */
export function planRead(
  served: ServedSchema,
  scope: Scope,
  asked: Query,
  isEmbedded = false,
): ReadPlan {
  if (!served.rules.aggregates && fieldsOf(asked).some((item) => item.aggregate))
    throw problems.aggregate()
  const query = isEmbedded ? withRowCount(scope, asked) : asked
  const embeds = query.select
    .filter((item) => item.kind === 'embedding')
    .map((item) => planEmbed(served, scope, item))
  const plan = { scope, query, embeds }
  checkNames(embeds)
  checkColumns(scope, columnsIn(plan), columnsFor(scope, 'select'), problems.unknownColumn)
  checkColumns(
    scope,
    comparedIn(plan),
    scope.relation.columns.filter((column) => !scope.rules.passwords?.includes(column)),
    problems.unknownColumn,
  )
  for (const { embedding } of query.order) if (embedding !== undefined) orderedBy(plan, embedding)
  return plan
}

function planEmbed(served: ServedSchema, scope: Scope, embedding: Embedding): Embed {
  const relationship = findRelationship(served.catalog, scope.relation.name, embedding)
  const { to, pairs, cardinality, through } = relationship
  const inner = openScope(served, to, scope.identity)
  const between = through && openScope(served, through.relation, scope.identity)
  const check = (checked: Scope, columns: readonly string[]) =>
    checkColumns(checked, columns, columnsFor(checked, 'select'), problems.unknownColumn)
  check(
    between ?? inner,
    pairs.map(([, column]) => column),
  )
  if (between && through) {
    check(
      between,
      through.pairs.map(([column]) => column),
    )
    check(
      inner,
      through.pairs.map(([, column]) => column),
    )
  }
  return {
    embedding,
    name: embeddedName(embedding),
    relationship,
    isToOne: cardinality === 'many-to-one' || cardinality === 'one-to-one',
    ...(between && { through: between }),
    plan: planRead(served, inner, embedding.query, true),
  }
}

/** `bio_links(count)` counts the related rows, also where aggregates are off: it reads no more rows than `bio_links(id)`. */
function withRowCount({ relation }: Scope, query: Query): Query {
  if (relation.columns.includes('count')) return query
  const select = query.select.map((item): SelectItem => {
    if (item.kind !== 'field' || item.aggregate) return item
    const { field, cast, ...rest } = item
    if (field?.column !== 'count' || field.path.length > 0) return item
    return { ...rest, aggregate: 'count', aggregateCast: cast }
  })
  return { ...query, select }
}

/** Two embeddings with one name would be one key of the row. @throws {ProtocolError} 42712 */
function checkNames(embeds: readonly Embed[]): void {
  const names = embeds.filter(({ embedding }) => !embedding.spread).map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw problems.namedTwice(twice)
}

/** The embedding that an order or a filter names. @throws {ProtocolError} PGRST108, PGRST118 */
export function orderedBy({ scope, embeds }: ReadPlan, name: string): Embed {
  const embed = embeds.find((each) => each.name === name)
  const found = orThrow(embed, () => problems.notEmbedded(name))
  if (!found.isToOne) throw problems.notToOne(scope.relation.name, name)
  return found
}

/** The embedding that a filter asks for: `popup=is.null`, `popup=not.is.null`. */
export function embedOf({ scope, embeds }: ReadPlan, filter: ColumnFilter): Embed | undefined {
  const { column, path } = filter.field
  const asks = filter.operator === 'is' && /^(not_)?null$/.test(filter.value) && path.length === 0
  if (!asks || scope.relation.columns.includes(column)) return undefined
  return embeds.find(({ name }) => name === column)
}

/**
 * Widens the scope to a public look-up when the query is one: it has the equality filter that the rules ask for and
 * names only public columns (with `*`, the private ones are null in other people's rows; see compile-rows.ts). Its embeddings are
 * not widened: it shows the caller's own rows.
 */
export function withLookup(plan: ReadPlan): ReadPlan {
  const { scope, query } = plan
  const { lookup } = scope.rules
  if (!lookup || scope.identity.role === 'service_role') return plan
  const key = query.filters.map(equalityOf).find((each) => each?.column === lookup.by)
  if (!key || !lookup.key.test(key.value)) return plan
  const shown = publicColumns(scope)
  if (!columnsIn(plan).every((column) => shown.includes(column))) return plan
  return { ...plan, scope: { ...scope, lookup: `${scope.relation.name}:${key.value}` } }
}

function fieldsOf({ select }: Query): SelectedField[] {
  return select.filter((item) => item.kind === 'field')
}

function comparisonsIn(filter: Filter): ColumnFilter[] {
  return filter.kind === 'comparison' ? [filter] : filter.terms.flatMap(comparisonsIn)
}

/** The columns of its own relation that a query filters or orders by. */
function comparedIn(plan: ReadPlan): string[] {
  const { filters, order } = plan.query
  const compared = filters.flatMap(comparisonsIn).filter((filter) => !embedOf(plan, filter))
  const ordered = order.filter(({ embedding }) => embedding === undefined)
  return [...compared, ...ordered].map(({ field }) => field.column)
}

/** Every column of its own relation that a query names, `*` aside; also those that its embeddings are joined by. */
function columnsIn(plan: ReadPlan): string[] {
  const { query, embeds } = plan
  return [
    ...fieldsOf(query)
      .map(({ field }) => field?.column)
      .filter((column) => column !== undefined),
    ...comparedIn(plan),
    ...embeds.flatMap(({ relationship }) => relationship.pairs.map(([column]) => column)),
  ]
}
