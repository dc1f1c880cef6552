import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { signIn } from '#test/auth/requests.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'
import { makeAdmin, rpc } from './calls.ts'
import { startSecondNode, waitForAnswers } from './nodes.ts'

let server: TestServer
let second: Awaited<ReturnType<typeof startSecondNode>>
let nodes: { url: string }[]
let admin: Account

beforeAll(async () => {
  server = await startTestServer()
  second = await startSecondNode(server)
  nodes = [server, second]
  admin = await makeAdmin(server)
})
afterAll(async () => {
  await second.close()
  await server.close()
})

const block = (_kind: string, _value: string, _reason?: string) =>
  rpc(server, admin, 'admin_block', { _kind, _value, ...(_reason !== undefined && { _reason }) })
const unblock = (_kind: string, _value: string) =>
  rpc(server, admin, 'admin_unblock', { _kind, _value })

/** Links of a business account, through the table door, and each visited once on every node. */
async function makeWarmLinks(owner: Account, urls: readonly string[]): Promise<string[]> {
  const codes = urls.map(() => `x${randomUUID().slice(0, 12)}`)
  for (const [index, url] of urls.entries()) {
    const row = { user_id: owner.id, short_code: codes[index], original_url: url }
    expect((await send(server, owner, 'POST', 'shortened_urls', row)).status).toBe(201)
  }
  expect(await waitForAnswers(nodes, codes, 302)).toEqual({})
  return codes
}

describe('a block makes both nodes answer 410 within 5 s', () => {
  it('one link, and comes back', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const [code = '', neighbour = ''] = await makeWarmLinks(owner, [
      'https://one.example/',
      'https://one.example/2',
    ])
    expect((await block('link', ` ${code.toUpperCase()} `, 'Phishing')).status).toBe(204)
    expect(await waitForAnswers(nodes, [code], 410)).toEqual({})
    expect(await waitForAnswers(nodes, [neighbour], 302, 0)).toEqual({})
    // Its owner does not free it by making it again.
    expect(
      (await send(server, owner, 'DELETE', `shortened_urls?short_code=eq.${code}`)).status,
    ).toBe(204)
    await send(server, owner, 'POST', 'shortened_urls', {
      user_id: owner.id,
      short_code: code,
      original_url: 'https://two.example/',
    })
    expect(await waitForAnswers(nodes, [code], 410)).toEqual({})
    expect((await unblock('link', code)).status).toBe(204)
    expect(await waitForAnswers(nodes, [code], 302)).toEqual({})
  })

  it('a host with all below it, in every spelling', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const hit = await makeWarmLinks(owner, [
      'https://evil.example/',
      'http://EVIL.example:8080/x?y#z',
      'https://login.pay.evil.example',
      'https://evil.example./final-dot',
      'https://www.evil.example/',
    ])
    const missed = await makeWarmLinks(owner, [
      'https://notevil.example/',
      'https://evil.example.org/',
      'https://example/evil.example',
      'https://safe.example/?to=https://evil.example/',
    ])
    expect((await block('host', 'https://www.Evil.example/some/page')).status).toBe(204)
    expect(await waitForAnswers(nodes, hit, 410)).toEqual({})
    expect(await waitForAnswers(nodes, missed, 302, 0)).toEqual({})
    expect((await rpc(server, admin, 'admin_blocks')).body).toMatchObject([
      { kind: 'host', value: 'evil.example' },
    ])
    expect((await unblock('host', 'evil.example')).status).toBe(204)
    expect(await waitForAnswers(nodes, hit, 302)).toEqual({})
  })

  it('a person: links and bio page, signed out and not let in again', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const owner = { ...user, claims: {} }
    const codes = await makeWarmLinks(owner, [
      'https://a.example/',
      'https://b.example/',
      'https://c.example/',
    ])
    const slug = `p${randomUUID().slice(0, 8)}`
    const page = { page: { slug, title: 'Me' }, links: [{ title: 'L', url: 'https://l.example/' }] }
    expect((await rpc(server, owner, 'save_bio_page', page)).status).toBe(200)
    expect(await waitForAnswers(nodes, [slug], 200)).toEqual({})

    expect((await block('user', user.email.toUpperCase())).status).toBe(204)
    const [link] = await server.sql<{ id: string }>(
      'select l.id from app.bio_links l join app.bio_pages p on p.id = l.bio_page_id where p.slug = $1',
      [slug],
    )
    const all = [...codes, slug, `${slug}/go/${link?.id}`]
    expect(await waitForAnswers(nodes, all, 410)).toEqual({})
    expect((await send(server, owner, 'GET', 'shortened_urls')).status).toBe(401)
    expect((await signIn(server, user.email, user.password)).status).toBe(400)

    expect((await unblock('user', user.id)).status).toBe(204)
    expect(await waitForAnswers(nodes, codes, 302)).toEqual({})
    expect(await waitForAnswers(nodes, [slug], 200)).toEqual({})
    expect((await signIn(server, user.email, user.password)).status).toBe(200)
  })

  it('would not reach the nodes without the message to their caches (control)', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const [code = '', last = ''] = await makeWarmLinks(owner, [
      'https://silent.example/',
      'https://last.example/',
    ])
    // Messages arrive in order: a node that knows of this block has also heard of the new link.
    expect((await block('link', last)).status).toBe(204)
    expect(await waitForAnswers(nodes, [last], 410)).toEqual({})
    expect(await waitForAnswers(nodes, [code], 302)).toEqual({})
    await server.sql(`insert into app.blocks (kind, value) values ('host', 'silent.example')`)
    expect(Object.keys(await waitForAnswers(nodes, [code], 410, 1_000))).toHaveLength(2)
    expect((await unblock('host', 'silent.example')).status).toBe(204)
  })
})

