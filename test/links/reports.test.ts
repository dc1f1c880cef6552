import { beforeAll, expect, it, vi } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { makeLink, open, type RuledLink, rulesOf, save } from './rules.ts'

let server: TestServer
let owner: Account
beforeAll(async () => {
  server = await sharedServer()
  owner = await makeAccount(server, { plan: 'business' })
})

interface Report {
  clicks: number
  rows: { key: string; clicks: number }[]
}

async function report(by: string, scope: object, filters: object = {}): Promise<Report> {
  const body = {
    ...scope,
    _by: by,
    _from: '2020-01-01T00:00:00Z',
    _to: new Date(Date.now() + 3_600_000).toISOString(),
    _filters: filters,
  }
  return (await send(server, owner, 'POST', 'rpc/click_report', body)).body as Report
}

const ofLink = ({ id }: RuledLink) => ({ _scope: 'link', _id: id })
const ofAccount = { _scope: 'account' }

/** Clicks by key. */
const counts = ({ rows }: Report) =>
  Object.fromEntries(rows.map(({ key, clicks }) => [key, clicks]))

it('hits have the ids of the rule and the variant that decided them', async () => {
  const link = await makeLink(server, owner)
  await save(server, owner, link, 0, [
    {
      id: 'mail',
      when: [{ fact: 'query', name: 'ref', is: ['=mail'] }],
      to: 'https://example.com/m',
    },
    {
      id: 'test',
      when: [{ fact: 'query', name: 'ref', is: ['=test'] }],
      split: [
        { id: 'a', to: 'https://example.com/a', weight: 50 },
        { id: 'b', to: 'https://example.com/b', weight: 50 },
      ],
    },
  ])
  const saved = await rulesOf(server, owner, link)
  expect(saved.version).toBe(1)
  await open(server, link, '?ref=mail&utm_source=letter')
  await open(server, link, '?ref=mail%0Amade-up%20b')
  const reached = new Set<string | undefined>()
  for (let i = 0; i < 20; i++)
    reached.add(
      (
        await open(server, link, '?ref=test', {
          'user-agent': `Mozilla/5.0 (Linux; Android 1${i}) Chrome/120.0`,
        })
      ).location,
    )
  await vi.waitFor(async () => expect((await report('total', ofLink(link))).clicks).toBe(22), {
    timeout: 240_000,
  })
  expect(counts(await report('rule', ofLink(link)))).toEqual({ mail: 1, test: 20, '': 1 })
  const { a = 0, b = 0, ...others } = counts(await report('variant', ofLink(link)))
  expect(others).toEqual({ '': 2 })
  expect(a + b).toBe(20)
  expect([a > 0, b > 0]).toEqual([
    reached.has('https://example.com/a'),
    reached.has('https://example.com/b'),
  ])
  expect((await report('total', ofLink(link), { rule: ['mail'] })).clicks).toBe(1)
  expect(counts(await report('utm_source', ofLink(link), { rule: ['mail'] }))).toEqual({
    letter: 1,
  })
  const [hit] = (
    await send(server, owner, 'POST', 'rpc/click_hits', {
      ...ofLink(link),
      _from: '2020-01-01T00:00:00Z',
      _to: new Date(Date.now() + 3_600_000).toISOString(),
      _filters: { rule: ['mail'] },
    })
  ).body as Record<string, unknown>[]
  expect(hit).toMatchObject({ rule: 'mail', variant: '', utm: { source: 'letter' } })
})

