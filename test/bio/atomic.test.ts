import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount, send } from '#test/tables/accounts.ts'
import { type Attempt, openClients } from '#test/tables/held-open.ts'
import { generation, generationIn, startReaders, ways } from './generations.ts'
import { save, saved } from './pages.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

async function newPage(slug: string) {
  const ann = await makeAccount(server)
  const { links, social_links } = generation(0)
  const { page } = await saved(server, ann, { slug, ...generation(0).page }, links, social_links)
  return { ann, slug, pageId: page.id, anonKey: server.anonKey }
}

/** 200 readers while the page is saved again and again. */
async function saveUnderReaders(way: keyof typeof ways, saves: number) {
  const { ann, ...page } = await newPage(`read-${way}`)
  const readers = startReaders(200, server.url, page)
  const call = (method: string, path: string, body?: unknown) =>
    send(server, ann, method, path, body)
  try {
    for (let n = 1; n <= saves; n++) expect(await ways[way](call, page.pageId, n)).toBe(true)
  } finally {
    await readers.stop()
  }
  return { readers, page }
}

describe('200 readers during saves', () => {
  it('see the old page or the new one, never an empty or a mixed one: 100 saves', async () => {
    const { readers, page } = await saveUnderReaders('atomic', 100)
    expect(Object.fromEntries(readers.broken)).toEqual({})
    expect(readers.whole).toBeGreaterThan(1_000)
    // Soon afterwards every reader has the last one.
    await expect
      .poll(async () =>
        generationIn(await (await fetch(`${server.url}/${page.slug}`)).text(), 'page'),
      )
      .toBe(100)
  })

  it('do see broken pages when the lists are deleted and inserted by separate calls (control)', async () => {
    const { readers } = await saveUnderReaders('separate', 20)
    const kinds = [...readers.broken.keys()].join()
    expect(kinds).toMatch(/links empty/)
    expect(kinds).toMatch(/page (mixed|incomplete)/)
  })
})

describe('two saves at the same time', () => {
  it('leave exactly what one of them wanted, transactions held open, 20 rounds', async () => {
    const { ann, pageId } = await newPage('two-saves')
    const clients = await openClients(server, 2)
    const attempt = (n: number): Attempt => {
      const { page, links, social_links } = generation(n)
      return {
        userId: ann.id,
        text: 'select api.save_bio_page($1::jsonb, $2::jsonb, $3::jsonb)',
        values: [page, links, social_links].map((value) => JSON.stringify(value)),
      }
    }
    for (let round = 1; round <= 20; round++) {
      const endings = await clients.race([attempt(2 * round), attempt(2 * round + 1)])
      expect(endings.map(({ code }) => code)).toEqual(['ok', 'ok'])
      const [row] = await server.sql<{ text: string }>(
        `select p.title || (select string_agg(l.title, ' ' order by link_order) from app.bio_links l where l.bio_page_id = p.id)
           || (select string_agg(s.url, ' ' order by display_order) from app.bio_social_links s where s.bio_page_id = p.id) as text
         from app.bio_pages p where p.id = $1`,
        [pageId],
      )
      expect([2 * round, 2 * round + 1]).toContain(generationIn(row?.text ?? '', 'page'))
    }
    await clients.close()
  })

  it('make one page when both are the first, and the second keeps the slug or is told so', async () => {
    for (let round = 0; round < 10; round++) {
      const ann = await makeAccount(server)
      const same = await Promise.all(
        [1, 2].map((n) => save(server, ann, { slug: `same-${round}`, title: `${n}` }, [])),
      )
      expect(same.map(({ status }) => status)).toEqual([200, 200])
      const bob = await makeAccount(server)
      const other = await Promise.all(
        [1, 2].map((n) => save(server, bob, { slug: `other-${round}-${n}`, title: `${n}` }, [])),
      )
      expect(other.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    }
  })
})
