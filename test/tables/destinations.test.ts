import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dangerousDestinations } from '#test/fixtures/dangerous-destinations.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from './accounts.ts'

let server: TestServer
let ann: Account
let link: { id: string }
let page: { id: string }
const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }

beforeAll(async () => {
  server = await startTestServer()
  ann = await makeAccount(server, { plan: 'business' })
  const make = async (table: string, row: object) =>
    (await send(server, ann, 'POST', table, { user_id: ann.id, ...row }, single)).body as {
      id: string
    }
  link = await make('shortened_urls', { original_url: 'https://example.com/kept' })
  page = await make('bio_pages', { slug: 'ann', title: 'Ann' })
})
afterAll(() => server.close())

const invalid = {
  status: 400,
  body: {
    code: '23514',
    message: 'Invalid URL',
    details: expect.any(String),
    hint: null,
  },
}

/** The reasons that the form gives too. */
it.each([
  [
    `https://example.com/${'a'.repeat(2_048)}`,
    'This URL is too long. At most 2,048 characters are possible',
  ],
  [
    'https://ann:secret@example.com/',
    'A URL must not hold a user name or a password (the part before the @)',
  ],
  [
    'https://example.com/a\\b',
    'This URL holds a backslash or invisible characters. Please type it, or copy it again',
  ],
  ['ftp://example.com/', 'Please enter a valid URL starting with http:// or https://'],
])('%j is refused with its own reason', async (original_url, details) => {
  const row = { user_id: ann.id, original_url }
  const refused = { ...invalid, body: { ...invalid.body, details } }
  expect(await send(server, ann, 'POST', 'shortened_urls', row)).toMatchObject(refused)
  const own = { ...row, original_url: `${server.url}/elsewhere` }
  expect(await send(server, ann, 'POST', 'shortened_urls', own)).toMatchObject({
    status: 400,
    body: { details: expect.stringContaining('leads to this server itself') },
  })
})

describe('a dangerous destination', () => {
  it('is refused by the door, on insert and on update, in every disguise', async () => {
    expect(dangerousDestinations.length).toBeGreaterThanOrEqual(200)
    for (const original_url of dangerousDestinations) {
      const inserted = await send(server, ann, 'POST', 'shortened_urls', {
        user_id: ann.id,
        original_url,
      })
      expect({ original_url, ...inserted }).toMatchObject(invalid)
      const updated = await send(server, ann, 'PATCH', `shortened_urls?id=eq.${link.id}`, {
        original_url,
      })
      expect({ original_url, ...updated }).toMatchObject(invalid)
    }
    expect((await send(server, ann, 'GET', 'shortened_urls?select=original_url')).body).toEqual([
      { original_url: 'https://example.com/kept' },
    ])
  })

  it('is refused by the database when no door checks it first', async () => {
    const accepted: string[] = []
    for (const address of dangerousDestinations) {
      // A NUL cannot even be sent to PostgreSQL.
      if (address.includes('\0')) continue
      const [row] = await server.sql<{ ok: boolean }>('select app.is_destination($1) as ok', [
        address,
      ])
      if (row?.ok) accepted.push(address)
    }
    expect(
      accepted.filter((address) => !/^https?:\/\/[a-z0-9.[\]:-]+([/?#]|$)/i.test(address)),
    ).toEqual([])
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      'https://a@b.example/',
      'https://example.com/\\x',
      'java\nscript:alert(1)',
    ]) {
      await expect(
        server.sql('update app.shortened_urls set original_url = $1', [address]),
      ).rejects.toThrow('shortened_urls_destination')
      await expect(
        server.sql('insert into app.shortened_urls (user_id, original_url) values ($1, $2)', [
          ann.id,
          address,
        ]),
      ).rejects.toThrow('shortened_urls_destination')
    }
  })

  it('is refused in every other address column', async () => {
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      ' https://example.com',
      'https://a@b.example/',
      '//example.com',
    ]) {
      expect(
        await send(server, ann, 'POST', 'popups', {
          user_id: ann.id,
          title: 'x',
          cta_url: address,
        }),
      ).toMatchObject(invalid)
      expect(
        await send(server, ann, 'POST', 'popups', {
          user_id: ann.id,
          title: 'x',
          image_url: address,
        }),
      ).toMatchObject(invalid)
      expect(
        await send(server, ann, 'POST', 'bio_links', {
          bio_page_id: page.id,
          title: 'x',
          url: address,
        }),
      ).toMatchObject(invalid)
      const social = { bio_page_id: page.id, platform: 'website', url: address }
      expect(await send(server, ann, 'POST', 'bio_social_links', social)).toMatchObject(invalid)
    }
    const mail = (platform: string, url: string) =>
      send(server, ann, 'POST', 'bio_social_links', { bio_page_id: page.id, platform, url })
    expect((await mail('email', 'mailto:ann@example.com')).status).toBe(201)
    expect((await mail('website', 'mailto:ann@example.com')).status).toBe(400)
    expect((await mail('email', 'mailto:a@b.example?body=x')).status).toBe(400)
    expect((await mail('email', 'javascript:alert(1)')).status).toBe(400)
  })
})

