import { beforeAll, describe, expect, it, vi } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { hitsOf } from '#test/visits/hits.ts'
import { browser, visit } from '#test/visits/visit.ts'

let server: TestServer
let owner: Account

beforeAll(async () => {
  server = await sharedServer()
  owner = await makeAccount(server, { plan: 'business' })
})

interface Link extends Record<string, unknown> {
  id: string
  short_code: string
}

const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }
const destination = 'https://example.com/menu?lang=en#top'

async function make(options: object, url = destination): Promise<Link> {
  const row = { user_id: owner.id, original_url: url, ...options }
  const { status, body } = await send(server, owner, 'POST', 'shortened_urls', row, single)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body as Link
}

async function change(link: Link, changes: object): Promise<void> {
  const path = `shortened_urls?id=eq.${link.id}`
  const { status, body } = await send(server, owner, 'PATCH', path, changes)
  if (status !== 204) throw new Error(JSON.stringify(body))
}

const open = ({ short_code: code }: Link, query = '', headers: Record<string, string> = {}) =>
  visit(server.url, `/${code}${query}`, { headers })

/** A change reaches the visits a moment after it was written. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 240_000 })

const verdictsOf = async (link: Link, count: number) => {
  await eventually(async () => expect(await hitsOf(server.sql, link.id)).toHaveLength(count))
  return (await hitsOf(server.sql, link.id)).map(({ verdict }) => verdict)
}

const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()

/** The public look-up, as a program without an account asks. */
const lookUp = async ({ short_code: code }: Link) =>
  (await send(server, undefined, 'GET', `shortened_urls?select=original_url&short_code=eq.${code}`))
    .body

describe('a link with dates', () => {
  it('answers 404 before its start and redirects after it', async () => {
    const link = await make({ starts_at: minutes(60) })
    const early = await open(link)
    expect([early.status, early.location]).toEqual([404, undefined])
    expect(early.body).toContain('This link has not started')
    expect(early.body).not.toContain('example.com')
    expect(await lookUp(link)).toEqual([])
    expect(await verdictsOf(link, 1)).toEqual(['not_yet'])
    await change(link, { starts_at: minutes(-60) })
    await eventually(async () => expect((await open(link)).location).toBe(destination))
    expect(await lookUp(link)).toEqual([{ original_url: destination }])
  })

  it('answers 410 after its end, and leads to its fallback with a 302 that keeps no query', async () => {
    const link = await make({ ends_at: minutes(-1) })
    const late = await open(link)
    expect([late.status, late.location]).toEqual([410, undefined])
    expect(late.body).toContain('This link has ended')
    expect(await lookUp(link)).toEqual([])
    await change(link, { fallback_url: 'https://example.org/over', forward_query: 'all' })
    await eventually(async () => {
      const answer = await open(link, '?a=b')
      expect([answer.status, answer.location]).toEqual([302, 'https://example.org/over'])
    })
    await change(link, { fallback_url: '' })
    await eventually(async () => expect((await open(link)).status).toBe(410))
    await eventually(async () => {
      const found = (await hitsOf(server.sql, link.id)).map(({ verdict }) => verdict)
      expect(new Set(found)).toEqual(new Set(['ended']))
    })
  })

  it('refuses an end before the start', async () => {
    const row = { user_id: owner.id, original_url: destination }
    const dates = { starts_at: minutes(20), ends_at: minutes(10) }
    const refused = await send(server, owner, 'POST', 'shortened_urls', { ...row, ...dates })
    expect(refused).toMatchObject({
      status: 400,
      body: { message: 'The end must come after the start' },
    })
  })
})

describe('a link with a maximum of clicks', () => {
  it('ends with the visit after the last one, in this process at once', async () => {
    const link = await make({ max_clicks: 3 })
    for (let i = 0; i < 3; i++) expect((await open(link)).status).toBe(302)
    expect((await open(link)).status).toBe(410)
    await eventually(async () => expect(await lookUp(link)).toEqual([]))
    expect((await open(link)).status).toBe(410)
    await change(link, { max_clicks: 4 })
    await eventually(async () => expect((await open(link)).status).toBe(302))
    expect((await open(link)).status).toBe(410)
  })

  it('does not count bots against the maximum', async () => {
    const link = await make({ max_clicks: 1 })
    for (let i = 0; i < 3; i++)
      expect((await open(link, '', { 'user-agent': 'Googlebot/2.1' })).status).toBe(302)
    expect((await open(link)).status).toBe(302)
    expect((await open(link)).status).toBe(410)
  })
})

