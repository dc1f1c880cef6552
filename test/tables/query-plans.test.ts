/** @module-tag extended */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { pagedLists, pageQuery } from '#server/tables/person-export.ts'
import { postgresReader } from '#server/analytics/reports/postgres-reader.ts'
import type { Transaction } from '#server/postgres/database.ts'
import type { Role } from '#server/postgres/roles.ts'
import { compileRead } from '#server/tables/compile.ts'
import { parseAccept, parsePreferences } from '#server/tables/parse/parse-headers.ts'
import { parseQuery } from '#server/tables/parse/parse-query.ts'
import { apiRules } from '#server/tables/rules.ts'
import { planRead, withLookup } from '#server/tables/read-plan.ts'
import { openScope } from '#server/tables/scope.ts'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from './accounts.ts'

/**
 * Each list that a screen shows reads about as much of the database for an owner of 100,000 rows as for one of 20: the
 * index gives its rows in order. Measured in blocks of 8 KiB, which do not depend on the machine: the links fill more than
 * a thousand.
 */
const rows = 100_000
const maxBlocks = 500

let server: TestServer
let ann: Account
/** Shows popups on all of as many links. */
let bob: Account
let admin: Account

beforeAll(async () => {
  // Checks of destinations stay as they are: none of them ends.
  const getPublic = () => new Promise<never>(() => {})
  server = await startTestServer({ checkLinks: true }, { getPublic })
  ann = await makeAccount(server, { plan: 'business' })
  bob = await makeAccount(server, { plan: 'business' })
  admin = await makeAccount(server, { role: 'admin' })
  const [search] = await server.sql<{ indexdef: string }>(
    `select indexdef from pg_indexes where indexname = 'shortened_urls_search'`,
  )
  // Past the triggers, which would charge each row to its owner's plan.
  await server.sql(`
    drop index if exists app.shortened_urls_search;
    begin; set local session_replication_role = replica;
    insert into app.shortened_urls (user_id, short_code, original_url, created_at, click_count, tags)
      select '${ann.id}', 'code' || n, 'https://example.com/' || n % 10, now() - n * interval '1 second', n % 1000,
        case when n % 10000 = 7 then array['poster'] else '{}' end from generate_series(1, ${rows}) n;
    insert into app.shortened_urls (user_id, short_code, original_url)
      select gen_random_uuid(), 'other' || n, 'https://example.org/' from generate_series(1, 50000) n;
    insert into app.popups (user_id, title, created_at)
      select unnest(array['${ann.id}', '${bob.id}']::uuid[]), 'popup', now() - n * interval '1 second' from generate_series(1, 1000) n;
    insert into app.shortened_urls (user_id, short_code, original_url, show_popup, popup_id)
      select '${bob.id}', 'popup' || n, 'https://example.net/', true, case when n % 2 = 0 then ids[1] else ids[1 + n % 1000] end
      from generate_series(1, ${rows}) n, (select array_agg(id order by created_at desc) as ids from app.popups where user_id = '${bob.id}') p;
    insert into app.audiences (user_id, leads) values ('${ann.id}', ${rows});
    insert into app.leads (user_id, popup_version, email, consent_text, state, unsubscribe_token, tags, created_at)
      select '${ann.id}', 1, 'reader' || n || '@example.com', 'Write to me', 'confirmed', 'token' || n,
        case when n % 10 = 0 then '{poster}'::text[] else '{}' end, now() - n * interval '1 second' from generate_series(1, ${rows}) n;
    insert into app.commissions (affiliate_user_id, amount_cents, tier, status, provider, invoice_id, payer_id, kind, step,
        rate_percent, base_cents, due_at, created_at)
      select '${ann.id}', 175, 1, 'canceled', 'stripe', 'in_' || n, gen_random_uuid(), 'earned', 0, 25, 700, now(), now() - n * interval '1 second'
      from generate_series(1, 30000) n;
    insert into app.audit_log (actor_role, action, target_kind, target_id)
      select 'authenticated', 'role.change', 'user', n::text from generate_series(1, 30000) n;
    insert into app.abuse_reports (name, target_kind, reason, created_at)
      select 'r' || n, 'unknown', 'spam', now() - n * interval '1 second' from generate_series(1, 30000) n;
    with made as (
      insert into auth.users (email, created_at)
      select 'person' || n || '@example.com', now() - n * interval '1 second' from generate_series(1, ${rows}) n returning *
    ), profiles as (insert into app.profiles (id, email, display_name, created_at)
      select id, email, 'Name of ' || left(email, -12), created_at from made
    ), roles as (insert into app.user_roles (user_id) select id from made)
    insert into app.user_plans (user_id, plan_type)
      select id, (array['free', 'pro', 'business'])[1 + length(email) % 3] from made;
    insert into app.click_scopes (kind, ref, user_id) select 'account', '${ann.id}', '${ann.id}';
    insert into app.click_scopes (kind, ref, user_id) select 'link', l.id, l.user_id from app.shortened_urls l;
    insert into app.click_events
      select now() - n * interval '1 second', n, s.id, 1, 0, 0, 0, 'c', 'l'
      from generate_series(1, ${rows}) n join app.shortened_urls l on l.short_code = 'code' || n join app.click_scopes s on s.ref = l.id;
    insert into app.missed_codes (code, day, visits)
      select 'code' || n, current_date - n % 100, n from generate_series(1, ${rows}) n;
    insert into app.former_codes (user_id, code) select '${ann.id}', 'code' || 100 * n from generate_series(1, 1000) n;
    insert into app.destination_checks (user_id, address_hash, checked_at, finding, since)
      select '${ann.id}', sha256(convert_to(case when n = 1 then 'https://example.com/1' else 'https://gone/' || n end, 'UTF8')),
        case when n = 2 then now() else now() - interval '2 days' end, case when n <= 100 then 'dead' end, now() from generate_series(1, ${rows}) n;
    insert into app.click_days select current_date - n / 256, n % 256, 1 from generate_series(0, 90 * 256 - 1) n;
    commit;
    ${search?.indexdef ?? ''}`)
  // Counting reads an index alone where the rows are known to be visible. A transaction that runs meanwhile, for example
  // autovacuum's ANALYZE, keeps VACUUM from marking them.
  const invisible = async () => {
    await server.sql('vacuum analyze')
    return server.sql(
      `select c.oid::regclass::text as name, c.relpages, c.relallvisible from pg_class c
        where c.relnamespace in ('app'::regnamespace, 'auth'::regnamespace) and c.relkind = 'r'
          and c.relpages > 100 and c.relallvisible < c.relpages * 0.9`,
    )
  }
  await vi.waitFor(async () => expect(await invisible()).toEqual([]), {
    timeout: 240_000,
    interval: 500,
  })
})
afterAll(() => server.close())

