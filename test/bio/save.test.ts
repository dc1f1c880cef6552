import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { looks } from '#domain/bio/looks.ts'
import { dangerousDestinations } from '#test/fixtures/dangerous-destinations.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount, makeAccounts, send } from '#test/tables/accounts.ts'
import { save, saved } from './pages.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const url = (n: number | string) => `https://example.com/${n}`
const link = (title: string, n: number | string = title) => ({ title, url: url(n) })

async function linksOf(pageId: string) {
  const { body } = await send(
    server,
    undefined,
    'GET',
    `bio_links?bio_page_id=eq.${pageId}&select=id,title,url,link_order&order=link_order.asc`,
  )
  return body as { id: string; title: string; url: string; link_order: number }[]
}

describe('the first save', () => {
  it('creates the page with its lists in their order, blank rows skipped', async () => {
    const ann = await makeAccount(server)
    const result = await saved(
      server,
      ann,
      { slug: 'Ann-First', title: '  Ann ', description: 'Hello', theme_primary: '210 80% 40%' },
      [link('b'), { title: '', url: url(1) }, { title: 'x', url: ' ' }, link('a'), {}],
      [
        { platform: 'github', url: 'https://github.com/ann' },
        { platform: 'twitter', url: '' },
        { platform: 'email', url: 'mailto:ann@example.com' },
      ],
    )
    expect(result).toMatchObject({
      page: {
        user_id: ann.id,
        slug: 'ann-first',
        title: 'Ann',
        description: 'Hello',
        popup_id: null,
        theme_primary: '210 80% 40%',
        theme_background: '0 0% 100%',
        visit_count: null,
      },
      links: [
        { title: 'b', url: url('b'), link_order: 0 },
        { title: 'a', url: url('a'), link_order: 1 },
      ],
      social_links: [
        { platform: 'github', display_order: 0 },
        { platform: 'email', display_order: 1 },
      ],
    })
  })

  it('needs slug and title', async () => {
    const ann = await makeAccount(server)
    for (const page of [{}, { slug: 'x-y-z' }, { title: 'x' }, { slug: 'x-y-z', title: ' \n' }]) {
      expect(await save(server, ann, page, [], [])).toMatchObject({
        status: 400,
        body: { code: '23514', message: 'Please fill in slug and title' },
      })
    }
  })

  it('is refused when a link or another page has the name, and leaves nothing', async () => {
    const [ann, bob] = await makeAccounts(server, 2)
    if (!ann || !bob) throw new Error('two accounts')
    await saved(server, ann, { slug: 'wanted', title: 'Ann' })
    await send(server, ann, 'POST', 'shortened_urls', {
      user_id: ann.id,
      original_url: url(1),
      short_code: 'wanted-link',
    })
    for (const slug of ['wanted', 'WANTED', 'wanted-link', 'dashboard']) {
      expect(await save(server, bob, { slug, title: 'Bob' }, [link('x')])).toMatchObject({
        status: 409,
        body: {
          code: '23505',
          message: 'This slug is already in use. Please try another one.',
        },
      })
    }
    expect(await server.sql('select 1 from app.bio_pages where user_id = $1', [bob.id])).toEqual([])
  })
})

