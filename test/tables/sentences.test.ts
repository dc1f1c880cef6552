import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keySentences, sentences } from '#server/tables/sentences.ts'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount, send } from './accounts.ts'
import { makeOwner, type Owner } from './rows.ts'

let server: TestServer
let ann: Owner

beforeAll(async () => {
  server = await startTestServer()
  ann = await makeOwner(server, 'ann')
})
afterAll(() => server.close())

/** Only its own functions write the ledger, so no request meets its CHECKs. */
const written = [...apiCatalog.relations.keys()].filter((name) => name !== 'commissions')

/** Tables behind procedures, which write values of their callers to them. */
const behindProcedures = ['audiences', 'blocks', 'link_rules', 'names', 'payouts']

/** CHECKs of these that no call meets, and why. */
const unmetChecks: Readonly<Record<string, string>> = {
  blocks_kind_check: 'the procedures refuse other kinds',
  blocks_ends_at_check: 'only a ban has an end',
  link_rules_rules_check: 'the door bounds rules before they reach a statement',
  names_alias_of: 'only a renamed link has an alias',
  names_kind_check: 'triggers choose the kind',
  names_name_check: 'triggers check the code of a link and the slug of a page before',
  payouts_amount_cents_check: 'only positive amounts are due',
  payouts_reference_check: 'the procedure cuts a long reference',
}

/** The CHECKs of the tables that the door writes to, by the name that an error gives. */
async function checks(): Promise<string[]> {
  const rows = await server.sql<{ name: string }>(
    `select conname as name from pg_constraint
     where contype = 'c' and conrelid in (select ('app.' || t)::regclass from unnest($1::text[]) as t) order by 1`,
    [[...written, ...behindProcedures]],
  )
  return rows.map(({ name }) => name).filter((name) => !(name in unmetChecks))
}

it('each rule has a sentence for each CHECK of a served table, and for nothing else', async () => {
  expect(Object.keys(sentences).sort()).toEqual(await checks())
  await server.sql('alter table app.bio_links add constraint planted check (link_order < 9000)')
  expect(await checks()).not.toEqual(Object.keys(sentences).sort())
  await server.sql('alter table app.bio_links drop constraint planted')
})

/** Unreachable keys: the trigger that claims the name raises its own error first. */
const unmet = new Set(['bio_pages_slug_key', 'shortened_urls_short_code_key'])

/** The unique keys over columns that people can write. */
async function keys(): Promise<string[]> {
  const rows = await server.sql<{ relation: string; name: string; columns: string[] }>(
    `select c.relname as relation, i.relname as name,
       array(select pg_get_indexdef(i.oid, k, true) from generate_series(1, x.indnkeyatts) k) as columns
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
     where x.indisunique and c.relnamespace = 'app'::regnamespace order by 2`,
  )
  const written = ({ relation, columns }: (typeof rows)[number]) => {
    const { insert = [], update = [] } =
      apiCatalog.relations.get(relation)?.access.authenticated ?? {}
    const names = columns.map((column) => column.replace(/^lower\((.*)\)$/, '$1'))
    return names.every((name) => insert.includes(name) || update.includes(name))
  }
  return rows.filter(written).map(({ name }) => name)
}

it('each rule has a sentence for each unique key that people can meet', async () => {
  const missing = async () =>
    (await keys()).filter((name) => !unmet.has(name) && !(name in keySentences))
  expect(await missing()).toEqual([])
  await server.sql('create unique index planted_key on app.tags (user_id, color)')
  expect(await missing()).toEqual(['planted_key'])
  await server.sql('drop index app.planted_key')
})

/** Unreachable foreign keys, and why. */
const unmetForeignKeys: Readonly<Record<string, string>> = {
  shared_reports_tag_id_fkey: 'the trigger that looks the owner up raises its own error first',
  shared_reports_link_id_fkey: 'the trigger that looks the owner up raises its own error first',
}

/** The foreign keys over columns that a caller of the door can write: people, or the service. */
async function foreignKeys(): Promise<string[]> {
  const rows = await server.sql<{ relation: string; name: string; columns: string[] }>(
    `select c.relname as relation, k.conname as name, array(select a.attname::text from pg_attribute a
         where a.attrelid = k.conrelid and a.attnum = any (k.conkey)) as columns
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where k.contype = 'f' and c.relnamespace = 'app'::regnamespace order by 2`,
  )
  return rows
    .filter(({ relation, columns }) => {
      const { authenticated, service_role: service } =
        apiCatalog.relations.get(relation)?.access ?? {}
      const writable = [authenticated, service].flatMap((access) => [
        ...(access?.insert ?? []),
        ...(access?.update ?? []),
      ])
      return columns.some((column) => writable.includes(column))
    })
    .map(({ name }) => name)
}