describe('a link that forwards the query', () => {
  it('forwards everything, before the fragment, and the destination wins', async () => {
    const link = await make({ forward_query: 'all' })
    const { location } = await open(link, '?utm_source=mail&lang=de&x=%2F+y&qr')
    expect(location).toBe('https://example.com/menu?lang=en&utm_source=mail&x=%2F+y#top')
  })

  it('forwards named parameters, and replaces the own ones when told so', async () => {
    const link = await make({ forward_query: 'lang,b', forward_overrides: true })
    const { location } = await open(link, '?a=1&lang=de&b=2')
    expect(location).toBe('https://example.com/menu?lang=de&b=2#top')
  })

  it('forwards nothing where the address would become too long, and by default', async () => {
    const link = await make({ forward_query: 'all' })
    expect((await open(link, `?a=${'x'.repeat(2_100)}`)).location).toBe(destination)
    expect((await open(await make({}), '?a=1')).location).toBe(destination)
  })
})

describe('the status of a redirect', () => {
  it('is 307 if the owner wants it', async () => {
    const answer = await open(await make({ redirect_status: 307 }))
    expect([answer.status, answer.location]).toEqual([307, destination])
  })

  it.each([301, 308])('is not %i unless the operator allows it', async (status) => {
    const row = { user_id: owner.id, original_url: destination, redirect_status: status }
    const refused = await send(server, owner, 'POST', 'shortened_urls', row)
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.body)).toContain('ALLOW_PERMANENT_REDIRECTS')
    const { body } = await send(server, owner, 'POST', 'rpc/create_links', { _links: [row] })
    expect(JSON.stringify(body)).toContain('ALLOW_PERMANENT_REDIRECTS')
  })
})

describe('the preview page', () => {
  it('shows title and destination, and counts no visit', async () => {
    const link = await make({ title: 'Menü & <more>' })
    const page = await visit(server.url, `/${link.short_code}+`)
    expect(page.status).toBe(200)
    expect(page.body).toContain('Menü &amp; &lt;more&gt;')
    expect(page.body).toContain(destination)
    expect(await verdictsOf(link, 1)).toEqual(['preview_page'])
    expect((await open(link)).location).toBe(destination)
  })

  it('hides the destination where a password or a date decides', async () => {
    for (const options of [{ password: 'geheim' }, { ends_at: minutes(60) }]) {
      const page = await visit(server.url, `/${(await make(options)).short_code}+`)
      expect(page.body).toContain('Depends on the visitor')
      expect(page.body).not.toContain('example.com/menu')
    }
  })

  it('can be switched off, and exists only for links', async () => {
    const link = await make({ show_preview_page: false })
    expect((await visit(server.url, `/${link.short_code}+`)).status).toBe(404)
    expect((await open(link)).location).toBe(destination)
    expect((await visit(server.url, '/no-such-code-at-all+')).location).toBe('/404')
  })
})

describe('a custom preview', () => {
  const previewer = { 'user-agent': 'WhatsApp/2.23.20.0' }

  it('is served to link previewers only', async () => {
    const link = await make({ preview_title: 'Dinner', preview_description: 'Tonight at 8' })
    const shown = await open(link, '', previewer)
    expect(shown.status).toBe(200)
    expect(shown.body).toContain('<meta property="og:title" content="Dinner"/>')
    expect(shown.body).toContain('Tonight at 8')
    expect(shown.body).not.toContain('example.com/menu')
    expect((await open(link)).location).toBe(destination)
    expect((await open(await make({}), '', previewer)).location).toBe(destination)
    expect((await verdictsOf(link, 2)).toSorted()).toEqual(['counted', 'previewer'])
  })
})

