import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from '#test/tables/accounts.ts'
import { hitsOf } from '#test/visits/hits.ts'
import { plantLinks, type Planted } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { hoursAgo } from './reports.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ trustedProxies: 1 })
})
afterAll(() => server.close())

let planted = 0
async function makeOwner(plan: 'free' | 'pro' = 'pro') {
  const owner = await makeAccount(server, { plan })
  const links = [{ code: `csv-${planted++}`, url: 'https://example.com/' }]
  const [link] = await plantLinks(server.sql, links, owner.id)
  if (!link) throw new Error('nothing planted')
  return { owner, link }
}

function download(
  who: Pick<Account, 'headers'> | undefined,
  query: Record<string, string> = {},
  options: RequestInit = {},
): Promise<Response> {
  const all = new URLSearchParams({ scope: 'account', from: hoursAgo(24), ...query })
  const url = `${server.url}/functions/v1/clicks.csv?${all.toString()}`
  return fetch(url, { headers: who?.headers ?? {}, ...options })
}

/** The rows of a file without quoted cells. */
const rowsOf = (text: string) =>
  text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(','))

/** Stores hits of a link directly, one for each age in milliseconds. */
async function store({ id }: Planted, ages: readonly number[], visitor = '0'): Promise<void> {
  await server.sql(
    `insert into app.click_events (at, visitor, scope, account, origin, place, client, verdict, source)
      select now() - age * interval '1 ms', $3, s.scope, s.account, 0, 0, 0, 'c', 'l'
      from unnest($2::bigint[]) age, app.click_scopes_of(array[$1::uuid]) s`,
    [id, ages, visitor],
  )
}

describe('a list of hits', () => {
  it('the CSV of hits has all facts of each, newest first, under a header', async () => {
    const { owner, link } = await makeOwner()
    await visit(server.url, `/${link.code}?utm_source=Letter%2C%20May`, {
      headers: { referer: 'https://www.social.example/feed', 'accept-language': 'de-DE' },
    })
    await vi.waitFor(async () => expect(await hitsOf(server.sql, link.id)).toHaveLength(1), 60_000)
    await visit(server.url, `/${link.code}?qr`, { method: 'HEAD' })
    await vi.waitFor(async () => expect(await hitsOf(server.sql, link.id)).toHaveLength(2), 60_000)
    const response = await download(owner, { scope: 'link', id: link.id, to: hoursAgo(-1) })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="hits.csv"',
      'cache-control': 'no-store',
    })
    const [head, newest, oldest, ...rest] = (await response.text()).split('\r\n')
    expect(head).toBe(
      'at,kind,target,label,verdict,source,referrer,page,country,region,city,device,browser,system,language,rule,variant,placement,bot,utm_source,utm_medium,utm_campaign,utm_term,utm_content',
    )
    expect(rest).toEqual([''])
    expect(newest).toContain(`,link,${link.id},${link.code},head,qr,`)
    expect(oldest).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00,link,/)
    expect(oldest).toContain(`,${link.code},counted,link,social.example,social.example/feed,`)
    expect(oldest).toContain(',desktop,Chrome,')
    expect(oldest).toContain(',de,,,,,"letter, may",,,,')
    const people = await download(owner, { include: '', to: hoursAgo(-1) })
    expect(rowsOf(await people.text())).toHaveLength(1)
    const earlier = await download(owner, { to: hoursAgo(1) })
    expect(rowsOf(await earlier.text())).toEqual([])
  })

  it('has each hit once, over many pages', async () => {
    const { owner, link } = await makeOwner()
    const ages = Array.from({ length: 3_210 }, (_, i) => i * 6_000)
    await store(link, ages)
    const rows = rowsOf(await (await download(owner)).text())
    expect(rows).toHaveLength(ages.length)
    const times = rows.map(([at = '']) => at)
    expect(times).toEqual([...new Set(times)].toSorted().toReversed())
  })

  it('has all of those that came in the same moment', async () => {
    const { owner, link } = await makeOwner()
    // Of visitors that are not known, as the API counts them, and of one that is.
    await store(link, Array<number>(1_500).fill(60_000))
    await store(link, Array<number>(1_200).fill(120_000), '4711')
    expect(rowsOf(await (await download(owner)).text())).toHaveLength(2_700)
  })

  it('runs nothing in a spreadsheet', async () => {
    const { owner, link } = await makeOwner()
    const forms = ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("https://evil.example";"x")']
    for (const utm of forms)
      await visit(server.url, `/${link.code}?utm_source=${encodeURIComponent(utm)}`)
    await vi.waitFor(async () => expect(await hitsOf(server.sql, link.id)).toHaveLength(5), 60_000)
    const text = await (await download(owner)).text()
    for (const utm of forms.slice(0, 4)) expect(text).toContain(`,'${utm.toLowerCase()},`)
    expect(text).toContain(`,"'=hyperlink(""https://evil.example"";""x"")",`)
    expect(text).not.toMatch(/(?:^|,)"?[=+@]/m)
  })
})