describe('a later save', () => {
  it('keeps unchanged rows, matched by id or by content, with their clicks', async () => {
    const ann = await makeAccount(server, { plan: 'pro' })
    const first = await saved(server, ann, { slug: 'keeps', title: 'Ann' }, [
      link('one'),
      link('two'),
      link('three'),
      link('three'),
    ])
    const [one, two, three, again] = first.links.map(({ id }) => id)
    await server.sql('update app.bio_links set click_count = 7 where bio_page_id = $1', [
      first.page.id,
    ])
    const second = await saved(server, ann, { title: 'Ann 2' }, [
      link('three'),
      { id: one, title: 'One, renamed', url: url('new') },
      link('four'),
      link('three'),
    ])
    expect(second.links.map(({ id, title }) => [id, title])).toEqual([
      [three, 'three'],
      [one, 'One, renamed'],
      [expect.any(String), 'four'],
      [again, 'three'],
    ])
    expect(second.links.map(({ id }) => id)).not.toContain(two)
    expect(await linksOf(first.page.id)).toEqual(
      second.links.map(({ id, title, url: address, link_order }) => ({
        id,
        title,
        url: address,
        link_order,
      })),
    )
    const rows = await server.sql(
      'select title, click_count::int as n from app.bio_links where bio_page_id = $1 order by link_order',
      [first.page.id],
    )
    expect(rows.map(({ n }) => n)).toEqual([7, 7, 0, 7])
    expect(second.page.slug).toBe('keeps')
  })

  it('matches titles by content without the whitespace around them', async () => {
    const ann = await makeAccount(server)
    const first = await saved(server, ann, { slug: 'blanks', title: 'Ann' }, [link(' one\t', 1)])
    const second = await saved(server, ann, {}, [link('\u3000one ', 1)])
    expect(second.links).toEqual(first.links)
    expect(second.links).toMatchObject([{ title: 'one' }])
  })

  it('a row that another entry names by id is not matched by content, and foreign ids match nothing', async () => {
    const [ann, bob] = await makeAccounts(server, 2)
    if (!ann || !bob) throw new Error('two accounts')
    const anns = await saved(server, ann, { slug: 'anns', title: 'Ann' }, [link('a'), link('b')])
    const bobs = await saved(server, bob, { slug: 'bobs', title: 'Bob' }, [
      { ...link('stolen'), id: anns.links[0]?.id },
      { ...link('odd'), id: 'no-uuid' },
      { ...link('null'), id: null },
    ])
    expect(bobs.links.map(({ title }) => title)).toEqual(['stolen', 'odd', 'null'])
    expect(bobs.links.map(({ id }) => id)).not.toContain(anns.links[0]?.id)
    // 'a' by its words would be the row that the second entry names.
    const second = await saved(server, ann, {}, [
      link('a'),
      { ...link('renamed'), id: anns.links[0]?.id },
      { ...link('twice'), id: anns.links[0]?.id },
    ])
    expect(second.links.map(({ id }) => id === anns.links[0]?.id)).toEqual([false, true, false])
  })

  it('keeps lists that are not sent, and empties lists that are sent empty', async () => {
    const ann = await makeAccount(server)
    const social = [{ platform: 'github', url: url('gh') }]
    const first = await saved(
      server,
      ann,
      { slug: 'partly', title: 'Ann', description: 'words' },
      [link('a')],
      social,
    )
    const second = await saved(server, ann, { title: 'Two' })
    const version = expect.stringMatching(/^[0-9a-f]{32}$/) as string
    expect(second).toEqual({ ...first, page: { ...first.page, title: 'Two', version } })
    const third = await saved(server, ann, { description: null }, [], [])
    expect(third).toMatchObject({
      page: { title: 'Two', description: null },
      links: [],
      social_links: [],
    })
  })

  it('cannot change the slug, through any door, for the owner or anyone else', async () => {
    const [ann, bob] = await makeAccounts(server, 2)
    if (!ann || !bob) throw new Error('two accounts')
    const { page } = await saved(server, ann, { slug: 'locked', title: 'Ann' }, [link('a')])
    const refused = {
      status: 400,
      body: { code: '23514', message: 'A bio page keeps its slug and its owner.' },
    }
    expect(await save(server, ann, { slug: 'moved', title: 'Moved' }, [])).toMatchObject(refused)
    expect(
      await send(server, ann, 'PATCH', `bio_pages?id=eq.${page.id}`, { slug: 'moved' }),
    ).toMatchObject(refused)
    await send(server, bob, 'PATCH', `bio_pages?id=eq.${page.id}`, { slug: 'moved' })
    expect(await save(server, bob, { slug: 'locked', title: 'Bob' })).toMatchObject({ status: 409 })
    const rows = await server.sql('select slug, title from app.bio_pages where id = $1', [page.id])
    expect(rows).toEqual([{ slug: 'locked', title: 'Ann' }])
    expect(await linksOf(page.id)).toHaveLength(1)
    // The same slug in another case is the same slug.
    expect((await save(server, ann, { slug: 'LOCKED', title: 'Ann' })).status).toBe(200)
  })
})

