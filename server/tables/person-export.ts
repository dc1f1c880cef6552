import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { namedCode, nameOfKey } from '../visits/names/name-key.ts'
import type { Person, PersonExport } from '../tokens/person.ts'

interface PagedList {
  from: string
  owner: string
  /** Additional facts of a row `t`: a JSON object in SQL. */
  also?: string
}

const sharedReport = `select jsonb_build_object('title', r.title, 'shown_name', r.shown_name, 'token', r.token,
  'enabled', r.enabled, 'has_password', r.has_password, 'expires_at', r.expires_at, 'created_at', r.created_at)
  from api.shared_reports r`

/** Lists of any length: read in pages, newest first, in the order of their index. */
export const pagedLists = {
  links: {
    from: 'api.shortened_urls',
    owner: 'user_id',
    also: `jsonb_build_object('short_code', ${nameOfKey('t.short_code')}, 'history', api.link_history(${namedCode('t')}), 'rules', api.link_rules(t.id) -> 'rules',
      'destination_check', api.destination_check(t.id),
      'shared_report', (${sharedReport} where r.link_id = t.id))`,
  },
  leads: { from: 'api.leads', owner: 'user_id' },
  commissions: { from: 'api.commissions', owner: 'affiliate_user_id' },
} as const satisfies Record<string, PagedList>

const pageSize = 1_000
const firstPage = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

/** A person's rows of the schema `api`, read with the person's own rights: no other person's row can be among them. */
export function exportOfTables(database: Database): PersonExport {
  return {
    facts: (person) => readFacts(database, person),
    lists: (person) => ({
      links: readPages(database, person, pagedLists.links),
      leads: readPages(database, person, pagedLists.leads),
      commissions: readPages(database, person, pagedLists.commissions),
    }),
  }
}

/** One row of each relation, and the lists that the database bounds (docs/data-growth.md). */
async function readFacts(database: Database, { id, claims }: Person) {
  const [facts] = await queryAs(
    database,
    { role: 'authenticated', claims, readOnly: true },
    `with page as (select b.* from api.bio_pages b where b.user_id = $1)
    select
      (select to_jsonb(p) from api.profiles p where p.id = $1) as profile,
      (select p.plan_type from api.user_plans p where p.user_id = $1) as plan,
      (select r.role from api.user_roles r where r.user_id = $1) as role,
      (select to_jsonb(u) from api.user_usage u where u.user_id = $1) as usage,
      (select to_jsonb(a) from api.affiliate_codes a where a.user_id = $1) as affiliate,
      auth.former_codes() as former_codes,
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.created_at desc, t.id desc), '[]')
        from api.popups t where t.user_id = $1) as popups,
      (select coalesce(jsonb_agg(to_jsonb(t) || jsonb_build_object('shared_report', (${sharedReport} where r.tag_id = t.id))
        order by t.name), '[]') from api.tags t where t.user_id = $1) as tags,
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.created_at), '[]') from api.link_expectations t
        where t.link_id in (select s.id from api.shortened_urls s where s.user_id = $1)) as link_expectations,
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.link_id, t.created_at, t.id), '[]')
        from api.placements t) as placements,
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.name), '[]')
        from api.utm_templates t where t.user_id = $1) as utm_templates,
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.name), '[]')
        from api.qr_looks t where t.user_id = $1) as qr_looks,
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.day), '[]')
        from api.day_notes t where t.user_id = $1) as day_notes,
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.created_at), '[]') from api.link_moves t) as link_moves,
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.host), '[]') from api.domains t where t.user_id = $1) as domains,
      (select jsonb_build_object('retention_days', a -> 'retention_days', 'double_opt_in', a -> 'double_opt_in')
        from api.audience() a) as audience,
      (select to_jsonb(page) || jsonb_build_object('slug', ${nameOfKey('page.slug')}) from page) as bio_page,
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.link_order, t.id), '[]')
        from api.bio_links t where t.bio_page_id in (select id from page)) as bio_links,
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.display_order, t.id), '[]')
        from api.bio_social_links t where t.bio_page_id in (select id from page)) as bio_social_links`,
    [id],
  )
  return facts ?? {}
}

async function* readPages(
  database: Database,
  { id, claims }: Person,
  list: PagedList,
): AsyncGenerator<unknown[]> {
  let after = firstPage
  for (;;) {
    const rows = await queryAs<{ at: string; id: string; row: unknown }>(
      database,
      { role: 'authenticated', claims, readOnly: true },
      pageQuery(list),
      [id, after.at, after.id],
    )
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(({ row }) => row)
    if (rows.length < pageSize) return
    after = last
  }
}

/** One page of a list, after the row of `$2` and `$3`. Exported for the test of its plan. */
export function pageQuery({ from, owner, also = `'{}'` }: PagedList): string {
  return `select t.created_at::text as at, t.id, to_jsonb(t) || ${also} as row from ${from} t
    where t.${owner} = $1 and (t.created_at, t.id) < ($2::timestamptz, $3::uuid)
    order by t.created_at desc, t.id desc limit ${pageSize}`
}