describe('a host of more than 253 characters', () => {
  const urlOf = (length: number) => `https://${'a.'.repeat(Math.floor(length / 2))}a/`
  const columns = () =>
    [
      ['shortened_urls', 'original_url', { user_id: ann.id }],
      [
        'shortened_urls',
        'fallback_url',
        { user_id: ann.id, original_url: 'https://example.com/own' },
      ],
      ['popups', 'cta_url', { user_id: ann.id, title: 'x' }],
      ['bio_links', 'url', { bio_page_id: page.id, title: 'x' }],
      ['bio_social_links', 'url', { bio_page_id: page.id, platform: 'website' }],
    ] as const

  it('is refused by the door in every address column; 253 characters are not', async () => {
    for (const [table, column, row] of columns()) {
      const make = (length: number) =>
        send(server, ann, 'POST', table, { ...row, [column]: urlOf(length) })
      expect(await make(255), `${table}.${column}`).toMatchObject({
        status: 400,
        body: { message: 'Invalid URL' },
      })
      expect((await make(253)).status, `${table}.${column}`).toBe(201)
    }
  })

  it('is refused by the database, and an old row that has one still counts clicks', async () => {
    for (const [table, column] of columns()) {
      const write = (length: number) =>
        server.sql(`update app.${table} set ${column} = $1`, [urlOf(length)])
      await expect(write(255), `${table}.${column}`).rejects.toThrow('Invalid URL')
      await write(253)
    }
    const rules = (length: number) =>
      server.sql('select app.refuse_rule_addresses($1)', [JSON.stringify([{ to: urlOf(length) }])])
    await expect(rules(255)).rejects.toThrow('Invalid URL')
    await rules(253)
    for (const table of ['shortened_urls', 'bio_links']) {
      const column = table === 'bio_links' ? 'url' : 'original_url'
      await server.sql(`alter table app.${table} disable trigger user`)
      await server.sql(`update app.${table} set ${column} = $1`, [urlOf(2_001)])
      await server.sql(`alter table app.${table} enable trigger user`)
      await server.sql(`update app.${table} set click_count = click_count + 1`)
      await server.sql(`update app.${table} set ${column} = 'https://example.com/kept'`)
    }
  })
})

it("the table door keeps a popup's addresses optional", async () => {
  const image_url = `/media/${'a'.repeat(64)}.png`
  const row = { user_id: ann.id, title: 'x', cta_url: '', image_url }
  expect((await send(server, ann, 'POST', 'popups', row)).status).toBe(201)
  expect(
    (await send(server, ann, 'POST', 'popups', { ...row, cta_url: null, image_url: null })).status,
  ).toBe(201)
  expect(
    (await send(server, ann, 'POST', 'popups', { ...row, image_url: '/media/../../x y' })).status,
  ).toBe(400)
})

it('the table door stores the address that a browser would open, and answers with it', async () => {
  const cases = [
    ['HTTPS://EXAMPLE.com/Path?q=1#f', 'https://example.com/Path?q=1#f'],
    ['https://example.com', 'https://example.com'],
    ['https://пример.example/ё', 'https://xn--e1afmkfd.example/%D1%91'],
    ['https://example.com:443/a/../b', 'https://example.com/b'],
  ] as const
  for (const [typed, stored] of cases) {
    const made = await send(
      server,
      ann,
      'POST',
      'shortened_urls',
      { user_id: ann.id, original_url: typed },
      single,
    )
    expect(made).toMatchObject({ status: 201, body: { original_url: stored } })
  }
})

it('the table door refuses links back to this server in every spelling, and tells no other port from it', async () => {
  const { port } = new URL(server.url)
  const spellings = [
    `http://127.0.0.1:${port}/x`,
    `http://localhost:${port}`,
    `http://LOCALHOST:${port}/`,
    `http://127.0.0.2:${port}/`,
    `http://[::1]:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://127.1:${port}/`,
    `http://localhost.:${port}/`,
    `http://www.localhost:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
  ]
  for (const original_url of spellings) {
    const made = await send(server, ann, 'POST', 'shortened_urls', {
      user_id: ann.id,
      original_url,
    })
    expect({ original_url, status: made.status }).toEqual({ original_url, status: 400 })
  }
  const other = await send(server, ann, 'POST', 'shortened_urls', {
    user_id: ann.id,
    original_url: 'http://localhost:1/',
  })
  expect(other.status).toBe(201)
})
