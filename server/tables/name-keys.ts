import { nameOfKey } from '../visits/names/name-key.ts'
import type { Context } from '../context.ts'
import type { Claims } from '../postgres/begin.ts'
import { queryAs } from '../postgres/rows.ts'
import { equalityOf, type ColumnFilter, type Filter } from './parse/parse-filters.ts'
import type { Query } from './parse/query.ts'
import type { Scope } from './scope.ts'

// A column that holds the key of a name (docs/decisions/0009) shows the name; its row has the domain in another column. Equalities
// compare keys, by the index; all other operators compare names.

/** Operators that compare keys. */
const byKey = new Set<ColumnFilter['operator']>(['eq', 'neq', 'in'])

/** No name has it, so it finds nothing. */
const noKey = '/'

/** Whether a filter compares keys, and not names. */
export function comparesKeys({ rules }: Scope, filter: ColumnFilter): boolean {
  const { field, operator } = filter
  const isWhole = field.path.length === 0 && !('quantifier' in filter)
  return isWhole && field.column === rules.nameKey && byKey.has(operator)
}

/** A column as SQL: of a key, the name. */
export function shownColumn({ rules }: Scope, column: string, sql: string): string {
  return column === rules.nameKey ? nameOfKey(sql) : sql
}

/**
 * The query with keys where it compares names: `go.example/menu`, or `menu` beside the equality `domain=eq.go.example`. A bare name
 * is that of the own host. Names in filters of embedded rows are of the own host too.
 */
export async function withNameKeys(
  { deps }: { deps: Pick<Context, 'database'> },
  scope: Scope,
  query: Query,
): Promise<Query> {
  const { nameKey } = scope.rules
  if (nameKey === undefined) return query
  const domain = query.filters.map(equalityOf).find((each) => each?.column === 'domain')?.value
  const named = new Set<string>()
  const textOf = (value: string) =>
    domain === undefined || value.includes('/') ? value : `${domain}/${value}`
  const visit = (filter: Filter, change: (text: string) => string): Filter => {
    if (filter.kind !== 'comparison')
      return { ...filter, terms: filter.terms.map((term) => visit(term, change)) }
    if (!comparesKeys(scope, filter)) return filter
    if (filter.operator === 'in')
      return { ...filter, value: filter.value.map((each) => change(textOf(each))) }
    return 'language' in filter ? filter : { ...filter, value: change(textOf(filter.value)) }
  }
  for (const filter of query.filters)
    visit(filter, (text) => {
      if (text.includes('/')) named.add(text)
      return text
    })
  if (named.size === 0) return query
  const keys = await readKeys(deps.database, scope.identity.claims, [...named])
  const filters = query.filters.map((filter) => visit(filter, (text) => keys.get(text) ?? text))
  return { ...query, filters }
}

/** Keys of texts that name a link or page, `menu` or `go.example/menu`, for the account of these claims. */
export async function readKeys(
  database: Context['database'],
  claims: Claims,
  texts: readonly string[],
): Promise<Map<string, string>> {
  const keys = new Map(texts.map((text) => [text, text]))
  const onHosts = texts.filter((text) => text.includes('/'))
  if (onHosts.length === 0) return keys
  const rows = await queryAs<{ named: string; key: string | null }>(
    database,
    { role: 'hoplet_visits', claims, readOnly: true },
    'select w.named, app.key_of(w.named) as key from unnest($1::text[]) as w (named)',
    [onHosts],
  )
  for (const { named, key } of rows) keys.set(named, key ?? noKey)
  return keys
}
