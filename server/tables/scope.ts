import type { Identity } from '../tokens/tokens.ts'
import { limitToApp } from './app-limits.ts'
import type { Access, Catalog, Relation } from './catalog.ts'
import { problems } from './errors.ts'
import type { Filter } from './parse-filters.ts'
import type { Query } from './parse-query.ts'
import type { RelationRules, SchemaRules } from './rules.ts'

/** A schema as this door serves it: what PostgreSQL grants, and the rules that grants cannot say. */
export interface ServedSchema {
  catalog: Catalog
  rules: SchemaRules
}

/** One relation as one identity may use it in one request. */
export interface Scope {
  relation: Relation
  rules: RelationRules
  access: Access
  identity: Identity
  maxRows: number
  /** The relation whose own rows `rules.owner.column` must name. */
  parent?: { relation: Relation; owner: string }
  /** What a public look-up asks for, `<relation>:<key>`; then the rows may be other people's. */
  lookup?: string
}

/**
 * @param verb what the request does with the relation; an app may be allowed one verb and not another
 * @throws {ProtocolError} 404 for an unknown relation, 401 or 403 for one that the identity may not use
 */
export function openScope(
  { catalog, rules: schemaRules }: ServedSchema,
  name: string,
  identity: Identity,
  verb: keyof Access = 'select',
): Scope {
  const relation = catalog.relations.get(name)
  if (!relation) throw problems.unknownRelation(name)
  const granted = relation.access[identity.role]
  if (!granted) throw problems.denied(`view ${name}`, identity.role === 'anon')
  const { access, rules } = limitToApp(
    { name, access: granted, rules: schemaRules.relations[name] ?? {} },
    identity,
    verb,
  )
  const parent = catalog.relations.get(rules.owner?.through ?? '')
  const owner = parent && schemaRules.relations[parent.name]?.owner?.column
  return {
    relation,
    rules,
    access,
    identity,
    maxRows: schemaRules.maxRows,
    ...(parent && owner !== undefined && { parent: { relation: parent, owner } }),
  }
}

/** The columns that a verb may name. @throws {ProtocolError} when the identity may not use the verb at all */
export function columnsFor(scope: Scope, verb: 'select' | 'insert' | 'update'): readonly string[] {
  const columns = scope.access[verb]
  if (!columns) throw denied(scope)
  return columns
}

/** @param column undefined for the relation as a whole */
export function denied({ relation, identity }: Scope, column?: string): Error {
  const what = column === undefined ? '' : `column ${column} of `
  return problems.denied(`${what}view ${relation.name}`, identity.role === 'anon')
}

/** Checks that a query names only columns that exist and that the identity may read. @throws {ProtocolError} */
export function checkReadable(scope: Scope, query: Query): void {
  checkColumns(scope, columnsIn(query), columnsFor(scope, 'select'), problems.unknownColumn)
}

/** Checks that columns exist and that the identity may name them. @throws {ProtocolError} `unknown` or 401 or 403 */
export function checkColumns(
  scope: Scope,
  columns: readonly string[],
  allowed: readonly string[],
  unknown: (relation: string, column: string) => Error,
): void {
  const { relation } = scope
  for (const column of columns) {
    if (!relation.columns.includes(column)) throw unknown(relation.name, column)
    if (!allowed.includes(column)) throw denied(scope, column)
  }
}

/** The columns of other people's rows that a public look-up shows. */
export function publicColumns({ relation }: Scope): readonly string[] {
  return relation.access.anon?.select ?? []
}

/**
 * Widens the scope to a public look-up when the query is one: it has the equality filter that the rules ask for and
 * names only public columns (with `*`, the private ones are null in other people's rows; see compile.ts).
 */
export function withLookup(scope: Scope, query: Query): Scope {
  const { lookup } = scope.rules
  if (!lookup || scope.identity.role === 'service_role') return scope
  const key = query.filters.find(
    (filter) =>
      filter.kind === 'comparison' &&
      filter.column === lookup.by &&
      filter.operator === 'eq' &&
      !filter.negated,
  )
  if (key?.kind !== 'comparison' || typeof key.value !== 'string' || !lookup.key.test(key.value))
    return scope
  const shown = publicColumns(scope)
  if (!columnsIn(query).every((column) => shown.includes(column))) return scope
  return { ...scope, lookup: `${scope.relation.name}:${key.value}` }
}

/** Every column that a query names, `*` aside. */
function columnsIn(query: Query): string[] {
  return [
    ...query.select.flatMap((item) => (item === '*' ? [] : [item.column])),
    ...query.filters.flatMap(columnsOf),
    ...query.order.map((ordering) => ordering.column),
  ]
}

function columnsOf(filter: Filter): string[] {
  return filter.kind === 'comparison' ? [filter.column] : filter.terms.flatMap(columnsOf)
}
