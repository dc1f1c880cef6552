/** @module-tag extended */
import pg from 'pg'
import { afterEach, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { migrate, migrations } from '#server/postgres/migrate.ts'
import { saved } from '#test/bio/pages.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'

// Links of a release without link options answer after the migration as the same links do that are made today. The
// program of that release is not in this repository; its schema is.

/** How many codes are compared; more by hand. */
const codes = Number(process.env.UPGRADE_CODES ?? 1_000)
const optionsMigration = '0019_link_options.sql'
const settings = { publicUrl: 'https://hop.example' }
const log = createLog('fatal')
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of undo.splice(0).reverse()) await end()
})

const destinations = [
  'https://example.com/',
  'http://example.com',
  'https://example.com/menu?lang=en&lang=de#top',
  'https://example.com/%E2%82%AC?q=a+b%20c',
  'https://xn--bcher-kva.example/a;b=c?',
  'HTTPS://Example.com:8443/A//b/../c',
  `https://example.com/${'a'.repeat(2_028)}`,
  'https://blocked.example/below',
]

async function insert<Row>(server: TestServer, owner: Account, table: string, rows: object[]) {
  const prefer = { prefer: 'return=representation' }
  const { status, body } = await send(server, owner, 'POST', table, rows, prefer)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body as Row[]
}

/** Plans have limits, so that many accounts make them. */
const linksOfOwner = 45

/** An account with a popup of each kind, links of each kind, and a bio page; the names that visitors can open. */
async function plantOwner(server: TestServer, index: number): Promise<string[]> {
  const owner = await makeAccount(server, { plan: 'business' })
  const shapes = [true, false, true].map((is_active, i) => ({
    user_id: owner.id,
    title: 'Sale',
    cta_url: 'https://example.com/sale',
    is_active,
    trigger_delay_enabled: i === 2,
    position: i === 2 ? 'bottom' : 'center',
  }))
  const popups = await insert<{ id: string }>(server, owner, 'popups', shapes)
  const rows = Array.from({ length: linksOfOwner }, (_, i) => ({
    user_id: owner.id,
    original_url: destinations[i % destinations.length] ?? '',
    show_popup: i % 5 === 0,
    popup_id: i % 5 === 0 ? (popups[(i / 5) % 3]?.id ?? null) : null,
    external_id: i % 7 === 0 ? `sku-${i}` : null,
  }))
  const chosen = rows.flatMap((row, i) =>
    i % 3 === 0 ? [{ ...row, short_code: `own-${index}-${i}` }] : [],
  )
  const links = [
    ...(await insert<{ short_code: string }>(server, owner, 'shortened_urls', chosen)),
    ...(await insert<{ short_code: string }>(
      server,
      owner,
      'shortened_urls',
      rows.filter((_, i) => i % 3 !== 0),
    )),
  ].map(({ short_code }) => short_code)
  await server.sql(
    `update app.shortened_urls set is_disabled = true where user_id = $1 and external_id = 'sku-14'`,
    [owner.id],
  )
  const page = { slug: `page-${index}`, title: 'Ann', popup_id: popups[0]?.id ?? null }
  const { links: entries } = await saved(server, owner, page, [
    { title: 'Menu', url: 'https://example.com/menu' },
  ])
  // Deleted: the name of a link with visits is held, another one is free.
  await server.sql(`update app.shortened_urls set click_count = 3 where short_code = $1`, [
    `own-${index}-3`,
  ])
  for (const code of [`own-${index}-3`, `own-${index}-6`])
    await send(server, owner, 'DELETE', `shortened_urls?short_code=eq.${code}`)
  if (index === 2)
    await server.sql(`insert into app.blocks (kind, value) values ('user', $1)`, [owner.id])
  return [...links, page.slug, ...entries.map(({ id }) => `${page.slug}/go/${id}`)]
}

/** Makes links of every kind that the release had; names that visitors can open, and some that are none. */
async function plantLinks(server: TestServer): Promise<string[]> {
  const names: string[] = []
  for (let index = 0; names.length < codes; index++)
    names.push(...(await plantOwner(server, index)))
  await server.sql(
    `insert into app.blocks (kind, value) values ('link', 'own-0-9'), ('link', 'page-1'), ('host', 'blocked.example')`,
  )
  return [...names, 'no-such-code', 'a', 'Own-0-0', 'own-0-0/', 'own-0-0?ref=mail']
}

/** Copies the rows of all tables of `to`, as far as `to` has their columns. Its checks of foreign keys rest meanwhile. */
async function copyRows(from: TestDatabase['sql'], to: TestDatabase): Promise<void> {
  const client = new pg.Client({ connectionString: to.superuserUrl })
  await client.connect()
  await client.query(`set session_replication_role = replica`)
  const tables = await to.sql<{ name: string; columns: string }>(`
    select c.oid::regclass::text as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns
    from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where relnamespace in ('app'::regnamespace, 'auth'::regnamespace) and relkind in ('r', 'p') and not relispartition
    group by c.oid`)
  for (const { name, columns } of tables) {
    const [rows] = await from<{ all: string | null }>(
      `select jsonb_agg(to_jsonb(t))::text as all from ${name} t`,
    )
    await client.query(`delete from ${name}`)
    await client.query(
      `insert into ${name} (${columns}) overriding system value
        select ${columns} from jsonb_populate_recordset(null::${name}, $1)`,
      [rows?.all ?? '[]'],
    )
  }
  await client.end()
}

/** The answer's status, headers and body, date and request id aside. */
async function answerOf(server: TestServer, name: string): Promise<string> {
  const { status, rawHeaders, body } = await visit(server.url, `/${name}`, {
    headers: { host: 'hop.example' },
  })
  const headers = rawHeaders.flatMap((each, i) =>
    i % 2 === 1 || /^(date|x-request-id)$/i.test(each) ? [] : [`${each}: ${rawHeaders[i + 1]}`],
  )
  return [status, ...headers, '', body].join('\n')
}

it('links of a release without options answer byte for byte as before', async () => {
  const today = await startTestServer(settings)
  undo.push(today.close)
  const names = await plantLinks(today)
  expect(names.length).toBeGreaterThanOrEqual(codes)

  const former = await createTestDatabase({ empty: true })
  undo.push(former.drop)
  const count = migrations.findIndex(({ name }) => name === optionsMigration)
  await migrate(former.url, log, migrations.slice(0, count), '')
  await copyRows(today.sql, former)
  // The control: a link that a migration would have changed.
  await former.sql(
    `update app.shortened_urls set original_url = original_url || 'x' where short_code = 'own-1-0'`,
  )
  expect(await migrate(former.url, log)).toContain(optionsMigration)
  const upgraded = await startTestServer({ ...settings, databaseUrl: former.url })
  undo.push(upgraded.close)

  const differing: string[] = []
  const statuses = new Map<string, number>()
  for (const name of names) {
    const [before, after] = await Promise.all([answerOf(today, name), answerOf(upgraded, name)])
    const status = before.slice(0, 3)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (before !== after) differing.push(name)
  }
  expect(differing).toEqual(['own-1-0'])
  expect([...statuses.keys()].sort()).toEqual(['200', '302', '410'])
  console.info(`${names.length} names: ${JSON.stringify(Object.fromEntries(statuses))}`)
}, 600_000)
