import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSecondNode } from '#test/admin/nodes.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { noCounts, drive } from '#test/visits/history.ts'
import { plantLinks, type Planted } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { type LiveClient, openLive } from './live-client.ts'
import { hoursAgo } from './reports.ts'

let server: TestServer
const opened: LiveClient[] = []
beforeAll(async () => {
  server = await startTestServer({ trustedProxies: 1 })
})
afterAll(async () => {
  for (const client of opened) client.close()
  await server.close()
})

let planted = 0
/** A person with a link, and both watched. */
async function makeOwner(plan: 'free' | 'pro' = 'pro'): Promise<{ owner: Account; link: Planted }> {
  const owner = await makeAccount(server, { plan })
  const links = [{ code: `live-${planted++}`, url: 'https://example.com/' }]
  const [link] = await plantLinks(server.sql, links, owner.id)
  if (!link) throw new Error('nothing planted')
  return { owner, link }
}

async function follow(...args: Parameters<typeof openLive>): Promise<LiveClient> {
  const client = await openLive(...args)
  opened.push(client)
  return client
}

let visitors = 0
/** Each from another address. */
const hit = ({ code }: Planted, headers: Record<string, string> = {}, at = server) =>
  visit(at.url, `/${code}`, {
    headers: {
      'x-forwarded-for': `198.51.${Math.floor(++visitors / 250)}.${visitors % 250}`,
      ...headers,
    },
  })

