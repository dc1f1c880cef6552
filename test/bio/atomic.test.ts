/** @module-tag extended */

import { beforeAll, describe, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { makeAccount, send } from '#test/tables/accounts.ts'
import { type Attempt, openClients } from '#test/tables/held-open.ts'
import { generation, generationIn, type Readers, startReaders, ways } from './generations.ts'
import { save, saved } from './pages.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
async function newPage(slug: string) {
  const ann = await makeAccount(server)
  const { links, social_links } = generation(0)
  const { page } = await saved(server, ann, { slug, ...generation(0).page }, links, social_links)
  return { ann, slug, pageId: page.id, anonKey: server.anonKey }
}

/** 200 readers while the page is saved again and again, until they have seen enough.  */
async function saveUnderReaders(
  way: keyof typeof ways,
  isEnough: (readers: Readers, saves: number) => boolean,
) {
  const { ann, ...page } = await newPage(`read-${way}`)
  const readers = startReaders(200, server.url, page)
  const call = (method: string, path: string, body?: unknown) =>
    send(server, ann, method, path, body)
  let saves = 0
  try {
    while (!isEnough(readers, saves)) expect(await ways[way](call, page.pageId, ++saves)).toBe(true)
  } finally {
    await readers.stop()
  }
  return { readers, page, saves }
}

describe('200 readers during saves', () => {
  it('see the old page or the new one, never an empty or a mixed one: 100 saves and 1,000 readings', async () => {
    const { readers, page, saves } = await saveUnderReaders(
      'atomic',
      ({ whole, broken }, n) => broken.size > 0 || (n >= 100 && whole > 1_000),
    )
    expect(Object.fromEntries(readers.broken)).toEqual({})
    // Soon afterwards every reader has the last one.
    await expect
      .poll(async () =>
        generationIn(await (await fetch(`${server.url}/${page.slug}`)).text(), 'page'),
      )
      .toBe(saves)
  })

  it('do see broken pages when the lists are deleted and inserted by separate calls (control)', async () => {
    const has = (readers: Readers, kind: RegExp) =>
      [...readers.broken.keys()].some((found) => kind.test(found))
    await saveUnderReaders(
      'separate',
      (readers) => has(readers, /links empty/) && has(readers, /page (mixed|incomplete)/),
    )
  })
})

describe('two saves at the same time', () => {
  it('concurrent saves leave exactly the result of one of them, transactions held open, 20 rounds', async () => {
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