interface Plan {
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
}

/** The blocks that a statement of this person reads. */
async function blocksOf(
  who: Account,
  text: string,
  values: unknown[] = [],
  lookup?: string,
): Promise<number> {
  return server.context.database.transactionAs(
    {
      role: 'authenticated',
      claims: who.claims,
      readOnly: true,
      ...(lookup !== undefined && { lookup }),
      statementTimeout: 30_000,
    },
    async (db) => {
      // The first time, a connection also reads the catalog.
      await db.query(text, values)
      return explain(db, text, values)
    },
  )
}

/** The blocks that a statement reads. */
async function explain(db: Transaction, text: string, values?: unknown[]): Promise<number> {
  const { rows: answer } = await db.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `explain (analyze, buffers, format json) ${text}`,
    values,
  )
  const plan = answer[0]?.['QUERY PLAN'][0]?.Plan
  if (plan === undefined) throw new Error('no plan')
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

/** Blocks read by all statements of some work. */
function blocksAs(role: Role, work: (db: Transaction) => Promise<unknown>): Promise<number> {
  return server.context.database.transactionAs({ role, readOnly: true }, async (db) => {
    let blocks = 0
    await work({
      async query(text, values) {
        await db.query(text, values)
        blocks += await explain(db, text, values)
        return db.query(text, values)
      },
    })
    return blocks
  })
}