describe('an option', () => {
  it('comes back from the table door, and an empty text is none', async () => {
    const link = await make({
      title: ' Menu ',
      note: 'For the poster',
      archived_at: '2026-01-02T03:04:05Z',
      max_clicks: 7,
      fallback_url: '',
      preview_title: '',
    })
    expect(link).toMatchObject({
      title: 'Menu',
      note: 'For the poster',
      archived_at: '2026-01-02T03:04:05+00:00',
      max_clicks: 7,
      fallback_url: null,
      preview_title: null,
      forward_query: 'none',
      redirect_status: 302,
      show_preview_page: true,
      has_password: false,
      password: null,
      tags: [],
    })
    expect((await open(link)).location).toBe(destination)
  })

  it.each([
    ['fallback_url', 'javascript:alert(1)'],
    ['preview_image_url', 'https://example.com/a.svg'],
    ['max_clicks', 0],
    ['title', 'x'.repeat(201)],
    ['forward_query', 'a b'],
    ['redirect_status', 200],
    ['tags', Array.from({ length: 500 }, (_, i) => `tag ${i}`)],
    ['tags', ['x'.repeat(41)]],
  ])('is refused with a sentence when %s is %j', async (column, value) => {
    const row = { user_id: owner.id, original_url: destination, [column]: value }
    const refused = await send(server, owner, 'POST', 'shortened_urls', row)
    expect(refused.status).toBe(400)
    expect((refused.body as { message: string }).message).not.toMatch(/violates|constraint/)
  })

  it('never leads to this server', async () => {
    const row = { user_id: owner.id, original_url: destination, fallback_url: `${server.url}/x` }
    expect((await send(server, owner, 'POST', 'shortened_urls', row)).status).toBe(400)
  })
})

describe('tags', () => {
  const tagsOf = async (who: Account) =>
    (await send(server, who, 'GET', 'tags?select=name,color&order=name')).body as {
      name: string
      color: string
    }[]

  it('are made with the link, keep their spelling, and replace the list', async () => {
    const link = await make({ tags: ['Summer', 'poster', 'summer'] })
    expect(link['tags']).toEqual(['Summer', 'poster'])
    const again = await make({ tags: ['SUMMER'] })
    expect(again['tags']).toEqual(['Summer'])
    const names = (await tagsOf(owner)).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['Summer', 'poster']))
    await change(link, { tags: ['poster'] })
    const rename = await send(server, owner, 'PATCH', 'tags?name=eq.poster', {
      name: 'Poster 2026',
    })
    expect(rename.status).toBe(204)
    const { body } = await send(server, owner, 'GET', `shortened_urls?select=tags&id=eq.${link.id}`)
    expect(body).toEqual([{ tags: ['Poster 2026'] }])
    await send(server, owner, 'DELETE', 'tags?name=eq.Summer')
    const left = await send(server, owner, 'GET', `shortened_urls?select=tags&id=eq.${again.id}`)
    expect(left.body).toEqual([{ tags: [] }])
  })

  it('are an account’s own', async () => {
    const other = await makeAccount(server)
    await make({ tags: ['private'] })
    expect(await tagsOf(other)).toEqual([])
  })

  it('filter the list of the app, which hides archived links', async () => {
    const shown = await make({ tags: ['listed'] })
    const hidden = await make({ tags: ['listed'], archived_at: minutes(0) })
    const list = async (args: object) => {
      const { body } = await send(server, owner, 'POST', 'rpc/list_links', {
        _tag: 'listed',
        ...args,
      })
      return (body as Link[]).map(({ id }) => id)
    }
    expect(await list({})).toEqual([shown.id])
    expect(await list({ _archived: true })).toEqual([hidden.id])
    const other = await make({ tags: ['also listed'] })
    const any = ['also listed', 'on no link']
    expect(await list({ _tags: any })).toEqual([other.id, shown.id])
    expect(await list({ _tag: null, _tags: any })).toEqual([other.id])
    expect(await list({ _tag: null, _tags: ['on no link'] })).toEqual([])
    expect(await list({ _tag: ' LISTED ' })).toEqual([shown.id])
    expect(await list({ _tag: null, _tags: ['Also Listed'] })).toEqual([other.id])
    const untagged = await make({})
    expect(await list({ _tag: '' })).toContain(untagged.id)
    expect(await list({ _tag: '' })).not.toContain(shown.id)
    expect(await list({ _tag: null, _tags: ['', 'LISTED'] })).toEqual(
      expect.arrayContaining([untagged.id, shown.id]),
    )
    expect(await list({ _tag: null, _tags: ['', 'LISTED'] })).not.toContain(other.id)
    expect((await open(hidden)).location).toBe(destination)
  })
})

describe('previewers of a link with a password', () => {
  it('see the custom preview without a destination', async () => {
    const link = await make({ password: 'geheim', preview_title: 'Private' })
    const shown = await open(link, '', { 'user-agent': 'WhatsApp/2.23.20.0' })
    expect(shown.body).toContain('Private')
    expect(shown.body).not.toContain('example.com')
    expect((await open(link, '', { 'user-agent': browser })).body).toContain('Enter the password')
  })
})