describe('who gets it', () => {
  it('the owner, on a plan that shows clicks', async () => {
    const { owner, link } = await makeOwner()
    const { owner: other } = await makeOwner()
    const { owner: free } = await makeOwner('free')
    const about = { scope: 'link', id: link.id }
    const statuses = await Promise.all(
      [undefined, free, other, owner].map(async (who) => (await download(who, about)).status),
    )
    expect(statuses).toEqual([401, 403, 404, 200])
    expect(await (await download(free)).json()).toEqual({ error: 'Upgrade to view clicks' })
  })

  it.each([
    [{ from: 'yesterday' }, 'from must be an ISO 8601 time'],
    [{ include: 'repeats,everything' }, 'include must list repeats, own, bots or imported'],
    [{ scope: 'link', id: '1' }, 'id must be a UUID'],
  ])('not with %j', async (query, error) => {
    const { owner } = await makeOwner()
    const response = await download(owner, query)
    expect([response.status, await response.json()]).toEqual([400, { error }])
  })

  it('one at a time, and again after it was given up', { tags: ['extended'] }, async () => {
    const { owner, link } = await makeOwner()
    await store(
      link,
      Array.from({ length: 40_000 }, (_, i) => i * 100),
    )
    const { hostname, port } = new URL(server.url)
    const slow = connect({ host: hostname, port: Number(port) })
    slow.pause()
    slow.on('error', () => {})
    const lines = [
      `GET /functions/v1/clicks.csv?scope=account&from=${hoursAgo(24)} HTTP/1.1`,
      'Host: x',
      `Authorization: ${owner.headers['authorization'] ?? ''}`,
    ]
    slow.write(`${lines.join('\r\n')}\r\n\r\n`)
    await new Promise((resolve) => slow.once('readable', resolve))
    const second = await download(owner)
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '10'])
    slow.destroy()
    await expect
      .poll(async () => {
        const short = await download(owner, { to: hoursAgo(23) })
        // Its end gives the place back.
        await short.text()
        return short.status
      })
      .toBe(200)
    for (let i = 0; i < 3; i++)
      expect((await download(owner, {}, { method: 'HEAD' })).status).toBe(200)
    await expect.poll(async () => rowsOf(await (await download(owner)).text()).length).toBe(40_000)
  })

  it('not to its end, when the session ends on the way: the client sees that it is cut', async () => {
    const { owner, link } = await makeOwner()
    await store(
      link,
      Array.from({ length: 40_000 }, (_, i) => i * 100),
    )
    const response = await download(owner)
    const reader = response.body?.getReader()
    await reader?.read()
    await fetch(`${server.url}/auth/v1/logout`, { method: 'POST', headers: owner.headers })
    const rest = async () => {
      while (!(await reader?.read())?.done);
    }
    await expect(rest()).rejects.toThrow('terminated')
  })
})