/** The blocks of a GET at the table door, compiled as the door does. */
function blocksOfRead(who: Account, relation: string, query: string): Promise<number> {
  const claims = { ...who.claims, sub: who.id }
  const served = { catalog: apiCatalog, rules: apiRules }
  const opened = openScope(served, relation, { role: 'authenticated', claims })
  const plan = withLookup(planRead(served, opened, parseQuery(new URLSearchParams(query))))
  const plain = new Headers()
  const answer = { prefer: parsePreferences(plain), shape: parseAccept(plain) }
  const { text, values } = compileRead(plan, answer)
  return blocksOf(who, text, values, plan.scope.lookup)
}

const newest = 'order=created_at.desc,id.desc&limit=50'
const unknownId = randomUUID()

describe('an owner of 100,000 rows', () => {
  it.each<[string, string, (who: string) => string]>([
    ['My Links', 'shortened_urls', (who) => `user_id=eq.${who}&${newest}`],
    [
      'a later page of My Links',
      'shortened_urls',
      (who) => {
        const at = new Date(Date.now() - 50_000_000).toISOString()
        return `user_id=eq.${who}&created_at=lte.${at}&or=(created_at.lt."${at}",id.lt.${unknownId})&${newest}`
      },
    ],
    ['links without a filter', 'shortened_urls', () => newest],
    ['one link by its code', 'shortened_urls', () => 'short_code=eq.code5000'],
    ["another owner's link by its code", 'shortened_urls', () => 'select=id&short_code=eq.other5'],
    ['a code that does not exist', 'shortened_urls', () => 'select=id&short_code=eq.unknown'],
    [
      'the suggestion of Today',
      'shortened_urls',
      (who) =>
        `select=click_count,archived_at&user_id=eq.${who}&created_at=lt.${new Date().toISOString()}&order=created_at.desc&limit=100`,
    ],
    ['the audience', 'leads', (who) => `user_id=eq.${who}&${newest}`],
    ['the audience with a tag', 'leads', (who) => `user_id=eq.${who}&tags=cs.{poster}&${newest}`],
    [
      'a later page of the audience',
      'leads',
      (who) => {
        const at = new Date(Date.now() - 50_000_000).toISOString()
        return `user_id=eq.${who}&created_at=lte.${at}&or=(created_at.lt."${at}",id.lt.${unknownId})&${newest}`
      },
    ],
    ['My Popups', 'popups', (who) => `user_id=eq.${who}&${newest}`],
    ['one popup by its id', 'popups', () => `id=eq.${unknownId}`],
    ['the latest ten commissions', 'commissions', (who) => `affiliate_user_id=eq.${who}&${newest}`],
    ['the bio page', 'bio_pages', (who) => `user_id=eq.${who}`],
    ['the links of a bio page', 'bio_links', () => `bio_page_id=eq.${unknownId}&order=link_order`],
  ])('reads little for %s', async (_what, relation, query) => {
    expect(await blocksOfRead(ann, relation, query(ann.id))).toBeLessThan(maxBlocks)
  })

  it('reads little more for whole rows behind many others than for their ids', async () => {
    const page = `user_id=eq.${ann.id}&order=created_at.desc,id.desc&limit=50&offset=${rows - 100}`
    const ids = await blocksOfRead(ann, 'shortened_urls', `select=id&${page}`)
    expect(await blocksOfRead(ann, 'shortened_urls', page)).toBeLessThan(ids + maxBlocks)
  })

  it.each([
    // The history of each link, its block and the check of its destination are looked up.
    ['links', maxBlocks + 1_000 * 21],
    ['commissions', maxBlocks],
    ['leads', maxBlocks],
  ] as const)('reads little for a page of 1,000 in an export of %s', async (list, bound) => {
    const after = new Date(Date.now() - 10_000_000).toISOString()
    expect(
      await blocksOf(ann, pageQuery(pagedLists[list]), [ann.id, after, unknownId]),
    ).toBeLessThan(bound)
  })

  it.each([
    ['a search with many matches', `select * from api.search_links('example')`],
    ['My Links, oldest first', `select * from api.list_links('', 'oldest')`],
    ['My Links by code', `select * from api.list_links('', 'code')`],
    [
      'a later page of My Links by code',
      `select * from api.list_links('', 'code', _after => '{"id":"${unknownId}","short_code":"code5"}')`,
    ],
    ['My Links with a tag', `select * from api.list_links(_tags => '{poster,autumn}')`, 700],
    ['My Links with an unused tag', `select * from api.list_links(_tag => 'autumn')`],
    ['My Links with a popup', `select * from api.list_links(_with_popup => true)`],
    ['blocked links', `select * from api.list_links(_blocked => true)`],
    ['a page of commissions', `select api.commission_lines()`],
    [
      'visits to 1,000 former codes, among 100,000 rows',
      `select api.missed_codes(current_date - 6, current_date)`,
      4_000,
    ],
  ])('reads little for %s', async (_what, text, most = maxBlocks) => {
    expect(await blocksOf(ann, text)).toBeLessThan(most)
  })

  it('reads little for where 100 popups are used, one of them on 50,000 links', async () => {
    const newest100 = `select id from api.popups where user_id = '${bob.id}' order by created_at desc limit 100`
    const uses = `api.popup_uses((select jsonb_agg(id) from (${newest100}) p))`
    expect(await blocksOf(bob, `select ${uses}`)).toBeLessThan(maxBlocks)
    const { rows: answer } = await server.context.database.transactionAs(
      { role: 'authenticated', claims: bob.claims, readOnly: true },
      (db) =>
        db.query<{ most: string }>(
          `select max(u ->> 'links') as most from jsonb_array_elements(${uses}) u`,
        ),
    )
    expect(answer).toEqual([{ most: '1000' }])
  })

  // No index has the clicks (docs/decisions/0034): all rows are read once. A search looks through the next 2,000 first.
  it.each([
    ['the few links never clicked', `select * from api.list_links(_never_clicked => true)`],
    ['the few links that are off', `select * from api.list_links(_off => true)`],
    ['a rare search by code', `select * from api.list_links('nothing-like-it', 'code')`],
    ['the most clicked', `select * from api.list_links('', 'clicks')`],
    [
      'a later page of the most clicked',
      `select * from api.list_links('', 'clicks', _limit => 200,
        _after => '{"id":"${unknownId}","created_at":"2020-01-01","click_count":500}')`,
      // Each link of the page is looked up by its id, in five blocks.
      200 * 5,
    ],
    ['a rare search among the most clicked', `select * from api.list_links('code77777', 'clicks')`],
    [
      'the link to an address, which none has',
      `select short_code from api.shortened_urls where user_id = '%s' and original_url = 'https://example.com/none'
        and not is_disabled order by created_at desc limit 1`,
    ],
    [
      'a rare search of the audience',
      `select * from api.leads where user_id = '%s' and email ilike '%none%' order by created_at desc, id desc limit 100`,
    ],
    ['the tags of the audience', 'select api.audience()'],
    ['the links with findings, of which there are 100', 'select api.link_health()'],
    ['the count', `select count(*) from api.shortened_urls where user_id = '%s'`],
  ])('reads each row at most once for %s', async (_what, text, ofPage = 0) => {
    const bound = maxBlocks + 3_000 + ofPage
    expect(await blocksOf(ann, text.replace('%s', ann.id))).toBeLessThan(bound)
  })

  it('reads each link and each check at most once for the destinations to check', async () => {
    const text = 'select * from app.due_destinations($1, 50)'
    const due = await blocksAs('hoplet_worker', (db) => db.query(text, [ann.id]))
    // The checks of 100,000 addresses fill about half as many blocks as the links.
    expect(due).toBeLessThan(1.5 * (maxBlocks + 3_000))
  })

  it('control: counting all of them reads much', async () => {
    expect(
      await blocksOf(ann, 'select count(original_url) from api.shortened_urls'),
    ).toBeGreaterThan(1_000)
  })
})

