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

interface Made {
  id: string
  short_code: string
}

async function make(options: object = {}): Promise<Made> {
  const row = { user_id: owner.id, original_url: menu, ...options }
  const { status, body } = await send(server, owner, 'POST', 'shortened_urls', row, single)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body as Made
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

const refusal = (...details: string[]) => ({
  code: 'PT409',
  hint: 'expectation_failed',
  details: details.join('\n'),
})
const broken = ({ short_code: code }: Made) => ({
  status: 409,
  body: refusal(`${code}: The poster`),
})

const createLinks = (rows: object[], body: object = {}) =>
  send(server, owner, 'POST', 'rpc/create_links', { _links: rows, ...body })

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
    expect(await change(link, { original_url: elsewhere })).toMatchObject(broken(link))
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
    expect(await change(link, changes)).toMatchObject(broken(link))
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
    expect(await save()).toMatchObject(broken(link))
    expect(
      (await createLinks([{ original_url: elsewhere, external_id: 'expected' }])).body,
    ).toEqual([
      { index: 0, status: 'failed', error: expect.objectContaining(broken(link).body) as unknown },
    ])
    expect(await urlOf(link)).toBe(menu)
    const path = 'shortened_urls?on_conflict=user_id,external_id'
    const upsert = { user_id: owner.id, original_url: elsewhere, external_id: 'expected' }
    const merge = { prefer: 'resolution=merge-duplicates' }
    expect(await send(server, owner, 'POST', path, upsert, merge)).toMatchObject(broken(link))
    expect((await save(ignore)).status).toBe(200)
    const others = [{ when: [{ fact: 'country', is: ['NZ'] }], to: elsewhere }]
    const kept = { _link: link.id, _rules: others, _version: 1 }
    expect((await send(server, owner, 'POST', 'rpc/save_link_rules', kept)).status).toBe(200)
  })

  it('must be met when it is saved, and has a simulated visit', async () => {
    const link = await make()
    expect(await expectation(link, { expected_url: elsewhere })).toMatchObject(broken(link))
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
      expect(await change(link, { original_url: elsewhere }, once)).toMatchObject(broken(link))
  })

  it('refuses only a change that breaks it, and none of a link that breaks it already', async () => {
    const link = await make({ tags: ['Summer'] })
    await expectation(link)
    await change(link, { ends_at: '2001-01-01T00:00:00Z' }, ignore)
    for (const changes of [
      { note: 'Over' },
      { tags: ['Summer', 'Over'] },
      { archived_at: '2026-01-01T00:00:00Z' },
      { original_url: elsewhere },
      { redirect_status: 307 },
      { is_disabled: true },
      { is_disabled: false },
      { ends_at: null },
    ])
      expect((await change(link, changes)).status).toBe(204)
    const rename = { name: 'Winter' }
    expect((await send(server, owner, 'PATCH', 'tags?name=eq.Summer', rename)).status).toBe(204)
    const [unmet] = (await send(server, owner, 'GET', `link_expectations?link_id=eq.${link.id}`))
      .body as { id: string }[]
    const renamed = await send(server, owner, 'PATCH', `link_expectations?id=eq.${unmet?.id}`, {
      name: 'The old poster',
    })
    expect(renamed.status).toBe(204)

    const other = { name: 'Germany', visit: { country: 'DE' }, expected_url: elsewhere }
    expect((await expectation(link, other)).status).toBe(201)
    // It is met from here on, so it can be broken again.
    expect((await change(link, { original_url: menu })).body).toMatchObject(
      refusal(`${link.short_code}: Germany`),
    )
    expect((await change(link, { original_url: menu }, ignore)).status).toBe(204)
    expect((await change(link, { original_url: elsewhere })).body).toMatchObject(
      refusal(`${link.short_code}: The old poster`),
    )
  })

  it('must be met again when its visit or address changes', async () => {
    const link = await make()
    await expectation(link)
    await change(link, { original_url: elsewhere }, ignore)
    const edit = (changes: object) =>
      send(server, owner, 'PATCH', `link_expectations?link_id=eq.${link.id}`, changes)
    expect(await edit({ expected_url: 'https://example.com/third' })).toMatchObject(broken(link))
    expect(await edit({ visit: { source: 'link' } })).toMatchObject(broken(link))
    expect((await edit({ expected_url: elsewhere })).status).toBe(204)
  })

  it('refuses one row of create_links, and the others are made', async () => {
    const link = await make({ external_id: 'of many' })
    await expectation(link)
    const rows = [
      { original_url: 'https://example.com/new' },
      { original_url: elsewhere, external_id: 'of many' },
      { original_url: 'https://example.com/other', external_id: 'other' },
    ]
    const refused = { index: 1, status: 'failed', error: broken(link).body }
    expect((await createLinks(rows)).body).toMatchObject([
      { status: 'created' },
      refused,
      { status: 'created' },
    ])
    expect(await urlOf(link)).toBe(menu)
    const all = await createLinks(rows, { _all_or_nothing: true })
    expect(all).toMatchObject({ status: 400, body: { code: 'PT400' } })
    expect(JSON.parse(String((all.body as { details: string }).details))).toMatchObject([refused])
    const unbroken = { original_url: menu, external_id: 'of many', title: 'Control' }
    expect((await createLinks([unbroken])).body).toMatchObject([{ status: 'updated' }])
  })

  it('names each link in the refusal of a change of many', async () => {
    const links = [await make(), await make(), await make()]
    for (const link of links.slice(0, 2)) await expectation(link)
    const codes = links.map(({ short_code: code }) => code)
    const path = `shortened_urls?short_code=in.(${codes.join()})`
    const changed = await send(server, owner, 'PATCH', path, { original_url: elsewhere })
    expect(changed).toMatchObject({
      status: 409,
      body: {
        hint: 'expectation_failed',
        message: expect.stringContaining('2 expectations') as unknown,
      },
    })
    const { details } = changed.body as { details: string }
    expect(details.split('\n').sort()).toEqual(
      codes
        .slice(0, 2)
        .map((code) => `${code}: The poster`)
        .sort(),
    )
  })

  it('is one of at most 500 that a request may concern', async () => {
    const wanted = Array.from({ length: 26 }, (_, i) => ({
      original_url: menu,
      external_id: `full-${i}`,
    }))
    await createLinks(wanted)
    await server.sql(
      `insert into app.link_expectations (link_id, name, visit, expected_url)
        select s.id, 'Number ' || n, '{}', $1
        from app.shortened_urls s, generate_series(1, 20) n
        where s.user_id = $2 and s.external_id like 'full-%'`,
      [menu, owner.id],
    )
    const path = 'shortened_urls?external_id=like.full-'
    const status = { redirect_status: 307 }
    expect(await send(server, owner, 'PATCH', `${path}*`, status)).toMatchObject({
      status: 413,
      body: { code: 'PT413', hint: 'too_many_expectations' },
    })
    expect((await send(server, owner, 'PATCH', `${path}*5`, status)).status).toBe(204)
    expect((await send(server, owner, 'PATCH', `${path}*`, status, ignore)).status).toBe(204)
    const rows = wanted.map((row) => ({ ...row, redirect_status: 302 }))
    const { body } = await createLinks(rows)
    const failed = (body as { status: string; error?: { code: string } }[]).filter(
      (row) => row.status === 'failed',
    )
    expect(failed).toMatchObject([{ error: { code: 'PT413' } }])
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
