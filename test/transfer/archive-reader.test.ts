import { createHash } from 'node:crypto'
import { strToU8, zipSync } from 'fflate'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { makeUser, type TestUser } from '../factories.ts'
import { sharedServer, type TestServer } from '../server.ts'
import { importsOf } from './import-client.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

const lines = (rows: object[]) => strToU8(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
const manifest = (more: object = {}) =>
  strToU8(JSON.stringify({ format: 'hoplet-archive', version: 1, ...more }))

async function archiveOf(user: TestUser) {
  const tail = user.id.slice(0, 8)
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#a83' } })
    .webp()
    .toBuffer()
  const path = `/media/${createHash('sha256').update(image).digest('hex')}.webp`
  const popup = {
    id: '11111111-1111-4111-8111-111111111111',
    name: 'Sale',
    title: 'Winter sale',
    description: 'All week',
    cta_text: 'Look',
    cta_url: '',
    image_url: path,
    background_color: '#ffffff',
    text_color: '#1a1a1a',
    button_color: '#3b82f6',
    button_text_color: '#ffffff',
    position: 'center',
    trigger_delay: 2,
    trigger_delay_enabled: false,
    collect_email: true,
    keep_emails: true,
    consent_text: 'We may email you.',
    version: 3,
    size_preset: 'medium',
    is_active: true,
    border_radius: 12,
    font_style: 'modern',
    shadow_style: 'soft',
    created_at: '2024-01-01T00:00:00+00:00',
  }
  const link = {
    id: '22222222-2222-4222-8222-222222222222',
    short_code: `in-${tail}`,
    original_url: 'https://harbor.example/spring',
    title: 'Spring',
    tags: ['books'],
    created_at: '2021-03-04T05:06:07+00:00',
    max_clicks: 500,
    click_count: 12,
    show_popup: true,
    popup_id: popup.id,
    former_url: `bit.ly/${tail}`,
    aliases: [`old-${tail}`],
    rules: [{ id: 'r1', when: [{ fact: 'country', is: ['DE'] }], to: 'https://harbor.example/de' }],
    history: [
      {
        changed_at: '2022-01-01T00:00:00+00:00',
        from_url: 'https://harbor.example/winter',
        to_url: 'https://harbor.example/spring',
      },
    ],
    placements: [
      { name: 'Table 4', mark: 'b4', utm_source: 'print', created_at: '2023-01-01T00:00:00Z' },
    ],
    expectations: [
      { name: 'Germans', visit: { country: 'DE' }, expected_url: 'https://harbor.example/de' },
    ],
  }
  const lead = (email: string, state: string) => ({
    id: crypto.randomUUID(),
    email,
    state,
    popup_id: popup.id,
    popup_version: 3,
    consent_text: 'We may email you.',
    tags: ['vip'],
    created_at: '2023-05-05T00:00:00+00:00',
    ...(state === 'confirmed' && { confirmed_at: '2023-05-05T00:00:01+00:00' }),
  })
  return {
    'archive.json': manifest(),
    'tags.jsonl': lines([{ name: 'books', color: '#16a34a', created_at: '2021-01-01T00:00:00Z' }]),
    'popups.jsonl': lines([popup]),
    'links.jsonl': lines([link]),
    'bio_page.json': strToU8(
      JSON.stringify({
        id: '33333333-3333-4333-8333-333333333333',
        slug: `bio-${tail}`,
        title: 'Harbor Books',
        description: null,
        popup_id: null,
        theme_primary: '262 83% 58%',
        theme_background: '0 0% 100%',
        theme_text: '222 47% 11%',
        look: 'poster',
        avatar_url: path,
        links: [
          {
            title: 'Shop',
            url: 'https://harbor.example',
            link_order: 0,
            is_visible: true,
            kind: 'link',
            image_url: null,
          },
        ],
        social_links: [
          { platform: 'instagram', url: 'https://instagram.com/harbor', display_order: 0 },
        ],
      }),
    ),
    'audience.jsonl': lines([
      lead(`a-${tail}@example.com`, 'confirmed'),
      lead(`left-${tail}@example.com`, 'confirmed'),
      lead(`erased-${tail}@example.com`, 'confirmed'),
    ]),
    'utm_templates.jsonl': lines([{ name: 'Letter', utm_source: 'mail' }]),
    'qr_looks.jsonl': lines([{ name: 'Ours', look: { cells: 'dots' }, is_default: true }]),
    'day_notes.jsonl': lines([{ day: '2026-03-01', text: 'Fair' }]),
    [`media/${path.slice(7)}`]: new Uint8Array(image),
  }
}

type Files = Record<string, Uint8Array>
const zipOf = (files: Files) => zipSync(files) as Uint8Array<ArrayBuffer>

test('an archive brings links with all that belongs to them, page, popups, audience and images', async () => {
  const user = await makeUser(server, { plan: 'business' })
  const imports = importsOf(server, user)
  const tail = user.id.slice(0, 8)
  const left = await server.sql(
    `with audience as (insert into app.audiences (user_id) values ($1) returning user_id)
    insert into app.leads (user_id, popup_version, email, consent_text, state, unsubscribe_token, unsubscribed_at)
      select user_id, 1, $2, '', 'unsubscribed', app.new_lead_token(), now() from audience
      union all select user_id, 1, $3, '', 'confirmed', app.new_lead_token(), null from audience returning email`,
    [user.id, `left-${tail}@example.com`, `erased-${tail}@example.com`],
  )
  expect(left).toHaveLength(2)
  const erased = await fetch(`${server.url}/rest/v1/rpc/erase_lead`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ _email: `erased-${tail}@example.com` }),
  })
  expect(await erased.json()).toBe(1)

  const shown = await imports.check(zipOf(await archiveOf(user)), 'hoplet-archive.zip')
  expect(shown).toMatchObject({ source: 'archive', state: 'ready', rows: 10, totals: { made: 10 } })
  const done = await imports.run(shown.id)
  expect(done).toMatchObject({ state: 'done', results: { made: 8, skipped: 2 } })

  const [link] = await server.sql(
    `select s.short_code, s.title, s.tags, s.created_at, s.max_clicks, s.former_url, s.clicks_before, s.show_popup,
      p.title as popup, r.rules, (select array_agg(name) from app.names n where n.alias_of = s.short_code) as aliases,
      (select jsonb_agg(h.from_url) from app.link_history h where h.link_id = s.id) as history,
      (select jsonb_agg(jsonb_build_array(p.name, p.mark, p.utm_source)) from app.placements p where p.link_id = s.id) as placements,
      (select jsonb_agg(e.name) from app.link_expectations e where e.link_id = s.id) as expectations
    from app.shortened_urls s left join app.popups p on p.id = s.popup_id left join app.link_rules r on r.link_id = s.id
    where s.user_id = $1`,
    [user.id],
  )
  expect(link).toMatchObject({
    short_code: `in-${tail}`,
    title: 'Spring',
    tags: ['books'],
    created_at: new Date('2021-03-04T05:06:07Z'),
    // The limit is less the clicks that were used.
    max_clicks: '488',
    former_url: `bit.ly/${tail}`,
    clicks_before: '12',
    show_popup: true,
    popup: 'Winter sale',
    aliases: [`old-${tail}`],
    history: ['https://harbor.example/winter'],
    placements: [['Table 4', 'b4', 'print']],
    expectations: ['Germans'],
  })
  const visit = await fetch(`${server.url}/old-${tail}`, { redirect: 'manual' })
  expect(visit.status).not.toBe(404)

  const leads = await server.sql(
    'select email, state, tags from app.leads where user_id = $1 order by email',
    [user.id],
  )
  expect(leads).toEqual([
    { email: `a-${tail}@example.com`, state: 'confirmed', tags: ['imported', 'vip'] },
    { email: `left-${tail}@example.com`, state: 'unsubscribed', tags: [] },
  ])
  const [page] = await server.sql<{ slug: string; avatar_url: string; links: number }>(
    `select b.slug, b.avatar_url, (select count(*)::int from app.bio_links l where l.bio_page_id = b.id) as links
      from app.bio_pages b where b.user_id = $1`,
    [user.id],
  )
  expect(page).toMatchObject({ slug: `bio-${tail}`, links: 1 })
  expect((await fetch(`${server.url}${page?.avatar_url}`)).status).toBe(200)
  const others = await server.sql(
    `select (select color from app.tags where user_id = $1) as color,
      (select name from app.utm_templates where user_id = $1) as template,
      (select is_default from app.qr_looks where user_id = $1) as look,
      (select text from app.day_notes where user_id = $1) as note`,
    [user.id],
  )
  expect(others).toEqual([{ color: '#16a34a', template: 'Letter', look: true, note: 'Fair' }])

  // The same archive again changes nothing.
  const again = await imports.check(zipOf(await archiveOf(user)), 'hoplet-archive.zip')
  expect(await imports.run(again.id)).toMatchObject({ state: 'done', results: { skipped: 10 } })

  await imports.act(shown.id, 'undo')
  const undone = await imports.until(shown.id, 'undone')
  expect(undone.results).toMatchObject({ undone: 8 })
  expect(await server.sql('select from app.shortened_urls where user_id = $1', [user.id])).toEqual(
    [],
  )
})