it('each rule has a sentence for each foreign key that a caller can meet', async () => {
  const missing = async () =>
    (await foreignKeys()).filter((name) => !(name in unmetForeignKeys) && !(name in keySentences))
  expect(await missing()).toEqual([])
  await server.sql(
    'alter table app.day_notes add constraint planted_key foreign key (user_id) references app.profiles',
  )
  expect(await missing()).toEqual(['planted_key'])
  await server.sql('alter table app.day_notes drop constraint planted_key')
})

it('a row of an account, page or link that does not exist is refused with its sentence', async () => {
  const service = { headers: { authorization: `Bearer ${server.serviceRoleKey}` } }
  const nobody = '6e0b8e6c-5d0c-4a7b-9b57-3c61e1bd9d4e'
  const url = 'https://example.com/'
  for (const [table, row, message] of [
    ['popups', { user_id: nobody, title: 'A' }, 'There is no such account'],
    ['shortened_urls', { user_id: nobody, original_url: url }, 'There is no such account'],
    ['bio_pages', { user_id: nobody, slug: 'nobody', title: 'A' }, 'There is no such account'],
    ['tags', { user_id: nobody, name: 'a' }, 'There is no such account'],
    ['user_plans', { user_id: nobody }, 'There is no such account'],
    ['bio_links', { bio_page_id: nobody, title: 'A', url }, 'There is no such bio page'],
    [
      'link_expectations',
      { link_id: nobody, name: 'a', visit: {}, expected_url: url },
      'There is no such link',
    ],
  ] as const)
    expect({ table, ...(await send(server, service, 'POST', table, row)) }).toMatchObject({
      status: 409,
      body: { code: '23503', message, details: null },
    })
})

it('a value that a procedure cannot store is refused with its sentence, and nothing of the row', async () => {
  for (const [days, status, message] of [
    [30, 204, undefined],
    [0, 400, 'Leads are kept for 1 to 3,650 days, or for good'],
    [3651, 400, 'Leads are kept for 1 to 3,650 days, or for good'],
  ] as const) {
    const answer = await send(server, ann.account, 'POST', 'rpc/save_audience', {
      _retention_days: days,
    })
    expect(answer.status).toBe(status)
    if (message) expect(answer.body).toMatchObject({ code: '23514', message, details: null })
  }
  const admin = await makeAccount(server, { role: 'admin' })
  const victim = await makeAccount(server)
  const block = { _kind: 'user', _value: victim.id, _reason: 'x'.repeat(501) }
  expect(await send(server, admin, 'POST', 'rpc/admin_block', block)).toMatchObject({
    status: 400,
    body: { message: 'The reason of a block has at most 500 characters', details: null },
  })
})

it('a second row of a key is refused with its sentence, and nothing of the row', async () => {
  const carl = await makeOwner(server, 'carl')
  const one = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }
  const row = { user_id: carl.account.id, original_url: 'https://example.com/' }
  const { body } = await send(server, carl.account, 'POST', 'shortened_urls', row, one)
  const link = { link_id: (body as { id: string }).id }
  const tagRow = { user_id: carl.account.id, name: 'campaign' }
  const made = await send(server, carl.account, 'POST', 'tags', tagRow, one)
  const tag = { tag_id: (made.body as { id: string }).id }
  const expectation = { ...link, visit: {}, expected_url: 'https://example.com/' }
  for (const [table, first, second, message] of [
    ['tags', { name: 'red' }, { name: 'RED' }, 'You already have a tag with this name'],
    ['utm_templates', { name: 'a' }, { name: ' A ' }, 'You already have a template with this name'],
    [
      'qr_looks',
      { name: 'a', look: {} },
      { name: ' A ', look: {} },
      'You already have a look with this name',
    ],
    [
      'day_notes',
      { day: '2026-01-01', text: 'a' },
      { day: '2026-01-01', text: 'b' },
      'You already have a note on this day',
    ],
    ['shared_reports', link, link, 'This link already has a shared report'],
    ['shared_reports', tag, tag, 'This tag already has a shared report'],
    [
      'link_expectations',
      { ...expectation, name: 'a' },
      { ...expectation, name: 'A' },
      'This link already has an expectation with this name',
    ],
  ] as const) {
    expect({ table, ...(await send(server, carl.account, 'POST', table, first)) }).toMatchObject({
      status: 201,
    })
    expect({ table, ...(await send(server, carl.account, 'POST', table, second)) }).toMatchObject({
      status: 409,
      body: { code: '23505', message, details: null },
    })
  }
})

const long = (length: number) => 'é'.repeat(length)
const theme =
  "Please write theme colors as 'hue saturation% lightness%', with a hue up to 360 and the others up to 100%"
