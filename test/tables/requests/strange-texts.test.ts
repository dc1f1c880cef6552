/** @module-tag extended */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isVisible } from '#domain/forms/visible-text.ts'
import { themeColorFromHex, themePresets } from '#domain/bio/themes.ts'
import { dangerousDestinations } from '#test/fixtures/dangerous-destinations.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { send } from '../accounts.ts'
import { acceptedBy, makeOwner, type Owner } from '../rows.ts'

let server: TestServer
let ann: Owner

beforeAll(async () => {
  server = await startTestServer()
  ann = await makeOwner(server)
})
afterAll(() => server.close())

/** Runs work with a constraint taken out, which the test must notice. */
async function without<T>(table: string, constraint: string, work: () => Promise<T>): Promise<T> {
  const [found] = await server.sql<{ text: string }>(
    'select pg_get_constraintdef(oid) as text from pg_constraint where conname = $1',
    [constraint],
  )
  await server.sql(`alter table app.${table} drop constraint ${constraint}`)
  try {
    return await work()
  } finally {
    await server.sql(`alter table app.${table} add constraint ${constraint} ${found?.text}`)
  }
}

const addressColumns = [
  ['bio_links.url', 'bio_links_url_check'],
  ['bio_social_links.url', 'bio_social_links_check'],
  ['popups.cta_url', 'popups_cta_url_check'],
  ['popups.image_url', 'popups_image_url_check'],
] as const

it('popup texts are stored without leading and trailing whitespace, also long ones', async () => {
  const path = 'popups?select=title,description,cta_text'
  const words = {
    user_id: ann.account.id,
    title: `\u3000  Ten percent\n${' '.repeat(20_000)}`,
    description: '\tEverything, today  ',
    cta_text: ' Go ',
  }
  const prefer = { prefer: 'return=representation' }
  const { body } = await send(server, ann.account, 'POST', path, words, prefer)
  expect(body).toEqual([{ title: 'Ten percent', description: 'Everything, today', cta_text: 'Go' }])
})

