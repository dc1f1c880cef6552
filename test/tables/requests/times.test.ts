import { expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { migrate, migrations } from '#server/postgres/migrate.ts'
import { saved } from '#test/bio/pages.ts'
import { createTestDatabase } from '#test/database.ts'
import { sharedServer } from '#test/server.ts'
import { makeAccount, send } from '../accounts.ts'

const strange = ['infinity', '-infinity', '10000-01-01T00:00:00Z', '0001-01-01T00:00:00Z BC']
const latest = '9999-12-31T23:59:59+00:00'

it('times of links, bio links and shared reports are finite, between the years 1 and 9999', async () => {
  const server = await sharedServer()
  const ann = await makeAccount(server, { plan: 'business' })
  const row = { user_id: ann.id, original_url: 'https://example.com/' }
  expect((await send(server, ann, 'POST', 'shortened_urls', row)).status).toBe(201)
  const [link] = (await send(server, ann, 'GET', 'shortened_urls?select=id')).body as [
    { id: string },
  ]
  const { page, links } = await saved(
    server,
    ann,
    { slug: `times-${ann.id.slice(0, 8)}`, title: 'Ann' },
    [{ title: 'One', url: 'https://example.com/' }],
  )
  const report = { link_id: link.id, enabled: true }
  expect((await send(server, ann, 'POST', 'shared_reports', report)).status).toBe(201)
  const at = {
    shortened_urls: `shortened_urls?id=eq.${link.id}`,
    bio_links: `bio_links?id=eq.${links[0]?.id}`,
    shared_reports: `shared_reports?link_id=eq.${link.id}`,
  }
  for (const [table, column, name] of [
    ['shortened_urls', 'starts_at', 'The start'],
    ['shortened_urls', 'ends_at', 'The end'],
    ['shortened_urls', 'archived_at', 'The archiving'],
    ['bio_links', 'starts_at', 'The start'],
    ['bio_links', 'ends_at', 'The end'],
    ['shared_reports', 'expires_at', 'The expiry'],
  ] as const) {
    const message = `${name} must be between the years 1 and 9999`
    for (const time of strange)
      expect(
        await send(server, ann, 'PATCH', at[table], { [column]: time }),
        `${table} ${column} ${time}`,
      ).toMatchObject({ status: 400, body: { code: '23514', message } })
    for (const time of [latest, null])
      expect((await send(server, ann, 'PATCH', at[table], { [column]: time })).status).toBe(204)
  }
  const bulk = [{ original_url: row.original_url, ends_at: 'infinity' }]
  expect(
    (await send(server, ann, 'POST', 'rpc/create_links', { _links: bulk })).body,
  ).toMatchObject([
    { status: 'failed', error: { message: 'The end must be between the years 1 and 9999' } },
  ])
  const entry = { title: 'Two', url: row.original_url, ends_at: 'infinity' }
  expect(
    await send(server, ann, 'POST', 'rpc/save_bio_page', { page, links: [entry] }),
  ).toMatchObject({ status: 400, body: { code: '23514' } })
})

it('an upgrade mends times that no look-up can read, and tags of leads that are no list', async () => {
  const { url, sql, drop } = await createTestDatabase({ empty: true })
  const log = createLog('fatal')
  const before = migrations.filter(({ name }) => name < '0033')
  await migrate(url, log, before, '')
  const [{ id: owner } = { id: '' }] = await sql<{ id: string }>(
    `insert into auth.users (id, email) values (gen_random_uuid(), 'ann@example.com') returning id`,
  )
  const times: [string | null, string | null][] = [
    [null, 'infinity'],
    ['-infinity', '2030-01-01Z'],
    ['infinity', null],
    [null, '-infinity'],
    ['12000-01-01Z', '13000-01-01Z'],
    ['2020-01-01Z', '2030-01-01Z'],
  ]
  for (const [index, [starts, ends]] of times.entries()) {
    const code = `time-${index}`
    await sql(`insert into app.names (name, kind, owner_id) values ($1, 'link', $2)`, [code, owner])
    await sql(
      `insert into app.shortened_urls (user_id, short_code, original_url, starts_at, ends_at, archived_at)
        values ($1, $2, 'https://example.com/', $3, $4, $3)`,
      [owner, code, starts, ends],
    )
  }
  await sql('insert into app.audiences (user_id) values ($1)', [owner])
  for (const [index, tags] of ['{a,null}', '{{a,b},{c,null}}', '{a}', '{}'].entries())
    await sql(
      `insert into app.leads (user_id, popup_version, email, consent_text, state, unsubscribe_token, tags)
        values ($1, 1, $2 || '@example.com', '', 'confirmed', $2, $3)`,
      [owner, index, tags],
    )
  await migrate(url, log)
  expect(await sql('select tags from app.leads order by email')).toEqual(
    [['a'], ['a', 'b', 'c'], ['a'], []].map((tags) => ({ tags })),
  )
  expect(
    await sql(`select to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD') as starts, to_char(ends_at at time zone 'UTC', 'YYYY-MM-DD') as ends,
      to_char(archived_at at time zone 'UTC', 'YYYY') as archived
      from app.shortened_urls order by short_code`),
  ).toEqual([
    { starts: null, ends: null, archived: null },
    { starts: null, ends: '2030-01-01', archived: '0001' },
    { starts: '9999-12-31', ends: null, archived: '9999' },
    { starts: null, ends: '0001-01-02', archived: null },
    { starts: '9999-12-31', ends: null, archived: '9999' },
    { starts: '2020-01-01', ends: '2030-01-01', archived: '2020' },
  ])
  await drop()
})
