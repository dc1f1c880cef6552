import type { RowFilter, ShownImport, ShownRow } from '#domain/transfer/import-shapes.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'

const worker = { role: 'hoplet_worker' } as const

/** Imports of an account, newest first. */
export async function listImports(database: Database, account: string): Promise<ShownImport[]> {
  return queryAs<ShownImport & Record<string, unknown>>(
    database,
    { ...worker, readOnly: true },
    `select ${columns} from app.imports i where i.user_id = $1 order by i.created_at desc limit 50`,
    [account],
  )
}

const columns = `i.id, i.source, i.name, i.state, i.undoes, i.notice, i.rows, i.bytes::float8 as bytes, i.hits::float8 as hits, i.headers,
  i.totals, i.results, app.import_allowance(i) as allowance, i.next_at, i.created_at, i.started_at, i.ended_at,
  coalesce(case i.choices ->> 'domain' when '' then ''
      else (select d.host from app.domains d where d.user_id = i.user_id and d.host = i.choices ->> 'domain') end,
    (select d.host from app.domains d where d.user_id = i.user_id and d.is_default and d.is_served), '') as domain,
  array(select d.host from app.domains d where d.user_id = i.user_id order by d.is_default desc, d.host) as domains`

/** Undefined for a foreign one. */
export async function showImport(
  database: Database,
  account: string,
  id: string,
): Promise<ShownImport | undefined> {
  const [shown] = await queryAs<ShownImport & Record<string, unknown>>(
    database,
    { ...worker, readOnly: true },
    `select ${columns} from app.imports i where i.user_id = $1 and i.id = $2`,
    [account, id],
  )
  return shown
}

export interface RowsQuery {
  outcome: RowFilter | undefined
  /** The place of the last row of the page before. */
  after: number
  limit: number
}

/** A page of rows of an own import, in their order. */
export async function listRows(
  database: Database,
  account: string,
  id: string,
  { outcome, after, limit }: RowsQuery,
): Promise<ShownRow[]> {
  return queryAs<ShownRow & Record<string, unknown>>(
    database,
    { ...worker, readOnly: true, statementTimeout: 15_000 },
    `select r.place, r.label, r.link ->> 'short_code' as code, nullif(r.link ->> 'domain', '') as domain,
        coalesce(r.link ->> 'original_url', r.link ->> 'url') as url, r.link ->> 'title' as title, r.outcome, r.notes,
        r.losses, r.choice, r.result, r.before_url as present_url,
        case when r.outcome is null and jsonb_typeof(r.record) = 'array'
          then array(select left(c, 300) from jsonb_array_elements_text(r.record) c limit 50) end as cells
      from app.import_rows r join app.imports i on i.id = r.import_id
      where i.id = $2 and i.user_id = $1 and r.place > $3 and ${conditionOf(outcome)}
      order by r.place limit $4`,
    [account, id, after, limit],
  )
}

function conditionOf(outcome: RowsQuery['outcome']): string {
  if (outcome === undefined) return 'true'
  if (outcome === 'loses') return `r.outcome = 'made' and r.losses <> '{}'`
  return `r.${outcome === 'failed' || outcome === 'kept' ? 'result' : 'outcome'} = '${outcome}'`
}
