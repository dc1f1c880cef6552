import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '#server/log.ts'
import { type Database, openDatabase } from '#server/postgres/database.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { migrate } from '#server/postgres/migrate.ts'
import { queryAs } from '#server/postgres/rows.ts'
import { type Catalog, type ColumnFacts, readCatalog } from '#server/tables/catalog.ts'

const path = new URL('../domain/database.generated.ts', import.meta.url).pathname

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
  const rows = await queryAs<{ name: string; type: string }>(
    database,
    { role: 'hoplet_owner', readOnly: true },
    returnsSql,
    [schema],
  )
  const returns = new Map(rows.map(({ name, type }) => [name, type]))
  return [
    '// Generated from the migrations by `npm run fix`; `npm run check` fails when it differs.',
    '',
    '/** The rows of each relation of the schema `api`, as the table door answers with them. */',
    relationType('ApiRows', catalog, 'select'),
    '',
    '/** The columns that visitors may read. */',
    anonColumns(catalog),
    '',
    '/** The columns that a signed-in person may insert. */',
    relationType('ApiInserts', catalog, 'insert'),
    '',
    '/** The columns that a signed-in person may update. */',
    relationType('ApiUpdates', catalog, 'update'),
    '',
    '/** The functions that a signed-in person may call; a JSON value is `unknown`. */',
    functionsType(catalog, returns),
    '',
  ].join('\n')
}

function relationType(
  name: string,
  { relations }: Catalog,
  verb: 'select' | 'insert' | 'update',
): string {
  const blocks = [...relations.values()].flatMap((relation) => {
    const granted = relation.access.authenticated?.[verb]
    if (!granted) return []
    const lines = relation.columns.flatMap((column, at) => {
      const facts = relation.facts[at]
      if (!facts || !granted.includes(column)) return []
      const optional = verb === 'update' || (verb === 'insert' && facts.optional)
      return [`    ${column}${optional ? '?' : ''}: ${typeOfColumn(facts)}`]
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

function typeOfColumn({ type, nullable, choices }: ColumnFacts): string {
  const literals = choices?.map((one) => (typeof one === 'number' ? String(one) : `'${one}'`))
  const known = literals?.join(' | ') ?? typeOf(type)
  return nullable ? orNull(known) : known
}

function orNull(type: string): string {
  return type === 'unknown' ? type : `${type} | null`
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