describe('a blocked host', () => {
  const refused = {
    status: 400,
    body: { code: '23514', message: 'Invalid URL', details: 'This host is blocked here.' },
  }

  it('is refused as the destination of a new link and of an edited one', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const [code = ''] = await makeWarmLinks(owner, ['https://harmless.example/'])
    await block('host', 'later.example')
    const to = (original_url: string) => ({ user_id: owner.id, original_url })
    for (const url of [
      'https://later.example/',
      'HTTP://sub.LATER.example:81/x',
      'https://later.example./',
    ]) {
      expect(await send(server, owner, 'POST', 'shortened_urls', to(url))).toMatchObject(refused)
      expect(
        await send(server, owner, 'PATCH', `shortened_urls?short_code=eq.${code}`, {
          original_url: url,
        }),
      ).toMatchObject(refused)
    }
    expect(
      (await send(server, owner, 'POST', 'shortened_urls', to('https://nolater.example/'))).status,
    ).toBe(201)
    expect((await visit(server.url, `/${code}`)).location).toBe('https://harmless.example/')
  })

  it('is not on bio pages and in popups any more either', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const slug = `p${randomUUID().slice(0, 8)}`
    const page = {
      page: { slug, title: 'Me' },
      links: [
        { title: 'Fine link', url: 'https://fine.example/' },
        { title: 'Bad link', url: 'https://bad-on-bio.example/' },
      ],
      social_links: [{ platform: 'website', url: 'https://bad-on-bio.example/me' }],
    }
    expect((await rpc(server, owner, 'save_bio_page', page)).status).toBe(200)
    expect((await visit(server.url, `/${slug}`)).body).toContain('Bad link')
    await block('host', 'bad-on-bio.example')
    await expect
      .poll(async () => (await visit(server.url, `/${slug}`)).body)
      .not.toContain('Bad link')
    const { body } = await visit(server.url, `/${slug}`)
    expect(body).toContain('Fine link')
    expect(body).not.toContain('bad-on-bio')
    const popup = { user_id: owner.id, title: 'Hi', cta_url: 'https://bad-on-bio.example/' }
    expect(await send(server, owner, 'POST', 'popups', popup)).toMatchObject(refused)
  })
})