describe('the looks, the picture and links that are switched off', () => {
  const avatar_url = `/media/${'a'.repeat(64)}.webp`

  it('are stored; every look of the editor is one of the table, and the other way round', async () => {
    const ann = await makeAccount(server)
    const first = await saved(server, ann, { slug: 'looks', title: 'Ann' }, [link('a'), link('b')])
    expect(first).toMatchObject({ page: { look: 'plain', avatar_url: null } })
    expect(first.links.map((row) => Object(row).is_visible)).toEqual([true, true])
    for (const { id } of looks) {
      const next = await saved(server, ann, { look: id, avatar_url })
      expect(next).toMatchObject({ page: { look: id, avatar_url } })
    }
    const [check] = await server.sql<{ text: string }>(
      `select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'bio_pages_look_check'`,
    )
    const ids = [...(check?.text ?? '').matchAll(/'([a-z]+)'::text/g)].map(([, id]) => id)
    expect(ids).toEqual(looks.map(({ id }) => id))
    // Parts that a save does not name stay; an empty picture is none.
    expect(await saved(server, ann, { title: 'B' })).toMatchObject({ page: { avatar_url } })
    expect(await saved(server, ann, { avatar_url: '' })).toMatchObject({
      page: { avatar_url: null },
    })
  })

  it('a link that is switched off is its owner’s alone, and keeps its clicks', async () => {
    const ann = await makeAccount(server, { plan: 'pro' })
    const first = await saved(server, ann, { slug: 'hides', title: 'Ann' }, [link('a'), link('b')])
    await server.sql('update app.bio_links set click_count = 5 where bio_page_id = $1', [
      first.page.id,
    ])
    const [a, b] = first.links
    const hidden = await saved(server, ann, {}, [{ ...link('a'), id: a?.id, is_visible: false }, b])
    expect(hidden.links).toMatchObject([{ is_visible: false }, { is_visible: true }])
    expect(await linksOf(first.page.id)).toMatchObject([{ title: 'b' }])
    const bob = await makeAccount(server)
    const look = `bio_links?bio_page_id=eq.${first.page.id}&select=title`
    expect((await send(server, bob, 'GET', look)).body).toEqual([{ title: 'b' }])
    expect((await send(server, ann, 'GET', look)).body).toHaveLength(2)
    // An older client names no switch: the stored value stays.
    const again = await saved(server, ann, {}, [{ ...link('renamed'), id: a?.id }, link('b')])
    expect(again.links).toMatchObject([
      { title: 'renamed', is_visible: false, click_count: 5 },
      { title: 'b', is_visible: true },
    ])
  })

  it('are refused when they are none', async () => {
    const ann = await makeAccount(server)
    await saved(server, ann, { slug: 'no-look', title: 'Ann' })
    for (const [page, message] of [
      [{ look: 'loud' }, 'Please choose one of the looks'],
      [{ avatar_url: 'https://example.com/a.webp' }, 'Please use a picture that was uploaded here'],
      [{ avatar_url: `${avatar_url}?x` }, 'Please use a picture that was uploaded here'],
      [{ avatar_url: 'javascript:x' }, 'Please use a picture that was uploaded here'],
    ] as const) {
      expect(await save(server, ann, page)).toMatchObject({
        status: 400,
        body: { code: '23514', message },
      })
    }
    const odd = await save(server, ann, {}, [{ ...link('a'), is_visible: 'perhaps' }])
    expect(odd.status).toBeGreaterThanOrEqual(400)
    expect(odd.status).toBeLessThan(500)
  })
})

