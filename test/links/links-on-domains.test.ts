import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { reservedOnDomains } from '#domain/links/domain-paths.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { visit } from '#test/visits/visit.ts'

const host = 'go.acme.example'

let server: TestServer
let owner: TestUser
let other: TestUser

beforeAll(async () => {
  server = await startTestServer({ publicUrl: 'https://hop.example' })
  owner = await makeUser(server, { plan: 'business' })
  other = await makeUser(server)
  await addDomain(owner, host)
  await addDomain(owner, 'second.example')
  await addDomain(owner, 'waiting.example', false)
  await addDomain(other, 'other.example')
  await vi.waitUntil(() => server.context.hosts.knownPlaceAt('other.example'), { timeout: 60_000 })
})
afterAll(() => server.close())

const addDomain = (user: TestUser, name: string, isServed = true) =>
  server.sql('insert into app.domains (user_id, host, is_served) values ($1, $2, $3)', [
    user.id,
    name,
    isServed,
  ])

interface Answer {
  status: number
  body: unknown
}

async function send(
  user: TestUser | undefined,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/rest/v1/${path}`, {
    method,
    headers: {
      ...(user?.headers ?? { apikey: server.anonKey }),
      'content-type': 'application/json',
      prefer: 'return=representation',
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
}

const rpc = (name: string, args: object, user = owner) => send(user, 'POST', `rpc/${name}`, args)
const make = (link: object, user = owner) =>
  send(user, 'POST', 'shortened_urls?select=id,short_code,domain', {
    user_id: user.id,
    original_url: 'https://example.com/',
    ...link,
  })
const find = async (query: string, user: TestUser | undefined = owner) =>
  (await send(user, 'GET', `shortened_urls?select=short_code,domain&${query}`)).body
const reaches = async (at: string, code: string) =>
  (await visit(server.url, `/${code}`, { headers: { host: at } })).location

describe('a link on a domain', () => {
  it('has its name and its host apart, and its name is free elsewhere', async () => {
    expect(
      await make({
        short_code: 'Menu',
        domain: 'GO.acme.example.',
        original_url: 'https://example.com/acme',
      }),
    ).toMatchObject({ status: 201, body: [{ short_code: 'menu', domain: host }] })
    expect(await make({ short_code: 'menu', domain: 'second.example' })).toMatchObject({
      body: [{ short_code: 'menu', domain: 'second.example' }],
    })
    expect(await make({ short_code: 'menu', domain: 'hop.example' })).toMatchObject({
      body: [{ short_code: 'menu', domain: null }],
    })
    expect(await make({ short_code: 'menu', domain: host })).toMatchObject({
      status: 409,
      body: { message: 'Code Already Taken' },
    })
    const random = (await make({ domain: host })).body as { short_code: string }[]
    expect(random[0]?.short_code).toMatch(/^[a-z0-9]{6}$/)
    expect(await reaches(host, 'menu')).toBe('https://example.com/acme')
    expect(await reaches('second.example', 'menu')).toBe('https://example.com/')
  })

  it('is refused on a domain of another account, an unknown one and a reserved word', async () => {
    for (const domain of ['other.example', 'nobody.example', 'go.acme.example/x'])
      expect(await make({ domain })).toMatchObject({
        status: 400,
        body: { message: 'Unknown Domain' },
      })
    for (const short_code of ['report', 'audience', 'well-known'])
      expect(await make({ short_code, domain: host })).toMatchObject({ status: 409 })
    const [row] = await server.sql<{ words: string[] }>('select app.reserved_on_domains() as words')
    expect(row?.words).toEqual(reservedOnDomains)
    // Words of the app are names as others there.
    expect(await make({ short_code: 'dashboard', domain: host })).toMatchObject({ status: 201 })
    expect(await make({ short_code: 'dashboard', domain: '' })).toMatchObject({ status: 409 })
  })

  it('is found by its host and name, or by its name beside the filter of its domain', async () => {
    const found = [{ short_code: 'menu', domain: host }]
    expect(await find(`short_code=eq.${host}/menu`)).toEqual(found)
    expect(await find(`short_code=eq.menu&domain=eq.${host}`)).toEqual(found)
    expect(await find(`short_code=in.(${host}/menu,${host}/dashboard)&order=short_code`)).toEqual([
      { short_code: 'dashboard', domain: host },
      ...found,
    ])
    expect(await find('short_code=eq.menu')).toEqual([{ short_code: 'menu', domain: null }])
    expect(await find('short_code=like.men*&domain=not.is.null&order=domain')).toEqual([
      ...found,
      { short_code: 'menu', domain: 'second.example' },
    ])
    // Keys are no names.
    const [row] = await server.sql<{ id: number }>('select id from app.domains where host = $1', [
      host,
    ])
    expect(await find(`short_code=eq.${row?.id}/menu`)).toEqual([])
  })

  it('waits on a domain of the account that is not verified yet', async () => {
    expect(await make({ short_code: 'soon', domain: 'waiting.example' })).toMatchObject({
      status: 201,
      body: [{ short_code: 'soon', domain: 'waiting.example' }],
    })
    expect(await reaches('waiting.example', 'soon')).toBe('/404')
    expect(await find('short_code=eq.waiting.example/soon', other)).toEqual([])
    await server.sql(`update app.domains set is_served = true where host = 'waiting.example'`)
    await vi.waitUntil(() => server.context.hosts.knownPlaceAt('waiting.example'), {
      timeout: 60_000,
    })
    expect(await reaches('waiting.example', 'soon')).toBe('https://example.com/')
  })

  it('is looked up by everyone, with the public columns', async () => {
    const look = (query: string) =>
      send(undefined, 'GET', `shortened_urls?select=short_code,original_url,domain&${query}`)
    expect(await look(`short_code=eq.${host}/menu`)).toMatchObject({
      body: [{ short_code: 'menu', original_url: 'https://example.com/acme', domain: host }],
    })
    expect(await look(`short_code=eq.nobody.example/menu`)).toMatchObject({ body: [] })
    expect(await find(`short_code=eq.${host}/menu`, other)).toEqual([
      { short_code: 'menu', domain: host },
    ])
  })

  it('keeps its domain and code when it is changed', async () => {
    const at = `shortened_urls?short_code=eq.${host}/menu&select=short_code,domain`
    expect(await send(owner, 'PATCH', at, { title: 'Lunch' })).toMatchObject({
      status: 200,
      body: [{ short_code: 'menu', domain: host }],
    })
    for (const change of [{ domain: 'second.example' }, { domain: null }, { short_code: 'other' }])
      expect(await send(owner, 'PATCH', at, change)).toMatchObject({ status: 403 })
  })

  it('is made and changed in bulk, and by its external id', async () => {
    const links = [
      {
        original_url: 'https://example.com/1',
        short_code: 'bulk',
        domain: host,
        external_id: 'b1',
      },
      { original_url: 'https://example.com/2', short_code: 'bulk' },
      { original_url: 'https://example.com/3', domain: 'other.example' },
    ]
    expect((await rpc('create_links', { _links: links })).body).toMatchObject([
      { status: 'created', link: { short_code: 'bulk', domain: host } },
      { status: 'created', link: { short_code: 'bulk', domain: null } },
      { status: 'failed', error: { message: 'Unknown Domain' } },
    ])
    const again = {
      original_url: 'https://example.com/4',
      short_code: 'bulk',
      domain: host,
      external_id: 'b1',
    }
    expect((await rpc('create_links', { _links: [again] })).body).toMatchObject([
      { status: 'updated', link: { short_code: 'bulk', domain: host } },
    ])
    expect((await rpc('create_links', { _links: [{ ...again, domain: '' }] })).body).toMatchObject([
      { status: 'failed' },
    ])
    const reuse = { original_url: 'https://example.com/4', reuse: true }
    expect(
      (await rpc('create_links', { _links: [{ ...reuse, domain: host }] })).body,
    ).toMatchObject([{ status: 'reused', link: { short_code: 'bulk', domain: host } }])
    expect((await rpc('create_links', { _links: [reuse] })).body).toMatchObject([
      { status: 'created' },
    ])
    const upsert = await send(
      owner,
      'POST',
      'shortened_urls?on_conflict=user_id,external_id&select=short_code,domain',
      { user_id: owner.id, external_id: 'b1', original_url: 'https://example.com/5' },
      { prefer: 'return=representation,resolution=merge-duplicates' },
    )
    expect(upsert).toMatchObject({ status: 200, body: [{ short_code: 'bulk', domain: host }] })
  })

  it('is renamed on its domain, keeps its former code there, and gives it up', async () => {
    const [row] = (await send(owner, 'GET', `shortened_urls?short_code=eq.${host}/bulk&select=id`))
      .body as { id: string }[]
    expect((await rpc('rename_link', { _link: row?.id, _code: 'fresh' })).body).toMatchObject([
      { short_code: 'fresh', domain: host, aliases: ['bulk'] },
    ])
    expect(await reaches(host, 'bulk')).toBe('https://example.com/5')
    expect(await find(`short_code=eq.${host}/bulk`)).toEqual([
      { short_code: 'fresh', domain: host },
    ])
    expect((await rpc('release_alias', { _code: `${host}/bulk` })).status).toBe(204)
    expect(await reaches(host, 'bulk')).toBe('/404')
    expect(await reaches('hop.example', 'bulk')).toBe('https://example.com/2')
  })

  it('gets a free code of its host', async () => {
    const free = async (_short_code: string, _domain?: string) =>
      (await rpc('free_code', { _short_code, ...(_domain !== undefined && { _domain }) })).body
    expect(await free('menu', host)).toBe('menu-2')
    expect(await free('lunch', host)).toBe('lunch')
    expect(await free('report', host)).toBe('report-2')
    expect(await free('bulk')).toBe('bulk-2')
    expect(await rpc('free_code', { _short_code: 'x', _domain: 'other.example' })).toMatchObject({
      status: 400,
    })
  })

  it('is listed by its domain, in pages by code', async () => {
    const list = async (args: object) =>
      (await rpc('list_links?select=short_code,domain,id,created_at', { _sort: 'code', ...args }))
        .body as {
        short_code: string
        domain: string | null
      }[]
    const onHost = await list({ _domain: host })
    expect(new Set(onHost.map(({ domain }) => domain))).toEqual(new Set([host]))
    expect(onHost.map(({ short_code }) => short_code)).toContain('menu')
    expect(new Set((await list({ _domain: '' })).map(({ domain }) => domain))).toEqual(
      new Set([null]),
    )
    const all = await list({})
    const paged = []
    for (let after: object | undefined; ;) {
      const [next] = await list({ _limit: 1, ...(after && { _after: after }) })
      if (!next) break
      paged.push(next)
      after = next
    }
    expect(paged).toEqual(all)
    expect(new Set(all.map(({ domain }) => domain)).size).toBe(4)
  })

  it('is found by its pasted address, and a name on another host is not', async () => {
    const search = async (_search: string) =>
      (await rpc('list_links?select=short_code,domain', { _search, _sort: 'code' })).body
    expect(await search(`${host}/menu`)).toEqual([{ short_code: 'menu', domain: host }])
    expect(await search(`nothing\n${host}/MENU`)).toEqual([{ short_code: 'menu', domain: host }])
    expect(await search('other.example/menu')).toEqual([])
    expect(await search('nobody.example/menu')).toEqual([])
  })

  it('goes to the default domain of the account when it names none', async () => {
    await server.sql('update app.domains set is_default = true where host = $1', [host])
    expect(await make({ short_code: 'by-default' })).toMatchObject({ body: [{ domain: host }] })
    expect(await make({ short_code: 'by-default', domain: '' })).toMatchObject({
      body: [{ domain: null }],
    })
    await server.sql('update app.domains set is_default = false')
  })

  it('has its QR code, tag and history under its host', async () => {
    const [row] = (await send(owner, 'GET', `shortened_urls?short_code=eq.${host}/menu&select=id`))
      .body as { id: string }[]
    await send(owner, 'PATCH', `shortened_urls?id=eq.${row?.id}`, {
      original_url: 'https://example.com/new',
    })
    expect((await rpc('link_history', { _short_code: `${host}/menu` })).body).toMatchObject([
      { from_url: 'https://example.com/acme' },
    ])
    const svg = await fetch(`${server.url}/functions/v1/qr-code?code=${host}/menu&format=svg`, {
      headers: owner.headers,
    })
    expect([svg.status, svg.headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="${host}-menu-qr.svg"`,
    ])
    const tag = await fetch(`${server.url}/functions/v1/link-tag?code=${host}/menu`, {
      headers: owner.headers,
    })
    expect([tag.status, tag.headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="menu-tag.png"',
    ])
  })

  it('stays in the account when its domain is lost or removed, and answers nobody', async () => {
    await make({ short_code: 'lost', domain: 'second.example' })
    await server.sql(`update app.domains set is_served = false where host = 'second.example'`)
    await vi.waitUntil(() => !server.context.hosts.knownPlaceAt('second.example'), {
      timeout: 60_000,
    })
    expect(await find('short_code=eq.second.example/lost')).toEqual([
      { short_code: 'lost', domain: 'second.example' },
    ])
    expect(await find('short_code=eq.second.example/lost', other)).toEqual([])
    expect(await reaches('second.example', 'lost')).toBe('/404')
  })
})