it('a split says which variant is probably better, by the conversions of the popup', async () => {
  const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }
  const popup = (
    await send(
      server,
      owner,
      'POST',
      'popups',
      { user_id: owner.id, title: 'Offer', cta_url: 'https://example.com/offer' },
      single,
    )
  ).body as { id: string }
  const link = await makeLink(server, owner, { show_popup: true, popup_id: popup.id })
  const split = [
    { id: 'a', weight: 50 },
    { id: 'b', to: 'https://example.com/b', weight: 50 },
  ]
  await save(server, owner, link, 0, [{ id: 'rest', else: true, split }])
  const people = Array.from(
    { length: 95 },
    (_, i) => `Mozilla/5.0 (X11; Linux x86_64) Chrome/1${i}.0`,
  )
  const shown = { a: 0, b: 0 }
  const converted = { a: 0, b: 0 }
  for (const agent of people) {
    const page = await open(server, link, '', { 'user-agent': agent })
    const variant = page.body.includes('https://example.com/b') ? 'b' : 'a'
    const isConverted = variant === 'b' || shown.a % 10 === 0
    shown[variant]++
    if (!isConverted) continue
    converted[variant]++
    await fetch(`${server.url}/${link.short_code}/popup/clicked`, {
      method: 'POST',
      headers: { 'user-agent': agent, 'sec-fetch-site': 'same-origin' },
    })
  }
  const now = Date.now()
  const range = {
    _from: new Date(now - 3_600_000).toISOString(),
    _to: new Date(now + 3_600_000).toISOString(),
  }
  await vi.waitFor(
    async () => {
      const { body } = await send(server, owner, 'POST', 'rpc/split_report', {
        _link: link.id,
        ...range,
      })
      expect(body).toMatchObject({
        splits: [
          {
            rule_id: 'rest',
            best: 'b',
            words: 'B is better: more than 99 % sure',
            variants: [
              { variant_id: 'a', clicks: shown.a, visitors: shown.a, converted: converted.a },
              { variant_id: 'b', clicks: shown.b, visitors: shown.b, converted: converted.b },
            ],
          },
        ],
      })
    },
    { timeout: 240_000 },
  )
  const other = await makeAccount(server, { plan: 'business' })
  const foreign = await send(server, other, 'POST', 'rpc/split_report', {
    _link: link.id,
    ...range,
  })
  expect(foreign.status).toBe(404)
})

it('reports break down by the tags that links have now', async () => {
  const one = await makeLink(server, owner, { tags: ['red', 'blue'] })
  const two = await makeLink(server, owner, { tags: ['blue'] })
  for (const link of [one, two, two]) await open(server, link)
  await vi.waitFor(async () => expect((await report('total', ofLink(two))).clicks).toBe(2), {
    timeout: 240_000,
  })
  await vi.waitFor(async () => expect((await report('total', ofLink(one))).clicks).toBe(1), {
    timeout: 240_000,
  })
  expect(counts(await report('tag', ofAccount))).toMatchObject({ red: 1, blue: 3 })
  expect((await report('total', ofAccount, { tag: ['red'] })).clicks).toBe(1)
  expect((await report('total', ofAccount, { tag: ['nothing has it'] })).clicks).toBe(0)
  expect((await report('total', ofAccount, { tag: ['RED'] })).clicks).toBe(1)
  expect((await report('total', ofAccount, { tag: [' Red ', 'BLUE'] })).clicks).toBe(3)
  const { '': untagged = 0 } = counts(await report('tag', ofAccount))
  const { clicks: all } = await report('total', ofAccount)
  expect(all).toBe(untagged + 3)
  expect((await report('total', ofAccount, { tag: [''] })).clicks).toBe(untagged)
  expect((await report('total', ofAccount, { tag: ['', 'blue'] })).clicks).toBe(untagged + 3)
  expect((await report('total', ofAccount, { tag: [''], target: [two.id] })).clicks).toBe(0)
  expect((await report('total', ofAccount, { tag: ['blue'], target: [two.id] })).clicks).toBe(2)
  expect((await report('total', ofAccount, { tag: ['red'], target: [two.id] })).clicks).toBe(0)
  const targets = (count: number) => [...Array.from({ length: count }, () => owner.id), two.id]
  expect((await report('total', ofAccount, { target: targets(99) })).clicks).toBe(2)
  expect(await report('total', ofAccount, { target: targets(100) })).toMatchObject({
    message: 'A filter has at most 100 values',
  })
  await send(server, owner, 'PATCH', `shortened_urls?id=eq.${one.id}`, { tags: [] })
  expect((await report('total', ofAccount, { tag: ['red'] })).clicks).toBe(0)
  expect((await report('total', ofAccount, { tag: [''], target: [one.id] })).clicks).toBe(1)
})
