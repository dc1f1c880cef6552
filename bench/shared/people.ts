import type pg from 'pg'

export interface BenchUser {
  id: string
  headers: Record<string, string>
  /** As the app stores it in the browser. */
  session: unknown
}

/** An account made as the app makes it. */
export function signUp(url: string): Promise<BenchUser> {
  return enter(`${url}/auth/v1/signup`, `bench-${process.hrtime.bigint()}@example.com`)
}

/** The account of a database that is kept; made when it is missing. */
export async function signInOrUp(url: string, email: string): Promise<BenchUser> {
  return enter(`${url}/auth/v1/token?grant_type=password`, email).catch(() =>
    enter(`${url}/auth/v1/signup`, email),
  )
}

async function enter(address: string, email: string): Promise<BenchUser> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'correct horse 42' }),
  })
  if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`)
  const session = (await response.json()) as { access_token: string; user: { id: string } }
  const headers = { authorization: `Bearer ${session.access_token}` }
  return { id: session.user.id, headers, session }
}

/** The code of a person's link `n` of `addLinks`. */
export function codeOf(userId: string, n: number | string): string {
  return `${userId.slice(0, 8)}-${n}`
}

/** Inserts as the superuser without triggers, because no plan allows this many links. */
export async function addLinks(
  database: pg.Client,
  userId: string,
  from: number,
  to: number,
): Promise<void> {
  await database.query('begin')
  await database.query('set local session_replication_role = replica')
  await database.query(
    `with made as (
       insert into app.shortened_urls (user_id, short_code, original_url, is_custom, created_at)
       select $1, $2 || '-' || n, 'https://example.com/' || md5(n::text) || '/needle-' || n || '-?utm_source=letter', true,
         timestamptz '2026-01-01' + n * interval '1 second'
       from generate_series($3::int, $4::int - 1) n returning short_code)
     insert into app.names (name, kind, owner_id) select short_code, 'link', $1 from made`,
    [userId, userId.slice(0, 8), from, to],
  )
  await database.query(
    'update app.user_usage set total_shortened_urls = $2, total_custom_codes = $2 where user_id = $1',
    [userId, to],
  )
  await database.query('commit')
  // Autovacuum would do this within a minute.
  await database.query('vacuum analyze app.shortened_urls, app.names, app.user_usage')
}
