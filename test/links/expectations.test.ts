import { beforeAll, describe, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'

let server: TestServer
let owner: Account
beforeAll(async () => {
  server = await sharedServer()
  owner = await makeAccount(server, { plan: 'business' })
})

const menu = 'https://example.com/menu'
const elsewhere = 'https://example.org/elsewhere'
const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }
const ignore = { prefer: 'expectations=ignore' }

async function make(options: object = {}): Promise<{ id: string }> {
  const row = { user_id: owner.id, original_url: menu, ...options }
  const { status, body } = await send(server, owner, 'POST', 'shortened_urls', row, single)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body as { id: string }
}

const expectation = (link: { id: string }, changes: object = {}, headers = {}) =>
  send(
    server,
    owner,
    'POST',
    'link_expectations',
    {
      link_id: link.id,
      name: 'The poster',
      visit: { source: 'qr' },
      expected_url: menu,
      ...changes,
    },
    headers,
  )

const change = (link: { id: string }, changes: object, headers = {}) =>
  send(server, owner, 'PATCH', `shortened_urls?id=eq.${link.id}`, changes, headers)

const broken = {
  status: 409,
  body: { code: 'PT409', hint: 'expectation_failed', details: 'The poster' },
}

const urlOf = async ({ id }: { id: string }) =>
  (
    await server.sql<{ url: string }>(
      'select original_url as url from app.shortened_urls where id = $1',
      [id],
    )
  )[0]?.url

describe('an expectation', () => {
  it('refuses a destination that breaks it, with its name, and nothing is saved', async () => {
    const link = await make()
    expect((await expectation(link)).status).toBe(201)
    expect(await change(link, { original_url: elsewhere })).toMatchObject(broken)
    expect(await urlOf(link)).toBe(menu)
    expect((await change(link, { title: 'Control' })).status).toBe(204)
    expect((await change(link, { original_url: elsewhere }, ignore)).status).toBe(204)
    expect(await urlOf(link)).toBe(elsewhere)
  })

  it.each([
    ['a password', { password: 'x' }],
    ['a start in the future', { starts_at: '2999-01-01T00:00:00Z' }],
    ['an end in the past', { ends_at: '2001-01-01T00:00:00Z' }],
    ['switching off', { is_disabled: true }],
  ])('is broken by %s', async (_name, changes) => {
    const link = await make()
    await expectation(link)
    expect(await change(link, changes)).toMatchObject(broken)
    expect((await change(link, changes, ignore)).status).toBe(204)
  })

  it('is checked when rules are saved, and by every other door', async () => {
    const link = await make({ external_id: 'expected' })
    await expectation(link)
    const rules = [{ when: [{ fact: 'source', is: ['qr'] }], to: elsewhere }]
    const save = (headers = {}) =>
      send(
        server,
        owner,
        'POST',
        'rpc/save_link_rules',
        { _link: link.id, _rules: rules, _version: 0 },
        headers,
      )
    expect(await save()).toMatchObject(broken)
    const bulk = { _links: [{ original_url: elsewhere, external_id: 'expected' }] }
    expect(await send(server, owner, 'POST', 'rpc/create_links', bulk)).toMatchObject(broken)
    expect(await urlOf(link)).toBe(menu)
    const path = 'shortened_urls?on_conflict=user_id,external_id'
    const upsert = { user_id: owner.id, original_url: elsewhere, external_id: 'expected' }
    const merge = { prefer: 'resolution=merge-duplicates' }
    expect(await send(server, owner, 'POST', path, upsert, merge)).toMatchObject(broken)
    expect((await save(ignore)).status).toBe(200)
    const others = [{ when: [{ fact: 'country', is: ['NZ'] }], to: elsewhere }]
    const kept = { _link: link.id, _rules: others, _version: 1 }
    expect((await send(server, owner, 'POST', 'rpc/save_link_rules', kept)).status).toBe(200)
  })

  it('must be met when it is saved, and has a simulated visit', async () => {
    const link = await make()
    expect(await expectation(link, { expected_url: elsewhere })).toMatchObject(broken)
    expect(await expectation(link, { visit: { country: 'Germany' } })).toMatchObject({
      status: 400,
      body: { code: '22023' },
    })
    expect((await expectation(link, { visit: { country: 'DE' } })).status).toBe(201)
  })

  it('does not stand in the way of a link that is off, or of a repeated request', async () => {
    const link = await make()
    await expectation(link)
    await change(link, { is_disabled: true }, ignore)
    expect((await change(link, { title: 'Still off' })).status).toBe(204)
    const once = { 'idempotency-key': `expected ${link.id}` }
    await change(link, { is_disabled: false })
    for (let i = 0; i < 2; i++)
      expect(await change(link, { original_url: elsewhere }, once)).toMatchObject(broken)
  })

  it('does not stand in the way of changes that no visitor meets, after the link has ended', async () => {
    const tagged = await make({ tags: ['Summer'] })
    await expectation(tagged)
    await change(tagged, { ends_at: '2001-01-01T00:00:00Z' }, ignore)
    for (const changes of [
      { note: 'Over' },
      { title: 'Summer sale' },
      { tags: ['Summer', 'Over'] },
      { archived_at: '2026-01-01T00:00:00Z' },
    ])
      expect((await change(tagged, changes)).status).toBe(204)
    const rename = { name: 'Winter' }
    expect((await send(server, owner, 'PATCH', 'tags?name=eq.Summer', rename)).status).toBe(204)
    expect(await change(tagged, { original_url: elsewhere })).toMatchObject(broken)
  })

  it('is its owner’s, and there are at most 20', async () => {
    const link = await make()
    const other = await makeAccount(server, { plan: 'business' })
    const row = { link_id: link.id, name: 'Foreign', visit: {}, expected_url: menu }
    expect((await send(server, other, 'POST', 'link_expectations', row)).status).toBe(403)
    for (let i = 0; i < 20; i++)
      expect((await expectation(link, { name: `Number ${i}` })).status).toBe(201)
    expect((await expectation(link, { name: 'One more' })).status).toBe(400)
    expect((await send(server, other, 'GET', 'link_expectations?select=id')).body).toEqual([])
  })
})
