import type { Transaction } from '../../postgres/database.ts'
import { transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { presentUser } from '../present-user.ts'

/** Lists of any length: read in pages, newest first, in the order of their index. */
const pagedLists = {
  links: { from: 'api.shortened_urls', owner: 'user_id' },
  commissions: { from: 'api.commissions', owner: 'affiliate_user_id' },
} as const

/** Lists that the database bounds (docs/data-growth.md). */
const shortLists = {
  popups: `select to_jsonb(t) as row from api.popups t where t.user_id = $1 order by t.created_at desc, t.id desc`,
  bio_links: `select to_jsonb(t) as row from api.bio_links t
    where t.bio_page_id in (select p.id from api.bio_pages p where p.user_id = $1) order by t.link_order, t.id`,
  bio_social_links: `select to_jsonb(t) as row from api.bio_social_links t
    where t.bio_page_id in (select p.id from api.bio_pages p where p.user_id = $1) order by t.display_order, t.id`,
} as const

const pageSize = 1_000
const firstPage = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

/**
 * GET /user/export: everything that is kept about a person, as JSON to be saved. Their tables are read with their own
 * rights, so that nobody else's row can be in it. Written as it is read: somebody may have a million links.
 */
export async function exportOwnData(call: SignedInCall): Promise<Response> {
  const head = await facts(call)
  recordEvent(call, 'data exported', { user_id: call.user.id, session_id: call.session.id })
  return new Response(streamOf(document(call, head)), {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': 'attachment; filename="hoplet-export.json"',
      'Cache-Control': 'no-store',
    },
  })
}

async function* document(
  call: SignedInCall,
  head: Record<string, unknown>,
): AsyncGenerator<string> {
  const opening = {
    exported_at: new Date().toISOString(),
    account: presentUser(call.user),
    ...head,
  }
  yield JSON.stringify(opening, null, 2).slice(0, -2)
  for (const [name, list] of Object.entries(pagedLists)) yield* property(name, pages(call, list))
  for (const [name, text] of Object.entries(shortLists))
    yield* property(name, wholeList(call, text))
  yield '\n}\n'
}

/** One list of the document, written page by page. */
async function* property(name: string, list: AsyncGenerator<unknown[]>): AsyncGenerator<string> {
  yield `,\n  ${JSON.stringify(name)}: [`
  let separator = '\n'
  for await (const page of list) {
    if (page.length === 0) continue
    yield separator + page.map((row) => `    ${JSON.stringify(row)}`).join(',\n')
    separator = ',\n'
  }
  yield separator === '\n' ? ']' : '\n  ]'
}

async function* wholeList(call: SignedInCall, text: string): AsyncGenerator<unknown[]> {
  const { rows } = await asPerson(call, (db) => db.query<{ row: unknown }>(text, [call.user.id]))
  yield rows.map(({ row }) => row)
}

function streamOf(parts: AsyncGenerator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const part = await parts.next()
      if (part.done) controller.close()
      else controller.enqueue(encoder.encode(part.value))
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
}

async function* pages(
  call: SignedInCall,
  { from, owner }: { from: string; owner: string },
): AsyncGenerator<unknown[]> {
  let after = firstPage
  for (;;) {
    const { rows } = await asPerson(call, (db) =>
      db.query<{ at: string; id: string; row: unknown }>(pageQuery(from, owner), [
        call.user.id,
        after.at,
        after.id,
      ]),
    )
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(({ row }) => row)
    if (rows.length < pageSize) return
    after = last
  }
}

/** One page of a list, from the row after `$2` and `$3` on; exported for the test of its plan. */
export function pageQuery(from: string, owner: string): string {
  return `select t.created_at::text as at, t.id, to_jsonb(t) as row from ${from} t
    where t.${owner} = $1 and (t.created_at, t.id) < ($2::timestamptz, $3::uuid)
    order by t.created_at desc, t.id desc limit ${pageSize}`
}

/** All that is short. */
async function facts(call: SignedInCall): Promise<Record<string, unknown>> {
  await call.deps.securityEvents.flush()
  const { user } = call
  const own = await asPerson(call, (db) =>
    one(
      db,
      `select
        (select to_jsonb(p) from api.profiles p where p.id = $1) as profile,
        (select p.plan_type from api.user_plans p where p.user_id = $1) as plan,
        (select r.role from api.user_roles r where r.user_id = $1) as role,
        (select to_jsonb(u) from api.user_usage u where u.user_id = $1) as usage,
        (select to_jsonb(b) from api.bio_pages b where b.user_id = $1) as bio_page,
        (select to_jsonb(a) from api.affiliate_codes a where a.user_id = $1) as affiliate`,
      [user.id],
    ),
  )
  const security = await transaction(call, (db) =>
    one(
      db,
      `select
        coalesce((select jsonb_agg(to_jsonb(s) order by s.created_at) from (
          select id, created_at, refreshed_at as last_used_at, user_agent, ip as address, oauth_client_id as app_id, scope
          from auth.sessions where user_id = $1) s), '[]') as sessions,
        coalesce((select jsonb_agg(to_jsonb(c) order by c.granted_at) from (
          select client_id as app_id, scope, granted_at from auth.oauth_consents where user_id = $1) c), '[]') as connected_apps,
        coalesce((select jsonb_agg(to_jsonb(e) order by e.id) from (
          select id, at, event, address, user_agent, facts from auth.security_events where user_id = $1
          order by id desc limit 10000) e), '[]') as security_events`,
      [user.id],
    ),
  )
  const money = await call.deps.database.transactionAs(
    { role: 'hoplet_billing', readOnly: true },
    (db) =>
      one(
        db,
        `select coalesce(jsonb_agg(jsonb_build_object('number', number, 'currency', currency, 'paid_cents', paid_cents,
            'refunded_cents', refunded_cents, 'paid_at', paid_at) order by paid_at), '[]') as payments
          from app.billing_invoices where account_id = $1`,
        [user.id],
      ),
  )
  return { ...own, ...money, ...security }
}

async function one(
  db: Transaction,
  sql: string,
  values: unknown[],
): Promise<Record<string, unknown>> {
  const { rows } = await db.query<Record<string, unknown>>(sql, values)
  return rows[0] ?? {}
}

function asPerson<T>(call: SignedInCall, work: (db: Transaction) => Promise<T>): Promise<T> {
  const claims = { sub: call.user.id, session_id: call.session.id }
  return call.deps.database.transactionAs({ role: 'authenticated', claims, readOnly: true }, work)
}