async function refusalOf(files: Files | Uint8Array<ArrayBuffer>) {
  const imports = importsOf(server, await makeUser(server))
  const content = files instanceof Uint8Array ? files : zipOf(files)
  const response = await imports.sendFile(content, 'archive.zip')
  return [response.status, ((await response.json()) as { error: string }).error]
}

test('an archive of a later version, and a zip of something else, are refused with a sentence', async () => {
  expect(await refusalOf({ 'archive.json': manifest({ version: 2 }) })).toEqual([
    422,
    'This archive has format 2. This server reads formats up to 1: please update it first.',
  ])
  expect((await refusalOf({ 'links.csv': strToU8('a,b') }))[1]).toMatch(/not an archive/)
})

test('damaged and hostile archives are refused, and leave nothing behind', async () => {
  const whole = zipOf({ 'archive.json': manifest(), 'links.jsonl': lines([{ original_url: 'x' }]) })
  expect((await refusalOf(whole.slice(0, whole.length - 30)))[0]).toBe(422)
  const climbing = { 'archive.json': manifest(), '../../etc/passwd': strToU8('x') }
  expect(await refusalOf(climbing)).toEqual([422, 'The archive is damaged'])
  expect(
    await refusalOf({ 'archive.json': manifest(), 'links.jsonl': strToU8('{"a":1}\nnonsense\n') }),
  ).toEqual([422, 'Line 2 of links.jsonl is not an object'])
  const bomb = { 'archive.json': manifest(), 'links.jsonl': new Uint8Array(300 * 1024 * 1024) }
  expect(await refusalOf(bomb)).toEqual([422, 'A line is longer than 4 MB'])
})