describe('a live stream', () => {
  it('tells of hits as they come, with the verdicts of all and the newest one by one', async () => {
    const { owner, link } = await makeOwner()
    await hit(link)
    await expect.poll(() => countHits(link.id)).toBe(1)
    const account = await follow(server, owner)
    const one = await follow(server, owner, { scope: 'link', id: link.id })
    expect(account.status).toBe(200)
    expect(account.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(account.headers.get('cache-control')).toBe('no-store')
    expect(account.headers.get('content-encoding')).toBeNull()
    await expect.poll(() => account.text()).toBe(':\n\n')
    await hit(link, { 'x-forwarded-for': '203.0.113.9' })
    await hit(link, { 'x-forwarded-for': '203.0.113.9' })
    await hit(link, { 'user-agent': 'facebookexternalhit/1.1' })
    for (const client of [account, one]) {
      await expect.poll(() => client.received()).toEqual({ counted: 1, repeat: 1, previewer: 1 })
      const listed = await send(server, owner, 'POST', 'rpc/click_hits', {
        _scope: 'account',
        _from: hoursAgo(1),
        _to: hoursAgo(-1),
        _include: ['repeats', 'own', 'bots'],
        _limit: 3,
      })
      const hits = client.events.flatMap(({ data }) => data.hits.toReversed()).toReversed()
      expect(hits).toEqual(listed.body)
    }
  })

  it('tells of the first hit of an account that never had one, of a bio page and of its links', async () => {
    const { owner } = await makeOwner()
    const saved = await send(
      server,
      owner,
      'POST',
      'bio_pages?select=id',
      {
        user_id: owner.id,
        slug: 'live-bio',
        title: 'Live',
      },
      { prefer: 'return=representation' },
    )
    const [{ id: page = '' } = {}] = saved.body as { id?: string }[]
    const [row] = await server.sql<{ id: string }>(
      `insert into app.bio_links (bio_page_id, title, url) values ($1, 'One', 'https://example.com/') returning id`,
      [page],
    )
    const link = row?.id ?? ''
    const streams = [
      await follow(server, owner),
      await follow(server, owner, { scope: 'bio', id: page }),
      await follow(server, owner, { scope: 'bio_link', id: link }),
    ]
    await visit(server.url, '/live-bio')
    await visit(server.url, `/live-bio/go/${link}`)
    await expect
      .poll(() => streams.map((client) => client.received()))
      .toEqual([{ counted: 2 }, { counted: 1 }, { counted: 1 }])
  })

  it('counts each of many hits once, and of two servers', { tags: ['extended'] }, async () => {
    const { owner, link } = await makeOwner()
    const node = await startSecondNode(server)
    const about = { scope: 'link', id: link.id }
    const streams = [await follow(server, owner), await follow(server, owner, about)]
    const both = [server.url, node.url].map((url) => drive(url, [link], 400, noCounts([link])))
    await Promise.all(both.map((driver) => driver.answered(1_000)))
    for (const driver of both) await driver.stop()
    const sum = (client: LiveClient) =>
      Object.values(client.received()).reduce((all, count) => all + count, 0)
    const visits = both.reduce((all, { statuses }) => all + (statuses.get('302') ?? 0), 0)
    expect(visits).toBeGreaterThan(1_999)
    await expect
      .poll(async () => [await countHits(link.id), ...streams.map(sum)])
      .toEqual([visits, visits, visits])
    for (const client of streams) {
      expect(client.events.every(({ data }) => data.hits.length <= 30)).toBe(true)
      client.close()
    }
    await node.close()
  })
})

const countHits = async (id: string): Promise<number> => {
  const [row] = await server.sql<{ n: number }>(
    'select count(*)::int as n from app.click_events e join app.click_scopes s on s.id = e.scope where s.ref = $1',
    [id],
  )
  return row?.n ?? 0
}

describe('who may follow', () => {
  it('people who are signed in, with a plan that shows clicks, and their own', async () => {
    const { owner, link } = await makeOwner()
    const { owner: other } = await makeOwner()
    const { owner: free } = await makeOwner('free')
    const about = { scope: 'link', id: link.id }
    expect(await openLive(server, undefined, about)).toMatchObject({ status: 401 })
    expect(await openLive(server, free)).toMatchObject({
      status: 403,
      error: 'Upgrade to view clicks',
    })
    expect(await openLive(server, free, about)).toMatchObject({ status: 403 })
    expect(await openLive(server, other, about)).toMatchObject({ status: 404, error: 'Not found' })
    expect(await openLive(server, other, { scope: 'account', id: owner.id })).toMatchObject({
      status: 404,
    })
    const service = { headers: { authorization: `Bearer ${server.serviceRoleKey}` } }
    expect(await openLive(server, service, about)).toMatchObject({ status: 401 })
    const admin = await makeAccount(server, { role: 'admin' })
    expect(await follow(server, admin, about)).toMatchObject({ status: 200 })
  })

  it.each([
    [{}, 'scope must be account, link, bio or bio_link: a tag has no stream'],
    [{ scope: 'popup' }, 'scope must be account, link, bio or bio_link: a tag has no stream'],
    [{ scope: 'link', id: "' or true --" }, 'id must be a UUID'],
  ])('not with %j', async (query, error) => {
    const { owner } = await makeOwner()
    expect(await openLive(server, owner, query)).toMatchObject({ status: 400, error })
  })

  it('asks with HEAD and keeps no place for it', async () => {
    const { owner } = await makeOwner()
    const url = `${server.url}/functions/v1/live?scope=account`
    for (let i = 0; i < 7; i++) {
      const response = await fetch(url, { method: 'HEAD', headers: owner.headers })
      expect(response.status).toBe(200)
    }
  })

  it('five streams at a time', async () => {
    const { owner } = await makeOwner()
    const five = []
    for (let i = 0; i < 5; i++) five.push(await follow(server, owner))
    expect(five.map(({ status }) => status)).toEqual(Array(5).fill(200))
    const sixth = await openLive(server, owner)
    expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([429, '30'])
    five[0]?.close()
    await expect.poll(async () => (await follow(server, owner)).status).toBe(200)
  })
})

describe('nothing of it reaches', () => {
  it('another account, not even when something came', async () => {
    const { owner, link } = await makeOwner()
    const { owner: other } = await makeOwner()
    const watched = await follow(server, owner)
    const quiet = await follow(server, other)
    for (let i = 0; i < 50; i++) await hit(link)
    await expect.poll(() => watched.received()).toEqual({ counted: 50 })
    await sleep(1_500)
    expect(quiet.text()).toBe(':\n\n')
  })

  it('a person who signed out, was banned, or is on the free plan by now', async () => {
    const ends: [string, (owner: Account) => Promise<unknown>][] = [
      [
        'signed out',
        ({ headers }) => fetch(`${server.url}/auth/v1/logout`, { method: 'POST', headers }),
      ],
      [
        'banned',
        ({ id }) =>
          server.sql(`update auth.users set banned_until = 'infinity' where id = $1`, [id]),
      ],
      [
        'free',
        ({ id }) =>
          server.sql(`update app.user_plans set plan_type = 'free' where user_id = $1`, [id]),
      ],
    ]
    for (const [what, end] of ends) {
      const { owner, link } = await makeOwner()
      const active = await follow(server, owner)
      const idle = await follow(server, owner, { scope: 'link', id: link.id })
      await end(owner)
      await hit(link)
      for (const client of [active, idle]) {
        await expect.poll(() => client.isOver()).toBe(true)
        expect([what, client.events.map(({ event, data }) => [event, data])]).toEqual([
          what,
          [['end', { reason: 'access' }]],
        ])
      }
    }
  })

  it(
    'them without a hit either: everyone is asked for again within half a minute',
    { tags: ['extended'] },
    async () => {
      const { owner } = await makeOwner()
      const { owner: other } = await makeOwner()
      const [ended, goesOn] = [await follow(server, owner), await follow(server, other)]
      const started = performance.now()
      await fetch(`${server.url}/auth/v1/logout`, { method: 'POST', headers: owner.headers })
      await expect.poll(() => ended.isOver(), { interval: 200 }).toBe(true)
      expect(performance.now() - started).toBeGreaterThan(10_000)
      expect(ended.events.map(({ event }) => event)).toEqual(['end'])
      // One comment at the start, and one since then.
      expect([goesOn.isOver(), goesOn.text()]).toEqual([false, ':\n\n:\n\n'])
    },
  )
})

it('the live stream ends with the server, which does not wait for its readers', async () => {
  const other = await startTestServer()
  const owner = await makeAccount(other, { plan: 'pro' })
  const client = await openLive(other, owner)
  const started = performance.now()
  await other.close()
  // A server waits 10 s for connections that go on.
  expect(performance.now() - started).toBeLessThan(8_000)
  expect(client.events.map(({ event, data }) => [event, data])).toEqual([
    ['end', { reason: 'shutdown' }],
  ])
})