describe('an admin', () => {
  it.each([
    [
      'the links of an owner of 100,000',
      (who: string) => `select api.admin_find_links('user', '${who}')`,
    ],
    ['one link by its code', () => `select api.admin_find_links('code', 'code5000')`],
    ['the newest acts', () => 'select api.admin_audit()'],
    ['the open reports', () => 'select api.admin_reports()'],
    ['all reports', () => 'select api.admin_reports(null)'],
  ])('reads little for %s', async (_what, text) => {
    expect(await blocksOf(admin, text(ann.id))).toBeLessThan(maxBlocks)
  })

  it('reads the hits of the last hours for the newest and the busiest links', async () => {
    const busiest = await blocksAs('hoplet_reports', (db) =>
      postgresReader(db).busiestTargets(10_000, 60),
    )
    const latest = await blocksAs('hoplet_worker', (db) =>
      db.query('select app.latest_links($1)', [
        JSON.stringify([
          { scope: 2, clicks: 7 },
          { scope: 3, clicks: 5 },
        ]),
      ]),
    )
    expect(busiest + latest).toBeGreaterThan(0)
    expect(busiest + latest).toBeLessThan(1_000)
  })

  it('reads an index alone for the last 30 days, in which all accounts and links were made', async () => {
    expect(await blocksOf(admin, 'select api.admin_activity()')).toBeLessThan(2_500)
  })

  const users = `select api.admin_users($1, $2, $3, 50, $4) as answer`

  it.each([
    ['email', 2_000],
    ['display_name', 2_000],
    ['created_at', 2_000],
    // A page in the order of another table also reads all the profiles that a search looks through, once.
    ['role', 3_000],
    ['plan_type', 3_000],
  ])('reads little for the users by %s, counted, in each search', async (sort, bound) => {
    for (const search of [null, 'example.com', 'person5', 'person5432', 'on', 'none at all']) {
      for (const descending of [true, false]) {
        const read = await blocksOf(admin, users, [search, sort, descending, 0])
        expect(read, `${search} ${descending}`).toBeLessThan(bound)
      }
    }
    // The last page without a search. Names are compared in lower case, which no index-only scan reads.
    if (sort !== 'display_name')
      expect(await blocksOf(admin, users, [null, sort, true, rows - 50])).toBeLessThan(3_000)
  })

  it('gets the exact number of users, and of matches up to 10,000', async () => {
    const counts = async (search: string | null) => {
      const { rows: found } = await server.context.database.transactionAs(
        { role: 'authenticated', claims: admin.claims, readOnly: true },
        (db) =>
          db.query<{ answer: { total: number; matching: number; more: boolean; rows: object[] } }>(
            users,
            [search, 'email', false, 0],
          ),
      )
      const { rows: page, ...told } = found[0]?.answer ?? { rows: [] }
      return { ...told, shown: page.length }
    }
    const total = rows + 3
    expect(await counts(null)).toEqual({ total, matching: total, more: false, shown: 50 })
    expect(await counts('PERSON5')).toEqual({ total, matching: 10_000, more: true, shown: 50 })
    expect(await counts('person5432')).toEqual({ total, matching: 11, more: false, shown: 11 })
  })
})
