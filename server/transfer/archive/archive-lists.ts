import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { namedCode, nameOfKey } from '../../visits/names/name-key.ts'

/** A list of the schema `api` as an archive has it. */
interface ArchiveList {
  from: string
  /** The JSON of a row `t`, in SQL. */
  row: string
  /** Rows of a page: their texts are in memory at once. */
  pageSize: number
}

const plain = (from: string, without: string): ArchiveList => ({
  from,
  row: `to_jsonb(t) - '{${without}}'::text[]`,
  pageSize: 1_000,
})

const partsOfLink = `jsonb_build_object(
  'rules', api.link_rules(t.id) -> 'rules',
  'history', (select coalesce(jsonb_agg(h - '{changed_by,changed_by_name,moved}'::text[] order by n), '[]')
    from jsonb_array_elements(api.link_history(${namedCode('t')})) with ordinality x (h, n)),
  'placements', (select coalesce(jsonb_agg(to_jsonb(p) - '{id,link_id}'::text[] order by p.created_at, p.id), '[]')
    from api.placements p where p.link_id = t.id),
  'expectations', (select coalesce(jsonb_agg(to_jsonb(e) - '{id,link_id}'::text[] order by e.created_at, e.id), '[]')
    from api.link_expectations e where e.link_id = t.id))`

/** The lists of docs/archive.md. Secrets and ids of the account are left out by name. */
export const archiveLists = {
  // A link with all its parts can have more than 1 MB.
  links: {
    from: 'api.shortened_urls',
    row: `to_jsonb(t) - '{user_id,password,rules_version,destination_finding}'::text[]
      || jsonb_build_object('short_code', ${nameOfKey('t.short_code')}) || ${partsOfLink}`,
    pageSize: 200,
  },
  linkRows: {
    from: 'api.shortened_urls',
    row: `jsonb_build_object('short_code', ${nameOfKey('t.short_code')}, 'domain', t.domain, 'original_url', t.original_url, 'title', t.title, 'tags', t.tags,
      'click_count', t.click_count, 'is_disabled', t.is_disabled, 'created_at', t.created_at)`,
    pageSize: 1_000,
  },
  tags: plain('api.tags', 'id,user_id'),
  popups: plain('api.popups', 'user_id'),
  audience: plain('api.leads', 'user_id,unsubscribe_token'),
  // Nobody reads the column of its password.
  sharedReports: {
    from: 'api.shared_reports',
    row: `jsonb_build_object('link_id', t.link_id, 'tag', (select g.name from api.tags g where g.id = t.tag_id),
      'title', t.title, 'shown_name', t.shown_name, 'enabled', t.enabled, 'has_password', t.has_password,
      'expires_at', t.expires_at, 'created_at', t.created_at)`,
    pageSize: 1_000,
  },
  utmTemplates: plain('api.utm_templates', 'id,user_id'),
  qrLooks: { ...plain('api.qr_looks', 'id,user_id'), pageSize: 20 },
  dayNotes: plain('api.day_notes', 'id,user_id'),
} as const satisfies Record<string, ArchiveList>

const firstPage = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
const statementTimeout = 60_000

/** An account: its rows are read with its own rights. No session has to live as long as the making of an archive. */
export interface ArchivedAccount {
  id: string
  claims: { sub: string }
}

/** Pages of a list, newest first, as JSON texts. */
export async function* readList(
  database: Database,
  account: ArchivedAccount,
  { from, row, pageSize }: ArchiveList,
): AsyncGenerator<string[]> {
  let after = firstPage
  for (;;) {
    const rows = await queryAs<{ at: string; id: string; row: string }>(
      database,
      { role: 'authenticated', claims: account.claims, readOnly: true, statementTimeout },
      `select t.created_at::text as at, t.id, (${row})::text as row from ${from} t
        where t.user_id = $1 and (t.created_at, t.id) < ($2::timestamptz, $3::uuid)
        order by t.created_at desc, t.id desc limit ${pageSize}`,
      [account.id, after.at, after.id],
    )
    const last = rows.at(-1)
    if (!last) return
    yield rows.map((one) => one.row)
    if (rows.length < pageSize) return
    after = last
  }
}

export interface ArchiveFacts extends Record<string, unknown> {
  account: Record<string, unknown>
  audience: Record<string, unknown>
  /** Null without a page. */
  bio_page: Record<string, unknown> | null
  links: number
}

/** Everything of an account that is no list. */
export async function readArchiveFacts(
  database: Database,
  { id, claims }: ArchivedAccount,
): Promise<ArchiveFacts | undefined> {
  const [facts] = await queryAs<ArchiveFacts>(
    database,
    { role: 'authenticated', claims, readOnly: true, statementTimeout },
    `with page as (select b.* from api.bio_pages b where b.user_id = $1)
    select
      (select to_jsonb(p) - 'id' || jsonb_build_object('plan', (select u.plan_type from api.user_plans u where u.user_id = $1))
        from api.profiles p where p.id = $1) as account,
      (select jsonb_build_object('retention_days', a -> 'retention_days', 'double_opt_in', a -> 'double_opt_in')
        from api.audience() a) as audience,
      (select to_jsonb(page) - '{user_id,version}'::text[] || jsonb_build_object('slug', ${nameOfKey('page.slug')},
        'links', (select coalesce(jsonb_agg(to_jsonb(l) - 'bio_page_id' order by l.link_order, l.id), '[]')
          from api.bio_links l where l.bio_page_id = page.id),
        'social_links', (select coalesce(jsonb_agg(to_jsonb(s) - '{id,bio_page_id}'::text[] order by s.display_order, s.id), '[]')
          from api.bio_social_links s where s.bio_page_id = page.id)) from page) as bio_page,
      (select count(*)::integer from api.shortened_urls s where s.user_id = $1) as links`,
    [id],
  )
  return facts
}

const shownImages = `
  select p.image_url from api.popups p where p.user_id = $1
  union all select b.avatar_url from api.bio_pages b where b.user_id = $1
  union all select l.image_url from api.bio_links l
    where l.bio_page_id in (select b.id from api.bio_pages b where b.user_id = $1)
  union all select s.preview_image_url from api.shortened_urls s where s.user_id = $1 and s.preview_image_url is not null`

/** Hashes of the images that the account shows, in pages. */
export async function* readImageHashes(
  database: Database,
  { id, claims }: ArchivedAccount,
): AsyncGenerator<string> {
  for (let after = ''; ;) {
    const rows = await queryAs<{ hash: string }>(
      database,
      { role: 'authenticated', claims, readOnly: true, statementTimeout },
      `select distinct x.hash from (select substring(i.image_url from '/media/([0-9a-f]{64})\\.') as hash
          from (${shownImages}) i (image_url)) x
        where x.hash > $2 order by x.hash limit 1000`,
      [id, after],
    )
    for (const { hash } of rows) yield hash
    const last = rows.at(-1)
    if (!last || rows.length < 1_000) return
    after = last.hash
  }
}
