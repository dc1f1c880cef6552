import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { getPublicFrom } from '#test/public-names.ts'
import { startTestServer, type TestServer } from '#test/server.ts'

const html = (body: string | Buffer, type = 'text/html; charset=utf-8') =>
  ((_asked, response) =>
    void response.writeHead(200, { 'content-type': type }).end(body)) satisfies RequestListener
const redirect = (location: string) =>
  ((_asked, response) => void response.writeHead(302, { location }).end()) satisfies RequestListener

const huge = `<title>Huge</title>${'x'.repeat(10_000_000)}`
/** Bytes of the huge page that were taken. */
let taken = 0
function sendHuge(response: ServerResponse, start: string) {
  response.writeHead(200, { 'content-type': 'text/html' })
  const rest = Buffer.alloc(1_000_000, 'x')
  const more = () => {
    taken += rest.length
    if (taken < huge.length && !response.destroyed) response.write(rest, more)
  }
  response.write(start, more)
}

/** The page of each host below example.com, all of them on one server of this test. */
const pages: Record<string, RequestListener> = {
  plain: html(
    '<!doctype html><title>\n  The &ldquo;menu&rdquo; &amp;\n caf&#233; &unknown; </title>',
  ),
  latin: html(Buffer.from('<title>Caf\xe9</title>', 'latin1'), 'text/html; charset=iso-8859-1'),
  meta: html(
    Buffer.from('<meta charset="windows-1251"><title>\xcc\xe5\xed\xfe</title>', 'latin1'),
    'text/html',
  ),
  long: html(`<TITLE lang=en>${'ä'.repeat(300)}</TITLE>`),
  json: html('{"a":"<title>No</title>"}', 'application/json'),
  untitled: html('<title> </title>'),
  hostile: html('<title'.repeat(10_000)),
  redirected: redirect('https://plain.example.com/menu#top'),
  'to-private': redirect('https://private.example.com/'),
  'to-address': redirect('https://127.0.0.1/'),
  'to-http': redirect('http://plain.example.com/'),
  circle: redirect('https://circle.example.com/again'),
  private: html('<title>Secret</title>'),
  missing: (_asked, response) => void response.writeHead(404).end('<title>Not found</title>'),
  slow: () => {},
  quick: html('<title>Quick</title>'),
  huge: (_asked, response) => sendHuge(response, '<title>Huge</title>'),
  late: (_asked, response) => sendHuge(response, `${' '.repeat(70_000)}<title>Late</title>`),
}

let host: Server
/** Requests that came, by host. */
const asked: string[] = []

const getPublic = getPublicFrom(() => (host.address() as AddressInfo).port)

let server: TestServer
let owner: TestUser
beforeAll(async () => {
  host = createServer((request, response) => {
    const name = (request.headers.host ?? '').split('.')[0] ?? ''
    asked.push(name)
    pages[name]?.(request, response)
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  server = await startTestServer({ fetchTitles: true }, { getPublic })
  owner = await makeUser(server, { plan: 'business' })
})
afterAll(async () => {
  host.closeAllConnections()
  host.close()
  await server.close()
})

async function send(path: string, body: unknown, on = server): Promise<unknown> {
  const response = await fetch(`${on.url}/rest/v1/${path}`, {
    method: 'POST',
    headers: {
      ...owner.headers,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}
const create = (names: string[], options: object = {}) =>
  send(
    'shortened_urls',
    names.map((name) => ({
      user_id: owner.id,
      original_url: `https://${name}.example.com/`,
      ...options,
    })),
  )
const titleOf = async (name: string) =>
  (
    await server.sql<{ title: string | null }>(
      'select title from app.shortened_urls where original_url = $1',
      [`https://${name}.example.com/`],
    )
  )[0]?.title
const outcomes = () =>
  Object.fromEntries(
    server.context.titles.outcomes.read().map(({ words, count }) => [words[0], count]),
  )

it('a new link without a title gets that of its page, decoded and short', async () => {
  await create(['plain', 'latin', 'meta', 'long', 'redirected'])
  await expect.poll(() => titleOf('plain')).toBe('The “menu” & café &unknown;')
  await expect.poll(() => titleOf('redirected')).toBe('The “menu” & café &unknown;')
  await expect.poll(() => titleOf('latin')).toBe('Café')
  await expect.poll(() => titleOf('meta')).toBe('Меню')
  await expect.poll(() => titleOf('long')).toBe('ä'.repeat(200))
})

it('a private target, a redirect to one, and pages without a title give none', async () => {
  const before = outcomes()
  const failing = ['private', 'to-private', 'to-address', 'to-http', 'circle', 'missing']
  const without = ['json', 'untitled', 'hostile', 'late']
  await create([...failing, ...without])
  await expect.poll(outcomes, { timeout: 20_000 }).toMatchObject({
    stored: before['stored'],
    failed: (before['failed'] ?? 0) + failing.length,
    none: (before['none'] ?? 0) + without.length,
  })
  expect(asked).not.toContain('private')
  expect(asked.filter((name) => name === 'circle')).toHaveLength(4)
  for (const name of [...failing, ...without]) expect(await titleOf(name)).toBeNull()
  // The control: its redirect leads to the same server by a public name.
  expect(await titleOf('redirected')).not.toBeNull()
})

it(
  'of a huge page only the start is read, and a slow one delays nothing',
  { tags: ['extended'] },
  async () => {
    taken = 0
    const before = outcomes()
    await create(['slow', 'huge'])
    expect(await titleOf('slow')).toBeNull()
    await expect.poll(() => titleOf('huge'), { timeout: 10_000 }).toBe('Huge')
    // Beyond the 64 kB are buffers of two sockets.
    expect(taken).toBeLessThan(huge.length)
    await expect
      .poll(outcomes, { timeout: 10_000 })
      .toMatchObject({ failed: (before['failed'] ?? 0) + 1 })
    expect(await titleOf('slow')).toBeNull()
  },
)

it(
  'slow pages of one account keep another waiting for one of them',
  { tags: ['extended'] },
  async () => {
    const before = outcomes()
    const other = await makeUser(server, { plan: 'business' })
    /** All are read one after another: the end of the id chooses the lane. */
    const plant = (by: TestUser, name: string, count: number) =>
      server.sql(
        `insert into app.shortened_urls (id, user_id, original_url)
        select overlay(gen_random_uuid()::text placing '0' from 36)::uuid, $1, $2 from generate_series(1, $3::int)`,
        [by.id, `https://${name}.example.com/`, count],
      )
    await plant(owner, 'slow', 4)
    await plant(other, 'quick', 1)
    await expect.poll(() => titleOf('quick')).toBe('Quick')
    expect((outcomes()['failed'] ?? 0) - (before['failed'] ?? 0)).toBeLessThan(3)
  },
)

it('create_links gets titles too, and a title of the owner stays', async () => {
  const plain = 'https://plain.example.com'
  await send('rpc/create_links', {
    _links: [{ original_url: `${plain}/bulk` }, { original_url: `${plain}/own`, title: 'Mine' }],
  })
  const titles = () =>
    server.sql(
      `select title from app.shortened_urls where original_url like $1 || '/%' and original_url <> $1 || '/' order by 1`,
      [plain],
    )
  await expect.poll(titles).toEqual([{ title: 'Mine' }, { title: 'The “menu” & café &unknown;' }])
})