test('a link with 1,000 placements is one row of an archive', async () => {
  const user = await makeUser(server, { plan: 'business' })
  const marks = Array.from({ length: 1_000 }, (_, i) => `m${i.toString(36).padStart(3, '0')}`)
  const placements = marks.map((mark) => ({
    name: `Table ${'x'.repeat(60)} ${mark}`,
    mark,
    utm_campaign: 'y'.repeat(90),
  }))
  const files = {
    'archive.json': manifest(),
    'links.jsonl': lines([{ original_url: 'https://a.example', placements }]),
  }
  const imports = importsOf(server, user)
  const done = await imports.run((await imports.check(zipOf(files), 'archive.zip')).id)
  expect(done).toMatchObject({ state: 'done', results: { made: 1 } })
  const [count] = await server.sql(
    'select count(*)::int as n from app.placements where user_id = $1',
    [user.id],
  )
  expect(count).toEqual({ n: 1_000 })
})

test('an archive made by hand with ids of somebody else brings nothing of theirs', async () => {
  const owner = await makeUser(server, { plan: 'business' })
  const user = await makeUser(server, { plan: 'business' })
  const [theirs] = await server.sql<{ id: string }>(
    `insert into app.popups (user_id, title) values ($1, 'Theirs') returning id`,
    [owner.id],
  )
  const code = `by-hand-${user.id.slice(0, 8)}`
  const row = {
    id: theirs?.id,
    user_id: owner.id,
    short_code: code,
    original_url: 'https://a.example',
    popup_id: theirs?.id,
    show_popup: true,
    click_count: 1_000_000,
    charged_at: '-infinity',
    is_custom: false,
  }
  const files = {
    'archive.json': manifest(),
    'links.jsonl': lines([row]),
    'tags.jsonl': lines([{ name: 'mine', user_id: owner.id }]),
  }
  const imports = importsOf(server, user)
  await imports.run((await imports.check(zipOf(files), 'archive.zip')).id)
  const [link] = await server.sql(
    'select user_id, popup_id, click_count, charged_at from app.shortened_urls where short_code = $1',
    [code],
  )
  expect(link).toEqual({ user_id: user.id, popup_id: null, click_count: '0', charged_at: null })
  expect(await server.sql('select from app.tags where user_id = $1', [owner.id])).toEqual([])
})
