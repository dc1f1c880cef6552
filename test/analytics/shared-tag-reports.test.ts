import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { pdfText } from '#test/pdf-text.ts'

// Reports of tags that owners share, with the words of the owner.

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

async function send(who: TestUser, method: string, path: string, body?: object) {
  const response = await fetch(`${server.url}/rest/v1/${path}`, {
    method,
    headers: {
      ...who.headers,
      'content-type': 'application/json',
      prefer: 'return=representation',
      accept: 'application/vnd.pgrst.object+json',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

async function open(path: string) {
  const response = await fetch(server.url + path, { redirect: 'manual' })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

async function shareTag(owner: TestUser, name: string, wanted: object = {}) {
  const tag = await send(owner, 'POST', 'tags', { user_id: owner.id, name })
  const report = await send(owner, 'POST', 'shared_reports', { tag_id: tag.body['id'], ...wanted })
  expect([report.status, report.body]).toEqual([201, report.body])
  return { tag: String(tag.body['id']), path: `/analytics/shared/${report.body['token']}` }
}

const tagLinks = (ids: readonly string[], name: string) =>
  server.sql('update app.shortened_urls set tags = array[$2] where id = any ($1)', [ids, name])

it('a shared report of a tag compares the links with the tag, with the words of the owner, as a page and as CSV', async () => {
  const owner = await makeUser(server, { plan: 'pro' })
  const [first, second, other] = [
    await makeLink(server, owner),
    await makeLink(server, owner),
    await makeLink(server, owner),
  ]
  const { path } = await shareTag(owner, 'spring', { title: 'Spring 2027', shown_name: 'Harbour' })
  await tagLinks([first.id, second.id], 'spring')
  await server.sql(`update app.shortened_urls set title = 'Catalog' where id = $1`, [second.id])
  for (const [link, query] of [
    [first, ''],
    [second, ''],
    [second, '?q=1'],
    [other, ''],
  ] as const)
    await visit(server.url, `/${link.short_code}${query}`)
  await vi.waitFor(
    async () =>
      expect(
        await server.sql(
          `select count(*)::integer as n from app.click_events e join app.click_scopes s on s.id = e.account where s.ref = $1`,
          [owner.id],
        ),
      ).toEqual([{ n: 4 }]),
    { timeout: 240_000, interval: 100 },
  )
  const { status, text } = await open(path)
  expect(status).toBe(200)
  for (const shown of [
    'Spring 2027',
    'Harbour',
    '2 links tagged spring',
    'Catalog',
    'Report abuse',
  ])
    expect(text).toContain(shown)
  expect(text).toContain('Clicks by day: 3 in all')
  expect(text.indexOf(second.short_code)).toBeLessThan(text.indexOf(first.short_code))
  for (const hidden of [
    other.short_code,
    owner.email,
    owner.id,
    first.id,
    'example.com',
    '<script',
  ])
    expect(text).not.toContain(hidden)
  const csv = await open(`${path}/report.csv?days=7`)
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(csv.headers.get('content-disposition')).toMatch(
    /^attachment; filename="report-[\d-]+\.csv"$/,
  )
  const lines = csv.text.split('\r\n')
  expect(lines.slice(0, 2)).toEqual(['Part,Name,Link,Clicks,Visitors,QR code', 'Total,,,3,1,0'])
  expect(lines.filter((line) => line.startsWith('Day,'))).toHaveLength(7)
  expect(lines.filter((line) => line.startsWith('Link,'))).toEqual([
    expect.stringMatching(/^Link,Catalog,.*,2,,0$/),
    expect.stringMatching(/^Link,,.*,1,,0$/),
  ])
})

it('a shared report of a tag is a PDF with the words and figures of the page, once a minute', async () => {
  const owner = await makeUser(server, { plan: 'pro' })
  const [latin, other] = [await makeLink(server, owner), await makeLink(server, owner)]
  const { path } = await shareTag(owner, 'spring', { title: '日本', shown_name: 'Harbour' })
  await tagLinks([latin.id, other.id], 'spring')
  const rename = (id: string, title: string) =>
    server.sql('update app.shortened_urls set title = $2 where id = $1', [id, title])
  await rename(latin.id, 'Łódź, Київ')
  await rename(other.id, '日本語')
  const ask = (days: number) => fetch(`${server.url}${path}/report.pdf?days=${days}`)
  const both = await Promise.all([ask(7), ask(7)])
  const files = await Promise.all(
    both.map(async (response) => {
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'application/pdf',
      ])
      return Buffer.from(await response.arrayBuffer())
    }),
  )
  expect(files[0]?.equals(files[1] ?? Buffer.alloc(0))).toBe(true)
  const text = pdfText(files[0] ?? Buffer.alloc(0))
  for (const shown of ['Harbour', 'spring', '2 links tagged spring', 'Łódź, Київ', 'Clicks'])
    expect(text).toContain(shown)
  for (const { short_code: code } of [latin, other]) expect(text).toContain(`/${code}`)
  expect(text).not.toContain('日')
  // The same file again; of other days none can be had.
  const again = await ask(7)
  expect(Buffer.from(await again.arrayBuffer()).equals(files[0] ?? Buffer.alloc(0))).toBe(true)
  const refused = await ask(30)
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect(await refused.text()).toContain('A PDF of this report was made less than a minute ago')
})

it('a tag without links has a page that says so', async () => {
  const owner = await makeUser(server, { plan: 'pro' })
  const { path } = await shareTag(owner, 'empty')
  const { status, text } = await open(path)
  expect(status).toBe(200)
  for (const shown of ['empty', '0 links tagged empty', 'No link has this tag.'])
    expect(text).toContain(shown)
  expect((await open(`${path}/report.csv`)).text).toContain('Total,,,0,0,0')
})

it(
  'of 5,000 links 200 are compared, and the totals are of all',
  { tags: ['extended'] },
  async () => {
    const owner = await makeUser(server, { plan: 'business' })
    const codes = Array.from({ length: 5_000 }, (_, n) => `many-${n}`)
    const planted = await plantLinks(
      server.sql,
      codes.map((code) => ({ code, url: 'https://example.com/' })),
      owner.id,
    )
    const { path } = await shareTag(owner, 'many')
    await tagLinks(
      planted.map(({ id }) => id),
      'many',
    )
    await server.sql(
      `insert into app.click_scopes (kind, ref, user_id) select 'account', $1::uuid, $1::uuid
      union all select 'link', u, $1::uuid from unnest($2::uuid[]) u`,
      [owner.id, planted.map(({ id }) => id)],
    )
    const { text } = await open(path)
    expect(text).toContain('5,000 links tagged many')
    expect(text).toContain(
      'The 200 links with most clicks are listed. The totals are of all 5,000.',
    )
    expect(text.match(/shared-print/g)?.length).toBeGreaterThanOrEqual(200)
  },
)

describe('a shared report of a tag ends', () => {
  it.each<[string, (owner: TestUser, tag: string) => [string, unknown[]]]>([
    ['with its tag', (_, tag) => ['delete from app.tags where id = $1', [tag]]],
    [
      'when it is switched off while it is open',
      (_, tag) => ['update app.shared_reports set enabled = false where tag_id = $1', [tag]],
    ],
    [
      'with a block of the account',
      ({ id }) => [
        `insert into app.blocks (kind, value, hides_published) values ('user', $1, true)`,
        [id],
      ],
    ],
    [
      'with a plan that shows no clicks',
      ({ id }) => [`update app.user_plans set plan_type = 'free' where user_id = $1`, [id]],
    ],
  ])('%s, page and files', async (_, end) => {
    const owner = await makeUser(server, { plan: 'pro' })
    const { tag, path } = await shareTag(owner, 'over')
    const all = [path, `${path}?days=7`, `${path}/report.csv`, `${path}/report.pdf`]
    for (const each of all) expect((await open(each)).status, each).toBe(200)
    await server.sql(...end(owner, tag))
    for (const each of all) expect((await open(each)).status, each).toBe(404)
  })
})

it('a shared report of a tag leaves out a blocked link, and goes on', async () => {
  const owner = await makeUser(server, { plan: 'pro' })
  const [kept, blocked] = [await makeLink(server, owner), await makeLink(server, owner)]
  const { path } = await shareTag(owner, 'mixed')
  await tagLinks([kept.id, blocked.id], 'mixed')
  await server.sql(`insert into app.blocks (kind, value) values ('link', $1)`, [blocked.short_code])
  const { text } = await open(path)
  expect(text).toContain(kept.short_code)
  expect(text).not.toContain(blocked.short_code)
})

it('files of a report with a password lead to the page that asks for it', async () => {
  const owner = await makeUser(server, { plan: 'pro' })
  const { path } = await shareTag(owner, 'closed', { password: 'open sesame' })
  const file = await open(`${path}/report.csv?days=7`)
  expect([file.status, file.headers.get('location')]).toEqual([303, `${path}?days=7`])
})

describe('the words of the owner', () => {
  it('have a length, and nothing that turns or hides them', async () => {
    const owner = await makeUser(server, { plan: 'pro' })
    const { path, tag } = await shareTag(owner, 'words', { title: 'é'.repeat(200) })
    expect((await open(path)).text).toContain('é'.repeat(200))
    const change = (row: object) => send(owner, 'PATCH', `shared_reports?tag_id=eq.${tag}`, row)
    const title = 'The title must be 1 to 200 characters, with at least one that is visible'
    const name = 'The name must be 1 to 100 characters, with at least one that is visible'
    for (const [row, message] of [
      [{ title: 'x'.repeat(201) }, title],
      [{ title: 'a\nb' }, title],
      [{ title: '\u200b' }, title],
      [{ shown_name: 'x'.repeat(101) }, name],
    ] as const)
      expect(await change(row)).toMatchObject({ status: 400, body: { message } })
    const typed = { title: ' <b>A</b>\u202egnp ', shown_name: '  ' }
    expect((await change(typed)).body).toMatchObject({ title: '<b>A</b>gnp', shown_name: null })
    expect((await open(path)).text).toContain('&lt;b&gt;A&lt;/b&gt;gnp')
    expect((await change({ title: null })).status).toBe(200)
  })

  it('are about one link or one tag of the person', async () => {
    const owner = await makeUser(server, { plan: 'pro' })
    const other = await makeUser(server, { plan: 'pro' })
    const link = await makeLink(server, owner)
    const { tag } = await shareTag(owner, 'mine')
    const one = 'A shared report is about one link or one tag'
    for (const row of [{}, { link_id: link.id, tag_id: tag }])
      expect(await send(owner, 'POST', 'shared_reports', row)).toMatchObject({
        status: 400,
        body: { message: one },
      })
    expect(await send(other, 'POST', 'shared_reports', { tag_id: tag })).toMatchObject({
      status: 404,
      body: { message: 'No such tag' },
    })
  })
})
