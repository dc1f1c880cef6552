import { randomUUID } from 'node:crypto'
import type { TestDatabase } from '#test/database.ts'

type Sql = TestDatabase['sql']

/** Inserts an account directly into the database. */
export async function plantOwner(sql: Sql): Promise<string> {
  const id = randomUUID()
  await sql('insert into auth.users (id, email) values ($1, $2)', [id, `${id}@example.com`])
  return id
}

export interface Planted {
  id: string
  code: string
  url: string
}

/**
 * Inserts links directly into the database, by default of a new account, without triggers and quotas. Caches get no
 * notification.
 */
export async function plantLinks(
  sql: Sql,
  links: readonly { code: string; url: string }[],
  ofOwner?: string,
): Promise<Planted[]> {
  const owner = ofOwner ?? (await plantOwner(sql))
  const planted = links.map((link) => ({ id: randomUUID(), ...link }))
  const rows = JSON.stringify(planted).replaceAll("'", "''")
  // Sent as one simple query, so all statements run on one connection and the setting ends with the transaction.
  await sql(`
    begin;
    set local session_replication_role = replica;
    insert into app.names (name, kind, owner_id)
      select code, 'link', '${owner}' from json_to_recordset('${rows}') as l (code text);
    insert into app.shortened_urls (id, user_id, short_code, original_url)
      select id, '${owner}', code, url from json_to_recordset('${rows}') as l (id uuid, code text, url text);
    commit`)
  return planted
}

/** Inserts placements with each of these marks of each of these links, named by their mark. */
export async function plantPlacements(
  sql: Sql,
  links: readonly string[],
  marks: readonly string[],
): Promise<void> {
  await sql(
    `insert into app.placements (link_id, user_id, name, mark)
      select l.id, l.user_id, m, m from app.shortened_urls l cross join unnest($2::text[]) m where l.id = any ($1)`,
    [links, marks],
  )
}

/** Inserts a domain of a new account, by default one that is served and proven. */
export async function plantDomain(
  sql: Sql,
  host: string,
  columns: Record<string, unknown> = {},
): Promise<{ id: number; owner: string }> {
  const owner = typeof columns['user_id'] === 'string' ? columns['user_id'] : await plantOwner(sql)
  const all = { user_id: owner, host, is_served: true, is_proven: true, ...columns }
  const places = Object.keys(all).map((_, i) => `$${i + 1}`)
  const [row] = await sql<{ id: number }>(
    `insert into app.domains (${Object.keys(all).join()}) values (${places.join()}) returning id`,
    Object.values(all),
  )
  if (!row) throw new Error('no domain was planted')
  return { id: row.id, owner }
}

/** The click count of a link in the database. */
export async function countOf(sql: Sql, id: string): Promise<number> {
  const [row] = await sql<{ click_count: string }>(
    'select click_count from app.shortened_urls where id = $1',
    [id],
  )
  return Number(row?.click_count ?? -1)
}