const slug = 'Slug must be 1 to 50 characters: only a-z, 0-9, hyphens, and underscores are allowed'
const refusals: [table: 'popups' | 'bio_pages' | 'bio_links', row: object, message: string][] = [
  ['popups', { title: '' }, 'Title is required'],
  ['popups', { title: ' \u200B\u00A0' }, 'Title is required'],
  ['popups', { title: '\u3164\u2060\u00AD' }, 'Title is required'],
  ['popups', { title: long(201) }, 'Title must be at most 200 characters'],
  ['popups', { description: long(501) }, 'Description must be at most 500 characters'],
  ['popups', { cta_text: ' ' }, 'Button text is required'],
  ['popups', { cta_text: '\u200D' }, 'Button text is required'],
  ['popups', { cta_text: long(51) }, 'Button text must be at most 50 characters'],
  ['popups', { button_color: 'url(x)' }, 'Please enter a color like #1a2b3c'],
  [
    'popups',
    { position: 'left' },
    'The position must be center, top, bottom, bottom-right or bottom-left',
  ],
  [
    'popups',
    { size_preset: 'huge' },
    'The size must be small, medium, large, extra-large, full-width, compact or tall',
  ],
  ['popups', { border_radius: 25 }, 'The border radius must be between 0 and 24 pixels'],
  [
    'popups',
    { font_style: 'Comic Sans' },
    'The font style must be casual, professional, modern or elegant',
  ],
  ['popups', { shadow_style: 'x' }, 'The shadow style must be none, soft, medium or bold'],
  ['bio_pages', { title: '\uFEFF\u200B' }, 'Please fill in slug and title'],
  ['bio_pages', { title: long(201) }, 'Title must be at most 200 characters'],
  ['bio_pages', { description: long(1001) }, 'Description must be at most 1,000 characters'],
  ['bio_pages', { theme_primary: '361 0% 0%' }, theme],
  ['bio_pages', { theme_background: '0 101% 0%' }, theme],
  ['bio_pages', { theme_text: '0 0% 100.1%' }, theme],
  ['bio_links', { title: long(201) }, 'Link title must be 1 to 200 characters'],
  ['bio_links', { title: '' }, 'Link title must be 1 to 200 characters'],
  ['bio_links', { title: '\u200b\u2060' }, 'Link title must be 1 to 200 characters'],
]

it.each(refusals)('row %# of the table: %s says its sentence', async (table, row, message) => {
  const id = { popups: ann.popup, bio_pages: ann.page, bio_links: ann.link }[table]
  const answer = await send(server, ann.account, 'PATCH', `${table}?id=eq.${id}`, row)
  expect(answer).toMatchObject({
    status: 400,
    body: { code: '23514', message, details: null, hint: null },
  })
})

it.each(['a b', 'x'.repeat(51), 'x'.repeat(99), '', 'ä'])(
  'a new page cannot be called %j',
  async (wanted) => {
    const bob = await makeAccount(server)
    const row = { user_id: bob.id, slug: wanted, title: 'Bob' }
    expect(await send(server, bob, 'POST', 'bio_pages', row)).toMatchObject({
      status: 400,
      body: { code: '23514', message: slug },
    })
    const page = { slug: wanted, title: 'Bob' }
    expect(await send(server, bob, 'POST', 'rpc/save_bio_page', { page })).toMatchObject({
      status: 400,
      body: { code: '23514', message: wanted === '' ? 'Please fill in slug and title' : slug },
    })
  },
)

it('each rule says which value is missing, and nothing of the row', async () => {
  expect(
    await send(server, ann.account, 'PATCH', `bio_links?id=eq.${ann.link}`, { title: null }),
  ).toMatchObject({
    status: 400,
    body: { code: '23502', message: 'Please give title a value', details: null },
  })
})

it('a Kelvin sign does not become a k', async () => {
  const bob = await makeAccount(server)
  const row = { user_id: bob.id, slug: '\u212Aelvin', title: 'Bob' }
  expect(await send(server, bob, 'POST', 'bio_pages', row)).toMatchObject({ status: 400 })
})

it('each rule allows an email link one address, and no headers or further addresses after it', async () => {
  const write = (platform: string, url: string) =>
    send(server, ann.account, 'POST', 'bio_social_links', { bio_page_id: ann.page, platform, url })
  for (const address of [
    'mailto:a@b.example?bcc=c@d.example',
    'mailto:a?bcc=c@d.example',
    'mailto:a@b.example,c@d.example',
    'mailto:a%0Abcc:c@d.example',
    'mailto:a&bcc=c@d.example',
    'mailto:@b.example',
    'mailto:a@b..example',
  ]) {
    expect({ address, ...(await write('email', address)) }).toMatchObject({
      status: 400,
      body: { code: '23514', message: 'Invalid URL' },
    })
  }
  expect((await write('email', "mailto:Ann.O'Neill+x@mail.example")).status).toBe(201)
  expect((await write('website', 'mailto:ann@mail.example')).status).toBe(400)
  expect(await write('', 'https://example.com/')).toMatchObject({
    status: 400,
    body: { message: 'Please choose a platform' },
  })
})