describe('a save refuses', () => {
  it('people who are not signed in, and the service, which owns no page', async () => {
    expect(await save(server, undefined, { slug: 'nobody', title: 'x' })).toMatchObject({
      status: 401,
      body: { code: '42501' },
    })
    const service = { authorization: `Bearer ${server.serviceRoleKey}` }
    expect(
      await send(server, { headers: service }, 'POST', 'rpc/save_bio_page', { page: {} }),
    ).toMatchObject({ status: 403 })
  })

  it(
    'dangerous addresses in every disguise, and stores no part of the save',
    { tags: ['extended'] },
    async () => {
      const ann = await makeAccount(server)
      const first = await saved(server, ann, { slug: 'safe', title: 'Ann' }, [link('kept')])
      const invalid = { status: 400, body: { code: '23514', message: 'Invalid URL' } }
      for (const address of dangerousDestinations) {
        // Blank is skipped, not refused.
        if (address.trim() === '') continue
        const links = [link('new'), { title: 'x', url: address }]
        expect({ address, ...(await save(server, ann, { title: 'Bad' }, links)) }).toMatchObject(
          invalid,
        )
        const social = [{ platform: 'website', url: address }]
        expect(await save(server, ann, { title: 'Bad' }, [], social)).toMatchObject(invalid)
      }
      expect(await save(server, ann, {}, JSON.stringify([link('x', 'y\\z')]))).toMatchObject(
        invalid,
      )
      expect(await linksOf(first.page.id)).toMatchObject([{ title: 'kept' }])
    },
  )

  it('another account’s popup, or one that no longer exists', async () => {
    const [ann, bob] = await makeAccounts(server, 2)
    if (!ann || !bob) throw new Error('two accounts')
    const [popup] = await server.sql<{ id: string }>(
      `insert into app.popups (user_id, title) values ($1, 'Mine') returning id`,
      [ann.id],
    )
    const page = { slug: 'with-popup', title: 'x', popup_id: popup?.id }
    const message = 'This popup does not exist any more. Please choose another one.'
    const gone = { status: 409, body: { code: '23503', message } }
    expect(await save(server, bob, { ...page, slug: 'bobs-popup' })).toMatchObject(gone)
    expect((await saved(server, ann, page)).page.popup_id).toBe(popup?.id)
    expect((await saved(server, ann, { popup_id: null })).page.popup_id).toBeNull()
    await server.sql('delete from app.popups where id = $1', [popup?.id])
    expect(await save(server, ann, page)).toMatchObject(gone)
  })

  it('theme colors that are not three plain numbers', async () => {
    const ann = await makeAccount(server)
    await saved(server, ann, { slug: 'themed', title: 'x' })
    for (const color of [
      'red',
      '1 1% 1%; background: url(https://x.example)',
      '1 1% 1%}',
      'url(x)',
      '#fff',
      '1 1 1',
    ]) {
      for (const key of ['theme_primary', 'theme_background', 'theme_text']) {
        expect(await save(server, ann, { [key]: color })).toMatchObject({
          status: 400,
          body: { code: '23514' },
        })
      }
    }
  })

  it('strange arguments, each with a 4xx', async () => {
    const ann = await makeAccount(server)
    const page = { slug: 'strange', title: 'x' }
    const many = Array.from({ length: 101 }, (_, n) => link(String(n)))
    for (const args of [
      [page, many],
      [page, [], Array.from({ length: 51 }, () => ({ platform: 'x', url: url(1) }))],
      [page, 'text'],
      [page, {}],
      [page, [1]],
      [page, [null]],
      [page, [[]]],
      [page, [{ title: 'x'.repeat(201), url: url(1) }]],
      [page, [{ title: { a: 1 }, url: { a: 1 } }]],
      [page, [], [{ url: url(1) }]],
      ['text'],
      [[]],
      [null],
      [{ slug: 'a b', title: 'x' }],
      [{ slug: 'x'.repeat(51), title: 'x' }],
      [{ ...page, title: 'x'.repeat(201) }],
      [{ ...page, title: 'a\u0000b' }],
      [{ ...page, popup_id: 'none' }],
      [{ ...page, popup_id: { a: 1 } }],
    ] as const) {
      const { status } = await save(server, ann, args[0], args[1], args[2])
      expect({ args: JSON.stringify(args).slice(0, 100), status }).toEqual({
        args: JSON.stringify(args).slice(0, 100),
        status: expect.toSatisfy((code: number) => code >= 400 && code < 500),
      })
    }
    expect(await server.sql('select 1 from app.bio_pages where user_id = $1', [ann.id])).toEqual([])
  })
})

it("the specification's separate table calls go on working", async () => {
  const ann = await makeAccount(server)
  const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }
  const page = (
    await send(
      server,
      ann,
      'POST',
      'bio_pages',
      { user_id: ann.id, slug: 'by-tables', title: 'Ann', theme_text: '0 0% 0%' },
      single,
    )
  ).body as { id: string }
  await send(server, ann, 'DELETE', `bio_links?bio_page_id=eq.${page.id}`)
  const rows = [0, 1].map((n) => ({ bio_page_id: page.id, ...link(`l${n}`), link_order: n }))
  expect((await send(server, ann, 'POST', 'bio_links', rows)).status).toBe(201)
  const before = await linksOf(page.id)
  const after = await saved(server, ann, { title: 'Ann' }, [link('l1'), link('l0')])
  expect(after.links.map(({ id }) => id)).toEqual(before.toReversed().map(({ id }) => id))
})
