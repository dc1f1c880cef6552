import { beforeAll, describe, expect, it } from 'vitest'
import { ownHostsOf } from '#domain/links/destinations.ts'
import { searchLines } from '#domain/links/link-search.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'

let server: TestServer
let ann: Account
/** Titles and addresses of the links, by their codes. */
const links: Record<string, { title?: string; url: string }> = {
  tour: { title: 'Führung durch Köln', url: 'https://example.com/tour' },
  hello: { title: 'Привет, мир', url: 'https://example.com/hello' },
  nihongo: { title: '日本語の本', url: 'https://example.com/book' },
  macname: { title: 'Cafe\u0301 Menü'.normalize('NFD'), url: 'https://example.com/menu' },
  trouble: { url: 'https://example.com/Ärger/zwei' },
  loud: { url: 'https://example.com/ÜBERGRÖSSE' },
  size: { url: 'https://example.com/Übergröße' },
  wiki: { url: 'https://ru.example.com/wiki/Привет_Мир' },
  host: { url: 'https://münchen.example/x' },
  spaced: { url: 'https://example.com/two words' },
  percent: { title: '100 % off', url: 'https://example.com/deal' },
  arabic: { title: 'مرحبا بكم', url: 'https://example.com/مرحبا' },
}

beforeAll(async () => {
  server = await sharedServer()
  ann = await makeAccount(server, { plan: 'business' })
  for (const [code, { title, url }] of Object.entries(links)) {
    const row = {
      user_id: ann.id,
      short_code: nameOf(code),
      original_url: new URL(url).href,
      title,
    }
    expect((await send(server, ann, 'POST', 'shortened_urls', row)).status).toBe(201)
  }
})

const nameOf = (code: string) => `srch-${code}`

async function found(typed: string): Promise<string[]> {
  const _search = searchLines(typed, ownHostsOf({ publicUrl: server.url }))
  const { body } = await send(server, ann, 'POST', 'rpc/list_links', { _search, _sort: 'code' })
  return (body as { short_code: string }[]).map(({ short_code }) => short_code.slice(5))
}

describe('the search of My Links', () => {
  it.each([
    ['führung', ['tour']],
    ['FÜHRUNG', ['tour']],
    ['Fu\u0308hrung', ['tour']],
    ['привет', ['hello', 'wiki']],
    ['ПРИВЕТ', ['hello', 'wiki']],
    ['日本語', ['nihongo']],
    ['本', ['nihongo']],
    ['café', ['macname']],
    ['ärger', ['trouble']],
    ['Ärger', ['trouble']],
    ['ÄRGER', ['trouble']],
    ['übergröße', ['loud', 'size']],
    ['ÜBERGRÖSSE', ['loud']],
    ['привет_мир', ['wiki']],
    ['münchen', ['host']],
    ['MÜNCHEN.example/x', ['host']],
    ['https://münchen.example/', ['host']],
    ['two words', ['spaced']],
    ['100 %', ['percent']],
    ['مرحبا', ['arabic']],
    ['nothing like this', []],
    ['ж', []],
  ])('%s finds %j', async (typed, expected) => {
    expect(await found(typed)).toEqual(expected)
  })

  it.each(['', '?qr', '?utm_source=chat', '/', '#top'])(
    'a pasted short link with "%s" behind it finds it',
    async (rest) => {
      expect(await found(`${server.url}/${nameOf('tour')}${rest}`)).toEqual(['tour'])
      const host = new URL(server.url).host
      expect(await found(` ${host}/${nameOf('TOUR')}${rest} `)).toEqual(['tour'])
      const scanned = `/Q/${nameOf('tour').toUpperCase()}`
      expect(await found(`${server.url}${scanned}${rest}`)).toEqual(['tour'])
      expect(await found(`${server.url}${scanned}/T4${rest}`)).toEqual(['tour'])
      // Control: the same code at another host is not ours.
      expect(await found(`https://elsewhere.example/${nameOf('tour')}${rest}`)).toEqual([])
    },
  )
})
