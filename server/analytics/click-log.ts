import * as z from 'zod'
import type { Context } from '../context.ts'
import type { HttpCall } from '../http/router.ts'
import { type Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import type { Person } from '../tokens/person.ts'
import { requireHits } from './asked-hits.ts'

export const clickLogQuery = z.object({ scope: z.literal('account', 'scope must be account') })

interface ClickLogCall extends HttpCall {
  deps: Pick<Context, 'database' | 'visits'>
  person: Person
}

interface ClickLog {
  /** Hits of the account that are in this server's journal and not in the database yet; null when that is not known. */
  waiting: number | null
  /** The age of the oldest of them; 0 when there is none. */
  lag_seconds: number | null
}

/** The hits of an account that no report can know yet. Says nothing about the hits of others that wait. */
export async function readClickLog({ deps, person }: ClickLogCall): Promise<ClickLog> {
  const { database, visits } = deps
  await requireHits({ database, person, asked: { scope: 'account' } })
  const targets = await visits.waiting()
  if (!targets) return { waiting: null, lag_seconds: null }
  const now = Date.now()
  let waiting = 0
  let oldest = now
  for (const id of await ownTargets(database, person, [...targets.keys()])) {
    const hits = targets.get(id.replaceAll('-', ''))
    waiting += hits?.count ?? 0
    oldest = Math.min(oldest, hits?.oldestAt ?? now)
  }
  return { waiting, lag_seconds: Math.round((now - oldest) / 1_000) }
}

/** Which of these ids are the person's, whether they had a hit before (then they have a scope) or not. */
async function ownTargets(
  database: Database,
  person: Person,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const known = await queryAs<{ id: string }>(
    database,
    { role: 'hoplet_visits', readOnly: true },
    'select ref as id from app.click_scopes where ref = any ($1::uuid[]) and user_id = $2',
    [ids, person.id],
  )
  // The condition on the owner is for admins, who see everyone's.
  const mine = await queryAs<{ id: string }>(
    database,
    { role: 'authenticated', claims: person.claims, readOnly: true },
    `select id from api.shortened_urls where id = any ($1::uuid[]) and user_id = $2
      union all select id from api.bio_pages where id = any ($1::uuid[]) and user_id = $2
      union all select l.id from api.bio_links l join api.bio_pages b on b.id = l.bio_page_id
        where l.id = any ($1::uuid[]) and b.user_id = $2`,
    [ids, person.id],
  )
  return new Set([...known, ...mine].map(({ id }) => id))
}
