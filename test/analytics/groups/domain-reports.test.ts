import { beforeAll, expect, it, vi } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'
import { hoursAgo, reportOf } from '../reports.ts'

// Reports about the links and pages of a domain.

let server: TestServer
let owner: Account
const host = `clicks-${Date.now()}.example`

beforeAll(async () => {
  server = await sharedServer()
  owner = await makeAccount(server, { plan: 'business' })
  await server.sql('insert into app.domains (user_id, host, is_served) values ($1, $2, true)', [
    owner.id,
    host,
  ])
  await vi.waitUntil(() => server.context.hosts.knownPlaceAt(host), { timeout: 60_000 })
  const single = {
    prefer: 'return=representation',
    accept: 'application/vnd.pgrst.object+json',
  }
  const link = async (domain: string) => {
    const row = { user_id: owner.id, original_url: 'https://example.com/', domain }
    const { status, body } = await send(server, owner, 'POST', 'shortened_urls', row, single)
    expect(status).toBe(201)
    return (body as { short_code: string }).short_code
  }
  const [own, onDomain] = [await link(''), await link(host)]
  const page = { slug: 'page', title: 'Page', domain: host }
  const links = [{ title: 'Entry', url: 'https://example.com/entry' }]
  const saved = await send(server, owner, 'POST', 'rpc/save_bio_page', { page, links })
  const [entry] = (saved.body as { links: { id: string }[] }).links
  const at = { headers: { host } }
  await visit(server.url, `/${own}`)
  for (const path of [`/${onDomain}`, `/${onDomain}`, '/page', `/page/go/${entry?.id}`])
    await visit(server.url, path, at)
  await vi.waitFor(
    async () => expect((await reportOf(server, owner, { by: 'total' })).clicks).toBe(5),
    { timeout: 240_000, interval: 100 },
  )
})

it('a report by domain counts links, pages and their entries under their host', async () => {
  const { by, rows, rest } = await reportOf(server, owner, { by: 'domain' })
  expect([by, rest]).toEqual(['domain', 0])
  expect(rows.map(({ key, clicks }) => [key, clicks])).toEqual([
    [host, 4],
    ['', 1],
  ])
})

it('a filter of domains narrows reports and hits, and other filters narrow it', async () => {
  const total = async (filters: Record<string, string[]>) =>
    (await reportOf(server, owner, { by: 'total', filters })).clicks
  expect(await total({ domain: [host.toUpperCase()] })).toBe(4)
  expect(await total({ domain: [''] })).toBe(1)
  expect(await total({ domain: ['', host] })).toBe(5)
  expect(await total({ domain: ['other.example'] })).toBe(0)
  expect(await total({ domain: [host], source: ['qr'] })).toBe(0)
  expect(await total({ domain: [host], tag: [''] })).toBe(3)
  const hits = {
    _scope: 'account',
    _from: hoursAgo(24),
    _to: hoursAgo(-1),
    _filters: { domain: [host] },
  }
  expect((await send(server, owner, 'POST', 'rpc/click_hits', hits)).body).toHaveLength(4)
})

it('a target on a domain has its host in its label', async () => {
  const { rows } = await reportOf(server, owner, { by: 'target', filters: { domain: [host] } })
  expect(rows.map(({ label }) => label)).toContain(`${host}/page`)
})
