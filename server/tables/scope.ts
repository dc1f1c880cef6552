import type { Identity } from '../tokens/tokens.ts'
import { limitToApp } from './app-limits.ts'
import { problems } from './errors.ts'
import { type Access, exposed, type Relation } from './exposure.ts'
import type { Filter } from './parse-filters.ts'
import type { Query } from './parse-query.ts'

/** One relation as one caller may use it in one request. */
export interface Scope {
  name: string
  relation: Relation
  access: Access
  identity: Identity
  /** The key that a public look-up asks for; then the rows may be other people's. */
  lookup?: string
  requestId?: string
}

/**
 * @param verb what the request does with the relation; an app may be allowed one and not the other
 * @throws {ProtocolError} 404 for an unknown relation, 401 or 403 for one that the caller may not touch
 */
export function openScope(name: string, identity: Identity, verb: keyof Access = 'select'): Scope {
  const relation = exposed.get(name)
  if (!relation) throw problems.unknownRelation(name)
  const access = relation.access[identity.role]
  if (!access) throw problems.denied(`view ${name}`, identity.role === 'anon')
  return { name, identity, ...limitToApp(name, { relation, access }, identity, verb) }
}

/** The columns that a verb may name. @throws {ProtocolError} when the caller may not use the verb at all */
export function columnsFor(scope: Scope, verb: 'select' | 'insert' | 'update'): readonly string[] {
  const columns = scope.access[verb]
  if (!columns) throw denied(scope)
  return columns
}

export function denied(scope: Scope): Error {
  return problems.denied(`view ${scope.name}`, scope.identity.role === 'anon')
}

/** Checks that a query names only columns that are there and that the caller may read. @throws {ProtocolError} */
export function checkReadable(scope: Scope, query: Query): void {
  const readable = columnsFor(scope, 'select')
  for (const column of columnsIn(query)) {
    if (!scope.relation.columns.includes(column)) throw problems.unknownColumn(scope.name, column)
    if (!readable.includes(column)) {
      throw problems.denied(
        `column ${column} of view ${scope.name}`,
        scope.identity.role === 'anon',
      )
    }
  }
}

/**
 * Widens the scope to a public look-up when the query is one: it has the equality filter that the exposure asks for,
 * and names only public columns (with `*`, the private ones are null in other people's rows; see compile.ts).
 */
export function withLookup(scope: Scope, query: Query): Scope {
  const { lookup } = scope.relation
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
  if (!columnsIn(query).every((column) => lookup.columns.includes(column))) return scope
  return { ...scope, lookup: `${scope.name}:${key.value}` }
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