describe('a bio page on a domain', () => {
  it('has its address there, and keeps it', async () => {
    const page = { slug: 'Us', title: 'Us', domain: host }
    expect((await rpc('save_bio_page', { page })).body).toMatchObject({
      page: { slug: 'us', domain: host },
    })
    expect(
      (await rpc('save_bio_page', { page: { slug: 'us', title: 'All of us' } })).body,
    ).toMatchObject({
      page: { slug: 'us', domain: host, title: 'All of us' },
    })
    const read = await send(
      undefined,
      'GET',
      `bio_pages?slug=eq.${host}/us&select=slug,title,domain`,
    )
    expect(read.body).toEqual([{ slug: 'us', title: 'All of us', domain: host }])
    expect(await rpc('save_bio_page', { page: { slug: 'us', domain: '' } })).toMatchObject({
      status: 400,
    })
    const shown = await visit(server.url, '/us', { headers: { host } })
    expect([shown.status, shown.body]).toEqual([200, expect.stringContaining('All of us')])
    expect(await reaches('hop.example', 'us')).toBe('/404')
  })

  it('cannot have the name of a path that a domain serves', async () => {
    const page = { slug: 'report', title: 'Us', domain: 'other.example' }
    expect(await rpc('save_bio_page', { page }, other)).toMatchObject({ status: 400 })
  })
})