it('a link and a profile say theirs', async () => {
  const row = { user_id: ann.account.id, original_url: 'https://example.com/' }
  await send(server, ann.account, 'POST', 'shortened_urls', row)
  expect(
    await send(server, ann.account, 'PATCH', 'shortened_urls?original_url=neq.x', {
      show_popup: true,
    }),
  ).toMatchObject({
    status: 400,
    body: {
      code: '23514',
      message: 'No Popup Selected',
      details: 'Please select a popup or disable the popup option',
    },
  })
  const own = `profiles?id=eq.${ann.account.id}`
  expect(await send(server, ann.account, 'PATCH', own, { display_name: long(101) })).toMatchObject({
    status: 400,
    body: { code: '23514', message: 'Display name must be at most 100 characters' },
  })
})

it('texts of just the most characters are stored, in any script', async () => {
  const wave = (length: number) => '👋'.repeat(length)
  const popup = { title: wave(200), description: wave(500), cta_text: wave(50) }
  const page = { title: wave(200), description: wave(1000) }
  const write = (where: string, row: object) => send(server, ann.account, 'PATCH', where, row)
  expect((await write(`popups?id=eq.${ann.popup}`, popup)).status).toBe(204)
  expect((await write(`bio_pages?id=eq.${ann.page}`, page)).status).toBe(204)
})

describe('a title or name', () => {
  const blanks = `\t\u3000\n${' '.repeat(65_000)}`
  const url = 'https://example.com/'
  /** Each table with a limit of characters that does not count those around the text. */
  async function tables() {
    const row = { user_id: ann.account.id, original_url: url }
    const one = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }
    const { body } = await send(server, ann.account, 'POST', 'shortened_urls', row, one)
    const link = { link_id: (body as { id: string }).id, visit: {}, expected_url: url }
    const entry = { bio_page_id: ann.page, url }
    return [
      ['bio_links', 'title', entry, 'Link title must be 1 to 200 characters'],
      [
        'bio_links',
        'title',
        { ...entry, kind: 'header', url: '' },
        'Link title must be 1 to 200 characters',
      ],
      ['utm_templates', 'name', {}, 'The name of a template has 1 to 100 characters'],
      ['link_expectations', 'name', link, 'The name of an expectation has 1 to 100 characters'],
    ] as const
  }
  const returned = { prefer: 'return=representation' }

  it('is stored without whitespace around it, new or changed', async () => {
    for (const [table, column, row] of await tables()) {
      const text = (value: string) => ({ [column]: `\n ${value}${blanks}` })
      const ask = (verb: string, query: string, body: object) =>
        send(server, ann.account, verb, `${table}?${query}select=id,${column}`, body, returned)
      const made = await ask('POST', '', { ...row, ...text('Two  words') })
      expect({ table, ...made }).toMatchObject({ status: 201, body: [{ [column]: 'Two  words' }] })
      const id = (made.body as { id: string }[])[0]?.id
      const changed = await ask('PATCH', `id=eq.${id}&`, text('Other'))
      expect({ table, ...changed }).toMatchObject({ status: 200, body: [{ [column]: 'Other' }] })
    }
    const page = `bio_pages?id=eq.${ann.page}&select=title`
    expect(
      (await send(server, ann.account, 'PATCH', page, { title: ` Ann B${blanks}` }, returned)).body,
    ).toEqual([{ title: 'Ann B' }])
    const divider = { bio_page_id: ann.page, kind: 'divider', title: blanks, url: '' }
    expect(
      (await send(server, ann.account, 'POST', 'bio_links?select=title', divider, returned)).body,
    ).toEqual([{ title: '' }])
  })

  it('of nothing but blanks is refused', async () => {
    for (const [table, column, row, message] of await tables())
      for (const text of ['', ' ', blanks])
        expect({
          table,
          ...(await send(server, ann.account, 'POST', table, { ...row, [column]: text })),
        }).toMatchObject({ status: 400, body: { code: '23514', message } })
    expect(
      await send(server, ann.account, 'PATCH', `bio_pages?id=eq.${ann.page}`, { title: blanks }),
    ).toMatchObject({ status: 400, body: { message: 'Please fill in slug and title' } })
  })
})