describe('of more than 200 dangerous addresses', () => {
  // Addresses that a browser opens as something else than http(s), or as the address of another host than a person reads.
  const harmful = (addresses: string[]) =>
    addresses.filter((text) => text !== '' && !/^https?:\/\/[a-z0-9.:[\]-]+([/?#]|$)/i.test(text))

  it.each(addressColumns)('the CHECK of %s lets none through', async (column, constraint) => {
    expect(dangerousDestinations.length).toBeGreaterThanOrEqual(200)
    expect(harmful(await acceptedBy(server, column, dangerousDestinations))).toEqual([])
    expect(await acceptedBy(server, column, ['https://example.com/a.png'])).toHaveLength(1)
    const table = column.split('.')[0] ?? ''
    const open = await without(table, constraint, () =>
      acceptedBy(server, column, dangerousDestinations),
    )
    expect(harmful(open).length).toBeGreaterThan(150)
  })

  it('the door lets none through, new or changed', async () => {
    const rows = {
      bio_links: { id: ann.link, bio_page_id: ann.page, title: 'x' },
      bio_social_links: { id: ann.social, bio_page_id: ann.page, platform: 'website' },
      popups: { id: ann.popup, user_id: ann.account.id, title: 'x' },
    }
    for (const [column] of addressColumns) {
      const [table, name] = column.split('.') as [keyof typeof rows, string]
      const { id, ...row } = rows[table]
      const write = async (text: string) => {
        if (text === '' && table === 'popups') return
        const change = { [name]: text }
        const made = await send(server, ann.account, 'POST', table, { ...row, ...change })
        const changed = await send(server, ann.account, 'PATCH', `${table}?id=eq.${id}`, change)
        const refused = { status: 400, body: { code: '23514', message: 'Invalid URL' } }
        expect({ column, text, ...made }).toMatchObject(refused)
        expect({ column, text, ...changed }).toMatchObject(refused)
      }
      // A few at a time: the server refuses more than 500 connections from one address.
      for (let i = 0; i < dangerousDestinations.length; i += 20)
        await Promise.all(dangerousDestinations.slice(i, i + 20).map(write))
    }
  })
})

describe('of 10,000 random strings', () => {
  const odd = fc.oneof(
    fc.constantFrom(';', '}', '/*', 'url(x)', '\n', '%', ' ', '-', '+', 'e9', '\u0661', '\\', ''),
    fc.string({ maxLength: 4 }),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  const number = fc.oneof(
    fc.integer({ min: 0, max: 100 }).map(String),
    fc.double({ min: 0, max: 400, noNaN: true }).map((value) => value.toFixed(3)),
    fc.constantFrom('360', '361', '100.0001', '1000', '-1', '.5', '1e2', 'NaN', '\u0665'),
  )
  // Most of them are close to valid; the rest are easy to refuse.
  const nearly = (right: fc.Arbitrary<string>) =>
    fc
      .tuple(right, odd, fc.nat(), fc.constantFrom(true, true, false))
      .map(([text, extra, at, keep]) =>
        keep ? text : text.slice(0, at % 20) + extra + text.slice(at % 20),
      )
  const colors = fc.tuple(number, number, number).map(([h, s, l]) => `${h} ${s}% ${l}%`)
  const hexes = fc.array(fc.constantFrom(...'0123456789abcdefABCDEFg'.split('')), {
    minLength: 5,
    maxLength: 7,
  })

  it('a theme color takes only three numbers within their bounds', async () => {
    const texts = fc.sample(nearly(colors), 10_000)
    const harmful = (list: string[]) =>
      list.filter((text) => {
        const [h = 999, s = 999, l = 999] = text.split(' ').map(Number.parseFloat)
        return !/^[0-9. %]+$/.test(text) || h > 360 || s > 100 || l > 100
      })
    const columns = ['theme_primary', 'theme_background', 'theme_text']
    for (const [index, column] of columns.entries()) {
      const share = texts.filter((_, at) => at % columns.length === index)
      const taken = await acceptedBy(server, `bio_pages.${column}`, share)
      expect(harmful(taken)).toEqual([])
      expect(taken.length).toBeGreaterThan(100)
    }
    const open = await without('bio_pages', 'bio_pages_theme_text_check', () =>
      acceptedBy(server, 'bio_pages.theme_text', texts.slice(0, 2_000)),
    )
    expect(harmful(open).length).toBeGreaterThan(200)
  })

  it('a popup color takes only # and six digits', async () => {
    const texts = fc.sample(nearly(hexes.map((digits) => `#${digits.join('')}`)), 10_000)
    const harmful = (list: string[]) => list.filter((text) => !/^#[0-9a-fA-F]{6}$/.test(text))
    const columns = ['background_color', 'text_color', 'button_color', 'button_text_color']
    for (const [index, column] of columns.entries()) {
      const share = texts.filter((_, at) => at % columns.length === index)
      const taken = await acceptedBy(server, `popups.${column}`, share)
      expect(harmful(taken)).toEqual([])
      expect(taken.length).toBeGreaterThan(100)
    }
    const open = await without('popups', 'popups_text_color_check', () =>
      acceptedBy(server, 'popups.text_color', texts.slice(0, 2_000)),
    )
    expect(harmful(open).length).toBeGreaterThan(200)
  })

  it('takes every color that the pickers and presets give', async () => {
    const picked = fc.sample(fc.integer({ min: 0, max: 0xffffff }), 2_000).map((value) => {
      return themeColorFromHex(`#${value.toString(16).padStart(6, '0')}`)
    })
    const presets = themePresets.flatMap(({ primary, background, text }) => [
      primary,
      background,
      text,
    ])
    const all = [...picked, ...presets, '360 100% 100%', '0 0% 0%', '210.5 40.25% 96.1%']
    expect(await acceptedBy(server, 'bio_pages.theme_text', all)).toEqual(all)
  })
})

it('forms and database agree on every invisible character', async () => {
  const rows = await server.sql<{ code: number }>(`
    select code from generate_series(1, x'E1000'::int) as code
    where (code < x'D800'::int or code > x'DFFF'::int) and (code < x'30000'::int or code > x'DFFFF'::int)
      and not app.is_visible(chr(code))`)
  const unseen = (code: number) => !isVisible(String.fromCodePoint(code))
  const inDatabase = new Set(rows.map(({ code }) => code))
  const different: string[] = []
  for (let code = 1; code <= 0xe1000; code++) {
    if ((code >= 0xd800 && code <= 0xdfff) || (code >= 0x30000 && code <= 0xdffff)) continue
    if (unseen(code) !== inDatabase.has(code)) different.push(code.toString(16))
  }
  expect(different).toEqual([])
  expect(inDatabase.size).toBeGreaterThan(4_000)
})