describe('the popup of a link', () => {
  /** A link that shows a popup with these columns, visited once. */
  async function makePopupLink(owner: Account, columns: object) {
    const popup = { user_id: owner.id, title: 'Hello', ...columns }
    const { body } = await send(server, owner, 'POST', 'popups', popup, {
      prefer: 'return=representation',
    })
    const [{ id = '' } = {}] = body as { id?: string }[]
    const code = `x${randomUUID().slice(0, 12)}`
    const row = { user_id: owner.id, short_code: code, original_url: 'https://to.example/' }
    const link = { ...row, show_popup: true, popup_id: id }
    expect((await send(server, owner, 'POST', 'shortened_urls', link)).status).toBe(201)
    expect((await visit(server.url, `/${code}`)).body).toContain('Hello')
    return { id, code }
  }

  it('is hidden while the host of its button is blocked, and comes back with another button', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const { id, code } = await makePopupLink(owner, { cta_url: 'https://bad-button.example/' })
    const statusOf = async () => (await visit(server.url, `/${code}`)).status
    expect((await block('host', 'bad-button.example')).status).toBe(204)
    await expect.poll(statusOf).toBe(302)
    const mended = { cta_url: 'https://fine-button.example/' }
    expect((await send(server, owner, 'PATCH', `popups?id=eq.${id}`, mended)).status).toBe(204)
    await expect.poll(statusOf).toBe(200)
    expect((await visit(server.url, `/${code}`)).body).toContain('https://fine-button.example/')
  })

  it('shows nothing of the bio page of its owner while that is blocked', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const slug = `p${randomUUID().slice(0, 8)}`
    const saved = { page: { slug, title: 'Owner of the page' }, links: [] }
    expect((await rpc(server, owner, 'save_bio_page', saved)).status).toBe(200)
    const { code } = await makePopupLink(owner, {})
    const page = async () => (await visit(server.url, `/${code}`)).body
    expect(await page()).toContain('Owner of the page')
    expect((await block('link', slug)).status).toBe(204)
    await expect.poll(page).not.toContain('Owner of the page')
    expect(await page()).toContain('Hello')
    expect((await unblock('link', slug)).status).toBe(204)
    await expect.poll(page).toContain('Owner of the page')
  })
})

describe('the look-ups of the table door', () => {
  it('blocked links are hidden from strangers and shown to their owners', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const stranger = await makeAccount(server)
    const [code = ''] = await makeWarmLinks(owner, ['https://lookup.example/'])
    const slug = `p${randomUUID().slice(0, 8)}`
    await rpc(server, owner, 'save_bio_page', {
      page: { slug, title: 'Me' },
      links: [{ title: 'L', url: 'https://l.example/' }],
    })
    const [page] = (await send(server, owner, 'GET', `bio_pages?slug=eq.${slug}&select=id`))
      .body as { id: string }[]
    const asked = [
      `shortened_urls?short_code=eq.${code}&select=id,original_url`,
      `bio_pages?slug=eq.${slug}&select=id,title`,
      `bio_links?bio_page_id=eq.${page?.id}&select=id,title`,
    ]
    for (const who of [undefined, stranger]) {
      for (const path of asked)
        expect([path, (await send(server, who, 'GET', path)).body]).toEqual([
          path,
          [expect.anything()],
        ])
    }
    await block('link', code)
    await block('link', slug)
    for (const who of [undefined, stranger]) {
      for (const path of asked)
        expect([path, (await send(server, who, 'GET', path)).body]).toEqual([path, []])
    }
    for (const path of asked)
      expect([path, (await send(server, owner, 'GET', path)).body]).toEqual([
        path,
        [expect.anything()],
      ])
  })
})

describe('admin_find_links', () => {
  interface Found {
    short_code: string
    email: string
    blocked: string | null
    created_at: string
    id: string
  }
  const find = async (body: Record<string, unknown>) =>
    (await rpc(server, admin, 'admin_find_links', body)).body as Found[]

  it('finds links by code, host and owner, and names the block of a link', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const email = `${owner.id}@example.com`
    const [first = '', other = ''] = await makeWarmLinks(owner, [
      'https://find.example/',
      'https://deep.find.example/x',
    ])
    await makeWarmLinks(owner, ['https://refind.example/'])
    expect(await find({ _by: 'code', _value: first.toUpperCase() })).toMatchObject([
      { short_code: first, email, blocked: null },
    ])
    expect(
      (await find({ _by: 'host', _value: 'find.example' })).map((one) => one.short_code),
    ).toEqual([other, first])
    expect(await find({ _by: 'host', _value: 'https://deep.find.example/?x' })).toMatchObject([
      { short_code: other },
    ])
    expect(await find({ _by: 'user', _value: email })).toHaveLength(3)
    const [newest, ...rest] = await find({ _by: 'user', _value: owner.id })
    const older = await find({
      _by: 'user',
      _value: owner.id,
      _before_created_at: newest?.created_at,
      _before_id: newest?.id,
    })
    // Their clicks may have been counted in between.
    expect(older.map((one) => one.short_code)).toEqual(rest.map((one) => one.short_code))
    await block('host', 'deep.find.example')
    await block('link', first)
    const blocked = Object.fromEntries(
      (await find({ _by: 'user', _value: owner.id })).map((one) => [one.short_code, one.blocked]),
    )
    expect([blocked[first], blocked[other]]).toEqual(['link', 'host'])
  })

  it.each([
    { _by: 'code', _value: "x' or 1=1 --" },
    { _by: 'host', _value: '%' },
    { _by: 'host', _value: '' },
    { _by: 'user', _value: 'nobody' },
  ])('finds nothing for $_by $_value', async (body) => {
    expect(await find(body)).toEqual([])
  })
})

