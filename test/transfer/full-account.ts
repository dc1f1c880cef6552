import { expect } from 'vitest'
import { give, makeAudience } from '../leads/give.ts'
import { newPicture, upload } from '../media/uploads.ts'
import type { TestServer } from '../server.ts'
import { type Account, makeAccount, send } from '../tables/accounts.ts'
import type { Row } from './archive-client.ts'

/** Rows of the table door as their owner reads them. */
export async function rows(server: TestServer, who: Account, path: string): Promise<Row[]> {
  const { status, body } = await send(server, who, 'GET', path)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Row[]
}

/** Writes a row over the table door, and returns it. */
export async function write(
  server: TestServer,
  who: Account,
  path: string,
  row: unknown,
  method = 'POST',
): Promise<Row> {
  const answer = await send(server, who, method, path, row, { prefer: 'return=representation' })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  const body = answer.body as Row | Row[]
  return Array.isArray(body) ? (body[0] ?? {}) : body
}

async function image(server: TestServer, who: Account): Promise<string> {
  const { status, body } = await upload(server, who, await newPicture())
  expect(status).toBe(201)
  return body.imageUrl ?? ''
}

/** An account with something of everything, and its audience. */
export async function makeFullAccount(server: TestServer, name: string) {
  const owner = await makeAccount(server, { plan: 'business' })
  const audience = await makeAudience(server, {}, owner)
  const [picture, avatar, preview] = [
    await image(server, owner),
    await image(server, owner),
    await image(server, owner),
  ]
  await write(server, owner, `popups?id=eq.${audience.popup}`, { image_url: picture }, 'PATCH')
  await give(server, audience, `ann.${name}@example.com`)
  await write(server, owner, 'tags', { user_id: owner.id, name: 'Spring', color: '#22aa55' })
  const link = await write(server, owner, 'shortened_urls', {
    user_id: owner.id,
    short_code: `${name}-first`,
    original_url: 'https://harbor.example/one',
    title: '=SUM(A1)',
    note: 'two\nlines',
    tags: ['Spring', 'Summer'],
    preview_title: 'Shown',
    preview_image_url: preview,
    password: 'let me in',
    ends_at: '2035-01-01T00:00:00Z',
    forward_query: 'all',
    external_id: `ext-${name}`,
    former_url: 'bit.ly/one',
  })
  const path = `shortened_urls?id=eq.${String(link['id'])}`
  await write(server, owner, path, { original_url: 'https://harbor.example/two' }, 'PATCH')
  await write(server, owner, path, { original_url: 'https://harbor.example/three' }, 'PATCH')
  await write(server, owner, 'rpc/rename_link', { _link: link['id'], _code: `${name}-renamed` })
  const rules = [{ when: [{ fact: 'country', is: ['DE'] }], to: 'https://harbor.example/de' }]
  const { status, body } = await send(server, owner, 'POST', 'rpc/save_link_rules', {
    _link: link['id'],
    _rules: rules,
    _version: 0,
  })
  expect(status, JSON.stringify(body)).toBe(200)
  await write(server, owner, 'rpc/create_placements', {
    _link: link['id'],
    _names: ['Table 4', 'Window'],
    _utm: { utm_source: 'print' },
  })
  await write(server, owner, 'link_expectations', {
    link_id: link['id'],
    name: 'Germany',
    visit: { country: 'DE', password: true },
    expected_url: 'https://harbor.example/de',
  })
  await write(server, owner, 'shared_reports', {
    link_id: link['id'],
    title: 'For the team',
    password: 'sesame',
  })
  await write(server, owner, 'utm_templates', {
    user_id: owner.id,
    name: 'Letter',
    utm_source: 'news',
  })
  await write(server, owner, 'qr_looks', {
    user_id: owner.id,
    name: 'Dots',
    look: { cells: 'dots' },
  })
  await write(server, owner, 'day_notes', { user_id: owner.id, day: '2026-03-01', text: 'Launch' })
  await send(server, owner, 'POST', 'rpc/save_bio_page', {
    page: {
      user_id: owner.id,
      slug: `${name}-page`,
      title: 'Harbor',
      avatar_url: avatar,
      popup_id: audience.popup,
    },
    links: [
      { title: 'Menu', url: 'https://harbor.example/menu', link_order: 0 },
      { title: 'Map', url: 'https://harbor.example/map', link_order: 1, is_visible: false },
    ],
    social_links: [{ platform: 'github', url: 'https://github.com/harbor', display_order: 0 }],
  })
  return { owner, audience, link, images: [picture, avatar, preview] }
}
