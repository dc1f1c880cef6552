import { orThrow } from '../primitives/or-throw.ts'
import type { Identity } from '../tokens/tokens.ts'
import { limitRights } from './limit-rights.ts'
import type { Access, Catalog, Relation } from './catalog/catalog.ts'
import { problems } from './errors.ts'
import type { RelationRules, SchemaRules } from './rule-types.ts'

/** A schema as this door serves it: its grants, and the rules that grants cannot express. */
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
  /** The relation with rows that `rules.owner.column` must name. */
  parent?: { relation: Relation; owner: string }
  /** Key of a public look-up, `<relation>:<key>`; then the rows may be other people's. */
  lookup?: string
}

/**
 * @param verb the verb of the request; an app may be allowed one verb and not another
 * @throws {ProtocolError} 404 for an unknown relation, 401 or 403 for one that the identity may not use
 */
export function openScope(
  { catalog, rules: schemaRules }: ServedSchema,
  name: string,
  identity: Identity,
  verb: keyof Access = 'select',
): Scope {
  const relation = orThrow(catalog.relations.get(name), () => problems.unknownRelation(name))
  const granted = orThrow(relation.access[identity.role], () =>
    problems.denied(`view ${name}`, identity.role === 'anon'),
  )
  const { access, rules } = limitRights(
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
  return orThrow(scope.access[verb], () => denied(scope))
}

/** @param column undefined for the relation as a whole */
export function denied({ relation, identity }: Scope, column?: string): Error {
  const what = column === undefined ? '' : `column ${column} of `
  return problems.denied(`${what}view ${relation.name}`, identity.role === 'anon')
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
