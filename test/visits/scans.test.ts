import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { claimOwnNames } from '#server/postgres/own-names.ts'
import { makeLink, save } from '#test/links/rules.ts'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from '#test/tables/accounts.ts'
import { hitsOf } from './hits.ts'
import { browser, visit } from './visit.ts'

// `/q/{code}` is the address in a QR code: the same visit as `/{code}?qr`.

let server: TestServer
let owner: Account
beforeAll(async () => {
  server = await startTestServer({ rateLimits: true, trustedProxies: 1 })
  owner = await makeAccount(server, { plan: 'business' })
})
afterAll(() => server.close())

const make = (code: string, options: object = {}) =>
  makeLink(server, owner, { short_code: code, ...options })
const patient = { timeout: 240_000 }

type Sent = Parameters<typeof visit>[2]
/** Everything that a visitor gets but the date and the id of the request. */
async function answer(path: string, sent?: Sent) {
  const { status, location, rawHeaders, body } = await visit(server.url, path, sent)
  const names = rawHeaders.filter((_, i) => i % 2 === 0)
  const headers = names
    .map((name, i) => [name, rawHeaders[2 * i + 1]])
    .filter(([name = '']) => !['Date', 'X-Request-Id'].includes(name))
  return { status, location, headers, body }
}

/** Addresses that are the same visit as `/{code}?qr`. */
const spellings = (code: string) => [
  `/Q/${code.toUpperCase()}`,
  `/q/${code}`,
  `/q/${code}/`,
  `/Q/${code}?`,
]

async function names(): Promise<Record<string, string>> {
  const ruled = await make('ruled')
  await save(server, owner, ruled, 0, [
    { when: [{ fact: 'source', is: ['qr'] }], to: 'https://example.com/scanned' },
  ])
  await make('plain-one')
  await make('my_menu')
  await make('locked', { password: 'sesame' })
  await make('forwards', { forward_query: 'all' })
  await make('moved', { redirect_status: 307 })
  await make('early', { starts_at: '2900-01-01T00:00:00Z' })
  await make('late', { ends_at: '2001-01-01T00:00:00Z', fallback_url: 'https://example.com/over' })
  const off = await make('off')
  await server.sql('update app.shortened_urls set is_disabled = true where id = $1', [off.id])
  const popup = await plantPopupLink(server.sql, { collect_email: true })
  const bio = await plantBio(server.sql, {
    links: [['Shop', 'https://shop.example/']],
    popup: { collect_email: true },
  })
  await server.sql(
    `insert into app.blocks (kind, value, reason) values ('link', 'blocked-one', 'test')`,
  )
  await make('blocked-one')
  return {
    'a link': 'plain-one',
    'a link with rules': ruled.short_code,
    'a code with an underline': 'my_menu',
    'a link with a password': 'locked',
    'a link that forwards': 'forwards',
    'a redirect that keeps the method': 'moved',
    'a link before its start': 'early',
    'a link after its end': 'late',
    'a link that is off': 'off',
    'a blocked link': 'blocked-one',
    'a link with a popup': popup.code,
    'a bio page': bio.slug,
    'a missing code': 'nobody-has-this',
  }
}

it('a scan by /q/{code} gets the answer of /{code}?qr, for every kind of name', async () => {
  for (const [kind, name] of Object.entries(await names())) {
    // A rule reaches the visits a moment after it was saved.
    if (name === 'ruled')
      await vi.waitFor(
        async () =>
          expect((await visit(server.url, '/ruled?qr')).location).toBe(
            'https://example.com/scanned',
          ),
        patient,
      )
    const meant = await answer(`/${name}?qr`)
    for (const path of spellings(name))
      expect([kind, path, await answer(path)]).toEqual([kind, path, meant])
    const previewer = { headers: { 'user-agent': 'WhatsApp/2.24 A' } }
    const prefetch = { headers: { 'sec-purpose': 'prefetch' } }
    for (const sent of [{ method: 'HEAD' }, previewer, prefetch, { method: 'PUT' }])
      expect([kind, await answer(`/Q/${name}`, sent)]).toEqual([
        kind,
        await answer(`/${name}?qr`, sent),
      ])
    expect([kind, await answer(`/Q/${name}+`)]).toEqual([kind, await answer(`/${name}+?qr`)])
    const query = 'utm_source=letter&a=%2F'
    expect(await answer(`/q/${name}?${query}`)).toEqual(await answer(`/${name}?qr&${query}`))
  }
  expect((await visit(server.url, '/Q/FORWARDS?a=b')).location).toBe('https://example.com/own?a=b')
  // Control: a click is no scan.
  expect((await visit(server.url, '/ruled')).location).toBe('https://example.com/own')
})

