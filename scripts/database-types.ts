import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '#server/log.ts'
import { type Database, openDatabase } from '#server/postgres/database.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { migrate } from '#server/postgres/migrate.ts'
import { type Catalog, readCatalog } from '#server/tables/catalog.ts'

const path = new URL('../domain/database.generated.ts', import.meta.url).pathname

interface Column {
  relation: string
  name: string
  type: string
  nullable: boolean
  optional: boolean
  /** The definitions of the CHECKs on this column alone. */
  checks: string[]
}

/**
 * What a view does not know of its columns is taken from the table's column of the same name, when the view shows it as
 * it is; a comment on the view's column says the rest: `@notNull` for an expression, `@hasDefault` for a column that a
 * trigger fills.
 */
const columnsSql = `
  with sources as (
    select c.oid as relation, coalesce(d.refobjid, c.oid) as source
    from pg_class c left join pg_rewrite w on w.ev_class = c.oid
      left join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
        and d.refclassid = 'pg_class'::regclass and d.refobjid <> c.oid
    where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p', 'v') group by 1, 2
  )
  select a.attrelid::regclass::text as relation, a.attname::text as name, format_type(a.atttypid, null) as type,
    not coalesce(b.attnotnull, col_description(a.attrelid, a.attnum) like '%@notNull%', false) as nullable,
    coalesce(b.atthasdef or b.attidentity <> '' or not b.attnotnull, true)
      or coalesce(col_description(a.attrelid, a.attnum) like '%@hasDefault%', false) as optional,
    array(select pg_get_constraintdef(k.oid) from pg_constraint k
      where k.conrelid = b.attrelid and k.contype = 'c' and k.conkey = array[b.attnum]) as checks
  from sources s join pg_attribute a on a.attrelid = s.relation and a.attnum > 0 and not a.attisdropped
    left join pg_attribute b on b.attrelid = s.source and b.attname = a.attname and b.attnum > 0
      and pg_column_is_updatable(a.attrelid, a.attnum, false)
  order by 1, a.attnum`

const returnsSql = `
  select p.proname::text as name, format_type(p.prorettype, null) as type
  from pg_proc p where p.pronamespace = $1::regnamespace`

/** The TypeScript types of the schema `api`, read from a database that the migrations have just made. */
async function generate(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-types-'))
  const log = createLog('fatal')
  const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings })
  try {
    await migrate(postgres.url, log)
    const database = openDatabase(postgres.url, log)
    try {
      return await describe(database, 'api')
    } finally {
      await database.close()
    }
  } finally {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function describe(database: Database, schema: string): Promise<string> {
  const catalog = await readCatalog(database, schema)
  const { columns, returns } = await database.transactionAs(
    { role: 'hoplet_owner', readOnly: true },
    async (db) => {
      const [, { rows: columns }, { rows: returns }] = [
        await db.query(`set local search_path = ${schema}`),
        await db.query<Column & Record<string, unknown>>(columnsSql, [schema]),
        await db.query<{ name: string; type: string }>(returnsSql, [schema]),
      ]
      return { columns, returns: new Map(returns.map(({ name, type }) => [name, type])) }
    },
  )
  return [
    '// Generated from the migrations by `npm run fix`; `npm run check` fails when it differs.',
    '',
    '/** The rows of each relation of the schema `api`, as the table door answers with them. */',
    relationType('ApiRows', catalog, columns, 'select'),
    '',
    '/** The columns that visitors may read. */',
    anonColumns(catalog),
    '',
    '/** The columns that a signed-in person may insert. */',
    relationType('ApiInserts', catalog, columns, 'insert'),
    '',
    '/** The columns that a signed-in person may update. */',
    relationType('ApiUpdates', catalog, columns, 'update'),
    '',
    '/** The functions that a signed-in person may call; a JSON value is `unknown`. */',
    functionsType(catalog, returns),
    '',
  ].join('\n')
}

function relationType(
  name: string,
  { relations }: Catalog,
  columns: Column[],
  verb: 'select' | 'insert' | 'update',
): string {
  const blocks = [...relations.values()].flatMap((relation) => {
    const granted = relation.access.authenticated?.[verb]
    if (!granted) return []
    const lines = columns
      .filter((column) => column.relation === relation.name && granted.includes(column.name))
      .map((column) => {
        const optional = verb === 'update' || (verb === 'insert' && column.optional)
        return `    ${column.name}${optional ? '?' : ''}: ${typeOfColumn(column)}`
      })
    return [`  ${relation.name}: {`, ...lines, '  }']
  })
  return [`export type ${name} = {`, ...blocks, '}'].join('\n')
}

function anonColumns({ relations }: Catalog): string {
  const blocks = [...relations.values()].flatMap(({ name, access }) => {
    const columns = access.anon?.select
    return columns === undefined
      ? []
      : [`  ${name}: [`, ...columns.map((column) => `    '${column}',`), '  ],']
  })
  return ['export const anonColumns = {', ...blocks, '} as const'].join('\n')
}

function functionsType({ functions }: Catalog, returns: ReadonlyMap<string, string>): string {
  const blocks = [...functions.values()]
    .filter(({ roles }) => roles.includes('authenticated'))
    .flatMap((known) => {
      const args = known.args.map(
        ({ name, type, optional }) =>
          `${name}${optional ? '?' : ''}: ${optional ? orNull(typeOf(type)) : typeOf(type)}`,
      )
      const isRows = typeof known.returns === 'object'
      const value = typeOf(returns.get(known.name) ?? 'jsonb')
      const list = known.returns === 'list' ? `${value}[]` : value
      return [
        `  ${known.name}: {`,
        args.length > 0 ? `    Args: { ${args.join('; ')} }` : '    Args: Record<never, never>',
        `    Returns: ${isRows ? `ApiRows['${rowsOf(known.returns)}'][]` : list}`,
        '  }',
      ]
    })
  return ['export type ApiFunctions = {', ...blocks, '}'].join('\n')
}

function rowsOf(returns: 'void' | 'value' | 'list' | { rows: string }): string {
  return typeof returns === 'object' ? returns.rows : ''
}

function typeOfColumn({ type, nullable, checks }: Column): string {
  const choices = checks.map(choicesOf).find((found) => found !== undefined)
  return nullable ? orNull(choices ?? typeOf(type)) : (choices ?? typeOf(type))
}

function orNull(type: string): string {
  return type === 'unknown' ? type : `${type} | null`
}

/** The union that a CHECK like `position in ('top', 'bottom')` allows. */
function choicesOf(check: string): string | undefined {
  const list = /^CHECK \(\("?\w+"? = ANY \(ARRAY\[([^\]]+)\]\)\)\)$/.exec(check)?.[1]
  const items = list?.split(', ').map((item) => item.replace(/::text$/, ''))
  return items?.every((item) => /^('[\w-]+'|\d+)$/.test(item)) ? items.join(' | ') : undefined
}

function typeOf(type: string): string {
  if (type.endsWith('[]')) return `${typeOf(type.slice(0, -2))}[]`
  if (type === 'boolean') return 'boolean'
  if (type === 'void') return 'undefined'
  if (/^(smallint|integer|bigint|real|double precision|numeric)$/.test(type)) return 'number'
  return /^jsonb?$/.test(type) ? 'unknown' : 'string'
}

/** Writes the types; with `check`, only says whether they are up to date. */
export async function databaseTypes({ check = false } = {}): Promise<boolean> {
  const text = await generate()
  if (text === (await readFile(path, 'utf8').catch(() => ''))) return true
  if (!check) await writeFile(path, text)
  return !check
}
