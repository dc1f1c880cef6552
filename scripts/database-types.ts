import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '#server/log.ts'
import { type Database, openDatabase } from '#server/postgres/database.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { migrate } from '#server/postgres/migrate.ts'
import { queryAs } from '#server/postgres/rows.ts'
import {
  type Catalog,
  type ColumnFacts,
  readCatalog,
  type Relation,
} from '#server/tables/catalog/catalog.ts'

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
  const lines = [
    '// Generated from the migrations by `npm run fix`; `npm run check` fails when it differs.',
    '',
    '/** The rows of each relation of the schema `api`, as the table door answers with them. */',
    rowsType(catalog),
    '',
    '/** The columns that visitors may read. */',
    anonColumns(catalog),
    '',
    'type Written<R extends keyof ApiRows, Need extends keyof ApiRows[R], May extends keyof ApiRows[R]> =',
    '  Pick<ApiRows[R], Need> & Partial<Pick<ApiRows[R], May>>',
    '',
    '/** The columns that a signed-in person may insert: those that each row needs, and the others. */',
    writtenType('ApiInserts', catalog, 'insert'),
    '',
    '/** The columns that a signed-in person may update. */',
    writtenType('ApiUpdates', catalog, 'update'),
    '',
    'type Fn<Args, Returns> = { Args: Args; Returns: Returns }',
    '',
    '/** The functions that a signed-in person may call; a JSON value is `unknown`. */',
    functionsType(catalog, returns),
    '',
  ]
  return lines.join('\n').replaceAll(/^.{121,}$/gm, fold)
}

/** Breaks a long line between two columns or arguments. */
function fold(line: string): string {
  return line.replaceAll(/(?=.{117})(.{1,112}(?:[,;]|' \|)) /g, '$1\n    ')
}

function rowsType({ relations }: Catalog): string {
  const blocks = [...relations.values()].flatMap((relation) => {
    const readable = relation.access.authenticated?.select
    if (!readable) return []
    const lines = factsOf(relation, readable).map(
      ([column, facts]) => `    ${column}: ${typeOfColumn(facts)}`,
    )
    return [`  ${relation.name}: {`, ...lines, '  }']
  })
  return ['export type ApiRows = {', ...blocks, '}'].join('\n')
}

/** The columns of each relation that a person may write, with the types of its rows. Columns without a right to read have their own. */
function writtenType(name: string, { relations }: Catalog, verb: 'insert' | 'update'): string {
  const lines = [...relations.values()].flatMap((relation) => {
    const { select = [], [verb]: granted } = relation.access.authenticated ?? {}
    if (!granted) return []
    const known = factsOf(relation, granted).map(([column, facts]) => ({
      column,
      facts,
      may: verb === 'update' || facts.optional,
    }))
    const read = known.filter(({ column }) => select.includes(column))
    const unread = known
      .filter(({ column }) => !select.includes(column))
      .map(({ column, facts, may }) => `${column}${may ? '?' : ''}: ${typeOfColumn(facts)}`)
    const rest = unread.length > 0 ? ` & { ${unread.join('; ')} }` : ''
    const need = union(read.filter(({ may }) => !may))
    const may = union(read.filter((one) => one.may))
    return [`  ${relation.name}: Written<'${relation.name}', ${need}, ${may}>${rest}`]
  })
  return [`export type ${name} = {`, ...lines, '}'].join('\n')
}

function factsOf({ columns, facts }: Relation, granted: readonly string[]) {
  return columns.flatMap((column, at): [string, ColumnFacts][] => {
    const known = facts[at]
    return known && granted.includes(column) ? [[column, known]] : []
  })
}

function union(columns: readonly { column: string }[]): string {
  return columns.map(({ column }) => `'${column}'`).join(' | ') || 'never'
}

function anonColumns({ relations }: Catalog): string {
  const lines = [...relations.values()].flatMap(({ name, access }) => {
    const columns = access.anon?.select
    return columns ? [`  ${name}: [${columns.map((column) => `'${column}'`).join(', ')}],`] : []
  })
  return ['export const anonColumns = {', ...lines, '} as const'].join('\n')
}

function functionsType({ functions }: Catalog, returns: ReadonlyMap<string, string>): string {
  const lines = [...functions.values()]
    .filter(({ roles }) => roles.includes('authenticated'))
    .map((known) => {
      const args = known.args.map(
        ({ name, type, optional }) =>
          `${name}${optional ? '?' : ''}: ${optional ? orNull(typeOf(type)) : typeOf(type)}`,
      )
      const isRows = typeof known.returns === 'object'
      const value = typeOf(returns.get(known.name) ?? 'jsonb')
      const list = known.returns === 'list' ? `${value}[]` : value
      const given = args.length > 0 ? `{ ${args.join('; ')} }` : 'Record<never, never>'
      return `  ${known.name}: Fn<${given}, ${isRows ? `ApiRows['${rowsOf(known.returns)}'][]` : list}>`
    })
  return ['export type ApiFunctions = {', ...lines, '}'].join('\n')
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