describe('admin_block', () => {
  it.each([
    ['link', 'no-such-link-here', 'No link or page has this name.'],
    ['link', 'admin', 'No link or page has this name.'],
    ['host', 'localhost', 'This is not a host name.'],
    ['host', 'com', 'This is not a host name.'],
    ['host', 'exa mple.com', 'This is not a host name.'],
    ['host', '', 'This is not a host name.'],
    ['user', 'nobody@nowhere.example', 'This user does not exist.'],
    ['planet', 'earth', 'unknown _kind'],
  ])('refuses %s %s', async (kind, value, message) => {
    expect(await block(kind, value)).toMatchObject({ status: 400, body: { message } })
  })

  it('refuses to block an admin, and to make a blocked person one', async () => {
    const other = await makeAdmin(server)
    expect((await block('user', other.id)).body).toMatchObject({
      message: 'An admin cannot be blocked. Change the role first.',
    })
    const user = await makeAccount(server)
    await block('user', user.id)
    expect(
      (await send(server, admin, 'PATCH', `user_roles?user_id=eq.${user.id}`, { role: 'admin' }))
        .body,
    ).toMatchObject({ message: 'A blocked user cannot be an admin.' })
  })
})

describe('a block beside a ban', () => {
  // The key of role service_role bans through the auth protocol.
  const ban = (id: string, until: string | null) =>
    server.sql(`update auth.users set banned_until = now() + $2::interval where id = $1`, [
      id,
      until,
    ])
  const daysOf = async (id: string) =>
    (
      await server.sql<{ days: number | null }>(
        `select round(extract(epoch from banned_until - now()) / 86400)::int as days from auth.users where id = $1`,
        [id],
      )
    )[0]?.days
  const blockDays = 365_000

  it('gives an earlier ban back when it is lifted, and none where there was none', async () => {
    const [banned, free] = [await makeAccount(server), await makeAccount(server)]
    await ban(banned.id, '30 days')
    for (const { id } of [banned, free]) {
      expect((await block('user', id)).status).toBe(204)
      expect(await daysOf(id)).toBeGreaterThan(blockDays)
      expect((await unblock('user', id)).status).toBe(204)
    }
    expect(await daysOf(banned.id)).toBe(30)
    expect(await daysOf(free.id)).toBeNull()
  })

  it('leaves a ban alone that was changed or lifted meanwhile', async () => {
    for (const [until, left] of [
      ['7 days', 7],
      [null, null],
    ] as const) {
      const { id } = await makeAccount(server)
      await ban(id, '30 days')
      await block('user', id)
      await ban(id, until)
      await unblock('user', id)
      expect(await daysOf(id)).toBe(left)
    }
  })

  it('bans again when the ban was lifted, and changes nothing when it stands', async () => {
    const user = await makeUser(server)
    const linesOf = async () =>
      (await server.sql('select from app.audit_log where target_id = $1', [user.id])).length
    await ban(user.id, '30 days')
    await block('user', user.id)
    await block('user', user.id)
    expect(await linesOf()).toBe(1)
    await ban(user.id, null)
    expect((await signIn(server, user.email, user.password)).status).toBe(200)
    expect((await block('user', user.id)).status).toBe(204)
    expect((await signIn(server, user.email, user.password)).status).toBe(400)
    expect(await daysOf(user.id)).toBeGreaterThan(blockDays)
    const left = 'select from auth.sessions where user_id = $1'
    expect(await server.sql(left, [user.id])).toEqual([])
    expect(await linesOf()).toBe(2)
    // The earlier ban was lifted too.
    await unblock('user', user.id)
    expect(await daysOf(user.id)).toBeNull()
  })
})
