import type { Database } from '../../postgres/database.ts'
import foreignKeysSql from './foreign-keys.sql?raw'
import functionsSql from './functions.sql?raw'
import relationsSql from './relations.sql?raw'

/** The database roles that a request can run as. */
export type ApiRole = 'anon' | 'authenticated' | 'service_role'

/** The columns a role may name for each verb; an absent verb is refused. */
export interface Access {
  select?: readonly string[]
  insert?: readonly string[]
  update?: readonly string[]
  delete?: true
}

/** A column, as a reader and a writer of it need to know it. */
export interface ColumnFacts {
  /** As PostgreSQL writes it: `timestamp with time zone`, `text[]`. */
  type: string
  nullable: boolean
  /** An insert may leave it out. */
  optional: boolean
  /** The only values that a CHECK like `position in ('top', 'bottom')` allows. */
  choices?: readonly (string | number)[]
}

export interface Relation {
  name: string
  /** Schema and name, quoted for SQL. */
  sql: string
  /** Every column, in the relation's order: `*`. */
  columns: readonly string[]
  /** Facts about each, in the same order. */
  facts: readonly ColumnFacts[]
  /** The primary key, of a view that of its table: compared by an upsert without `on_conflict`, and named in Location. */
  key: readonly string[]
  access: Readonly<Partial<Record<ApiRole, Access>>>
  /** Its comment in the database, or ''. */
  description: string
}

interface FunctionArgument {
  name: string
  /** As PostgreSQL writes it, ready for a cast. */
  type: string
  /** It has a default. */
  optional: boolean
}

export interface ApiFunction {
  name: string
  /** Schema and name, quoted for SQL. */
  sql: string
  args: readonly FunctionArgument[]
  /** `rows` of the relation named, a list of anything else, one JSON value, or nothing (204). */
  returns: 'void' | 'value' | 'list' | { rows: string }
  /** Stable or immutable: may be called with GET, in a read-only transaction. */
  stable: boolean
  roles: readonly ApiRole[]
  /** Its comment in the database, or ''. */
  description: string
}

/** A foreign key between two relations that the schema shows. */
export interface ForeignKey {
  name: string
  from: string
  columns: readonly string[]
  to: string
  referenced: readonly string[]
  /** At most one row refers to each. */
  isUnique: boolean
}

/** Contents of a schema by role: its grants are the only list of names for clients. */
export interface Catalog {
  relations: ReadonlyMap<string, Relation>
  functions: ReadonlyMap<string, ApiFunction>
  /** Names of functions with several signatures, which are not served. */
  overloaded: ReadonlySet<string>
  foreignKeys: readonly ForeignKey[]
}

interface RelationRow extends Omit<Relation, 'access' | 'facts'> {
  /** `checks`: the definitions of the CHECKs on this column alone. */
  facts: (Omit<ColumnFacts, 'choices'> & { checks: string[] })[]
  grants: { role: ApiRole; verb: 'select' | 'insert' | 'update' | 'delete'; columns: string[] }[]
}

/** Reads the grants of the API roles in a schema. Nothing is cached here. */
export async function readCatalog(
  database: Pick<Database, 'transactionAs'>,
  schema: string,
): Promise<Catalog> {
  return database.transactionAs({ role: 'anon', readOnly: true }, async (db) => {
    const relations = await db.query<RelationRow & Record<string, unknown>>(relationsSql, [schema])
    const functions = await db.query<ApiFunction & Record<string, unknown>>(functionsSql, [schema])
    const keys = await db.query<ForeignKey & Record<string, unknown>>(foreignKeysSql, [schema])
    const names = functions.rows.map(({ name }) => name)
    const overloaded = new Set(names.filter((name, at) => names.indexOf(name) !== at))
    const single = functions.rows.filter(({ name }) => !overloaded.has(name))
    return {
      relations: new Map(relations.rows.map((row) => [row.name, toRelation(row)])),
      functions: new Map(single.map((row) => [row.name, row])),
      overloaded,
      foreignKeys: keys.rows,
    }
  })
}

function toRelation({ grants, facts, ...relation }: RelationRow): Relation {
  const access: Partial<Record<ApiRole, Access>> = {}
  for (const { role, verb, columns } of grants) {
    access[role] = {
      ...access[role],
      ...(verb === 'delete' ? { delete: true } : { [verb]: columns }),
    }
  }
  return { ...relation, access, facts: facts.map(toFacts) }
}

function toFacts({ checks, ...facts }: RelationRow['facts'][number]): ColumnFacts {
  const choices = checks.map(choicesOf).find((found) => found !== undefined)
  return choices === undefined ? facts : { ...facts, choices }
}

function choicesOf(check: string): (string | number)[] | undefined {
  const list = /^CHECK \(\("?\w+"? = ANY \(ARRAY\[([^\]]+)\]\)\)\)$/.exec(check)?.[1]
  const items = list?.split(', ').map((item) => item.replace(/::text$/, ''))
  if (!items?.every((item) => /^('[\w-]+'|\d+)$/.test(item))) return undefined
  return items.map((item) => (item.startsWith("'") ? item.slice(1, -1) : Number(item)))
}