describe('a mark behind the code', () => {
  it('leads to any destination, and is not forwarded', async () => {
    const link = await make('marked', { forward_query: 'all' })
    for (const path of ['/Q/MARKED/T4', '/q/marked/zz9?', '/q/marked/ABCDEFGH/', '/Q/marked/t4/'])
      expect([path, (await visit(server.url, path)).location]).toEqual([
        path,
        'https://example.com/own',
      ])
    expect((await visit(server.url, '/q/marked/t4?a=b')).location).toBe(
      'https://example.com/own?a=b',
    )
    await vi.waitFor(async () => {
      const hits = await hitsOf(server.sql, link.id)
      expect(hits.map(({ source }) => source)).toEqual(Array(5).fill('qr'))
    }, patient)
  })

  it('is no path of another kind', async () => {
    await make('short-one')
    const refused = [
      '/q',
      '/q/',
      '/Q/?a=b',
      '/q/short-one/x',
      '/q/short-one/abcdefghi',
      '/q/short-one/a-b',
      '/q/short-one/t4/x',
      '/q/q/short-one',
      '/q/dashboard',
      '/q/auth/v1',
      '/q/404',
      '/q/demo',
      `/q/${'x'.repeat(51)}`,
    ]
    for (const path of refused)
      expect([path, (await visit(server.url, path)).status]).toEqual([path, 404])
    // Control.
    expect((await visit(server.url, '/q/short-one/t4')).status).toBe(302)
  })
})

it('a visitor who gave the password by one address is not asked again by the other', async () => {
  const link = await make('guarded', { password: 'sesame' })
  const page = await visit(server.url, '/Q/GUARDED/T4?a=b')
  const [, action = ''] = /<form[^>]* action="([^"]*)"/.exec(page.body) ?? []
  expect(action).toBe('/guarded?qr=t4&amp;a=b')
  const right = await fetch(new URL(action.replaceAll('&amp;', '&'), server.url), {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-forwarded-for': '192.0.2.7', 'user-agent': browser },
    body: new URLSearchParams({ password: 'sesame' }),
  })
  expect(right.headers.getSetCookie().map((cookie) => /Path=([^;]*)/.exec(cookie)?.[1])).toEqual([
    '/guarded',
    '/Q/GUARDED',
  ])
  const cookie = right.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  for (const path of ['/guarded', '/Q/GUARDED', '/q/guarded/t4'])
    expect((await visit(server.url, path, { headers: { cookie } })).location).toBe(
      'https://example.com/own',
    )
  // A form that a client sends to the address of the scan is taken, too.
  const sent = await fetch(`${server.url}/q/guarded`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-forwarded-for': '192.0.2.8' },
    body: new URLSearchParams({ password: 'sesame' }),
  })
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/guarded?qr'])
  expect((await visit(server.url, `/q/${link.short_code}`)).location).toBeUndefined()
})

it('a missing code that was scanned is counted as one that was typed', async () => {
  await visit(server.url, '/Q/PRINTED-TOO-EARLY/T4')
  await visit(server.url, '/printed-too-early?qr')
  await server.context.visits.missedCodes.flush()
  const rows = await server.sql<{ code: string; visits: number }>(
    `select code, visits::int from app.missed_codes where code ~ 'printed|^q$'`,
  )
  expect(rows).toEqual([{ code: 'printed-too-early', visits: 2 }])
})

it('a page that was named q before keeps its addresses, and codes can be scanned beside it', async () => {
  await server.sql(`delete from app.names where name = 'q'`)
  const page = await plantBio(server.sql, {
    columns: { slug: 'q' },
    links: [['Shop', 'https://shop.example/']],
    popup: { title: 'Hello' },
  })
  const { database, config, log } = server.context
  await claimOwnNames(database, config, log)
  await vi.waitFor(async () => expect((await visit(server.url, '/q')).status).toBe(200), patient)
  const { body } = await visit(server.url, '/Q/?a=b')
  const [press = ''] = /\/q\/go\/[0-9a-f-]{36}/.exec(body) ?? []
  expect((await visit(server.url, press)).location).toBe('https://shop.example/')
  const beacon = (action: string) =>
    fetch(`${server.url}/q/popup/${action}`, {
      method: 'POST',
      headers: { origin: server.url, 'x-forwarded-for': '192.0.2.9' },
    })
  expect((await beacon('shown')).status).toBe(204)
  await make('popup')
  expect((await visit(server.url, '/q/popup/shown')).status).toBe(404)
  expect((await visit(server.url, '/Q/POPUP')).location).toBe('https://example.com/own')
  await make('beside-q')
  expect((await visit(server.url, '/Q/BESIDE-Q/T4')).location).toBe('https://example.com/own')
  // The page has a QR code, too.
  expect((await visit(server.url, '/Q/Q')).status).toBe(200)
  expect((await visit(server.url, '/q+')).status).toBe(404)
  await vi.waitFor(async () => {
    const hits = await hitsOf(server.sql, page.id)
    expect(hits.map(({ source }) => source)).toContain('qr')
  }, patient)
})
