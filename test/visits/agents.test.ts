import { beforeAll, expect, it, vi } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { hitsOf } from './hits.ts'
import { plantLinks } from './plant.ts'
import { visit } from './visit.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

const chrome =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36'

it('a name that no list knows is a program, and a browser in any spelling is one person', async () => {
  const [link] = await plantLinks(server.sql, [{ code: 'agents', url: 'https://a.example/' }])
  for (const agent of [
    'Mozilla/5.0 (compatible; Acme Reader)',
    'Mozilla/5.0\t(compatible;  Acme Reader; Linux)',
    'Mozilla/5.0 Acme Reader',
    chrome,
    chrome.replace(') ', ')  '),
    chrome.replace(') ', ')\t'),
  ])
    await visit(server.url, '/agents', { headers: { 'user-agent': agent } })
  await vi.waitFor(
    async () => {
      const hits = await hitsOf(server.sql, link?.id ?? '')
      const verdicts = hits.map(({ verdict }) => verdict)
      expect(verdicts).toEqual(['program', 'program', 'program', 'counted', 'repeat', 'repeat'])
    },
    { timeout: 240_000 },
  )
})

it('a link previewer that asks with HEAD gets the headers of the preview', async () => {
  const owner = await makeUser(server)
  const options = { preview_title: 'Dinner at 8', original_url: 'https://a.example/' }
  const { id, short_code: code } = await makeLink(server, owner, options as object)
  const previewer = { headers: { 'user-agent': 'facebookexternalhit/1.1' } }
  const page = await visit(server.url, `/${code}`, previewer)
  expect([page.status, page.body.includes('Dinner at 8')]).toEqual([200, true])
  const head = await visit(server.url, `/${code}`, { ...previewer, method: 'HEAD' })
  expect([head.status, head.location]).toEqual([200, undefined])
  for (const header of ['content-type', 'content-length', 'content-security-policy'])
    expect(head.header(header)).toBe(page.header(header))
  // Others are still led on.
  const person = await visit(server.url, `/${code}`, { method: 'HEAD' })
  expect(person.location).toBe('https://a.example/')
  await vi.waitFor(
    async () => {
      const verdicts = (await hitsOf(server.sql, id)).map(({ verdict }) => verdict)
      expect(verdicts).toEqual(['previewer', 'head', 'head'])
    },
    { timeout: 240_000 },
  )
})
