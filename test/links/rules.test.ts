import { beforeAll, describe, expect, it, vi } from 'vitest'
import { claimOwnNames } from '#server/postgres/own-names.ts'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { makeLink, open, rulesOf, save } from './rules.ts'

let server: TestServer
let ann: Account
let bob: Account
beforeAll(async () => {
  server = await sharedServer()
  ann = await makeAccount(server, { plan: 'business' })
  bob = await makeAccount(server)
})

const english = { fact: 'language', is: ['en'] }
const to = 'https://example.com/english'
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 240_000 })

describe('save_link_rules', () => {
  it('saves the rules as a whole, with an id for each rule and variant', async () => {
    const link = await makeLink(server, ann)
    expect(await rulesOf(server, ann, link)).toEqual({ version: 0, rules: [] })
    const split = [{ weight: 60 }, { to, weight: 40 }]
    const { status, body } = await save(server, ann, link, 0, [
      { id: 'english', when: [english], to: 'https://EXAMPLE.com/english' },
      { else: true, split },
    ])
    expect([status, body]).toEqual([200, 1])
    const id = expect.stringMatching(/^[\da-f-]{36}$/)
    expect(await rulesOf(server, ann, link)).toEqual({
      version: 1,
      rules: [
        { id: 'english', when: [english], to },
        {
          id,
          else: true,
          split: [
            { id, to: link.original_url, weight: 60 },
            { id, to, weight: 40 },
          ],
        },
      ],
    })
    const { rules } = await rulesOf(server, ann, link)
    expect((await save(server, ann, link, 1, rules)).body).toBe(2)
    expect((await save(server, ann, link, 2, [])).body).toBe(3)
    expect(await rulesOf(server, ann, link)).toEqual({ version: 3, rules: [] })
  })

  it('lets the first variant of everyone else follow the link to a new destination', async () => {
    const link = await makeLink(server, ann)
    await save(server, ann, link, 0, [{ else: true, split: [{ weight: 99 }, { to, weight: 1 }] }])
    const original_url = 'https://example.com/moved'
    await send(server, ann, 'PATCH', `shortened_urls?id=eq.${link.id}`, { original_url })
    const { rules } = await rulesOf(server, ann, link)
    expect(rules[0]).toMatchObject({ split: [{ to: original_url }, { to }] })
  })

  it('refuses rules that would make each visit expensive, with the place of the first one too many', async () => {
    const link = await makeLink(server, ann)
    const many = Array.from({ length: 11 }, () => ({ when: Array(20).fill(english), to }))
    const tooMany = await save(server, ann, link, 0, many)
    expect(tooMany).toMatchObject({
      status: 400,
      body: {
        code: '23514',
        message: 'Rule 11, condition 1: The rules of a link have at most 200 conditions in total',
        details: [{ path: '10.when.0' }],
      },
    })
    expect((await save(server, ann, link, 0, many.slice(1))).status).toBe(200)
  })

  it('keeps deciding by rules that were saved before they had bounds together', async () => {
    const link = await makeLink(server, ann)
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 400)
    const rules = zones.map((zone, i) => ({
      id: `r${i}`,
      when: [english, { fact: 'hours', [i === 399 ? 'is' : 'is_not']: ['00:00-24:00'], zone }],
      to: `https://example.com/${i}`,
    }))
    await save(server, ann, link, 0, [{ when: [english], to }])
    await server.sql('update app.link_rules set rules = $2 where link_id = $1', [
      link.id,
      JSON.stringify(rules),
    ])
    const headers = { 'accept-language': 'en' }
    expect((await open(server, link, '', headers)).location).toBe('https://example.com/399')
    expect((await open(server, link)).location).toBe(link.original_url)
  })

  it('refuses a stale version, and changes nothing', async () => {
    const link = await makeLink(server, ann)
    await save(server, ann, link, 0, [{ when: [english], to }])
    const before = await rulesOf(server, ann, link)
    expect(await save(server, ann, link, 0, [])).toMatchObject({
      status: 409,
      body: { code: 'PT409', hint: 'stale_version', details: '{"version": 1}' },
    })
    expect(await rulesOf(server, ann, link)).toEqual(before)
  })

  it('saves one of two changes that come at once', async () => {
    const link = await makeLink(server, ann)
    const rules = [{ when: [english], to }]
    const answers = await Promise.all([1, 2, 3].map(() => save(server, ann, link, 0, rules)))
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2)
    expect((await rulesOf(server, ann, link)).version).toBe(1)
  })

  it('is for the owner only', async () => {
    const link = await makeLink(server, ann)
    const rules = [{ when: [english], to }]
    const admin = await makeAccount(server, { role: 'admin' })
    for (const other of [bob, admin])
      expect(await save(server, other, link, 0, rules)).toMatchObject({ status: 404 })
    expect(await save(server, undefined, link, 0, rules)).toMatchObject({ status: 401 })
    expect(await rulesOf(server, bob, link)).toBeNull()
    expect(await rulesOf(server, admin, link)).toEqual({ version: 0, rules: [] })
    expect(
      await send(server, undefined, 'POST', 'rpc/link_rules', { _link: link.id }),
    ).toMatchObject({ status: 401 })
  })

  it.each<[string, unknown, object]>([
    [
      'a country that does not exist',
      [{ when: [english, { fact: 'country', is: ['UK'] }], to }],
      {
        status: 400,
        body: {
          code: '23514',
          message: 'Rule 1, condition 2: “UK” is not a country code such as DE or US',
          details: [
            { path: '0.when.1.is.0', message: '“UK” is not a country code such as DE or US' },
          ],
        },
      },
    ],
    ['a rule without conditions', [{ when: [], to }], { status: 400 }],
    ['a text', 'rules', { status: 400, body: { message: 'Rules are a list' } }],
    ['null', null, { status: 400 }],
    [
      'a first variant that is another address',
      [
        {
          else: true,
          split: [
            { to, weight: 50 },
            { to, weight: 50 },
          ],
        },
      ],
      { status: 400, body: { message: expect.stringContaining('Rule 1, variant A, destination') } },
    ],
    [
      '1 MB of rules',
      [{ when: [english], to: `https://example.com/${'a'.repeat(1_000_000)}` }],
      { status: 413 },
    ],
  ])('refuses %s, and saves nothing', async (_, rules, refusal) => {
    const link = await makeLink(server, ann)
    expect(await save(server, ann, link, 0, rules)).toMatchObject(refusal)
    expect(await rulesOf(server, ann, link)).toEqual({ version: 0, rules: [] })
  })

  it('refuses a loop and a blocked host, in the database too', async () => {
    const link = await makeLink(server, ann)
    const loop = [{ when: [english], to: `${server.url}/abc` }]
    expect(await save(server, ann, link, 0, loop)).toMatchObject({ status: 400 })
    await server.sql(
      `insert into app.blocks (kind, value, reason) values ('host', 'blocked-rules.example', 'test')`,
    )
    const blocked = [
      { when: [english], app: { ios: 'https://www.blocked-rules.example/', fallback: to } },
    ]
    expect(await save(server, ann, link, 0, blocked)).toMatchObject({
      status: 400,
      body: { details: 'A rule leads to a host that is blocked here.' },
    })
    const inSql = (rules: object) =>
      server.sql('select app.refuse_rule_addresses($1)', [JSON.stringify(rules)])
    // Another file may have started a second server on this database, which then has that server's hosts.
    const { database, config, log } = server.context
    await claimOwnNames(database, config, log)
    await expect(inSql(loop)).rejects.toThrow('Invalid URL')
    await expect(inSql([{ split: [{ to: 'javascript:alert(1)' }] }])).rejects.toThrow('Invalid URL')
    await inSql([{ to }, { split: [{ to: null }, { to }] }, { app: { ios: to } }])
  })
})

describe('a host of more characters than DNS allows', () => {
  const hostOf = (labels: number, parent: string) => `${'a.'.repeat(labels)}${parent}`
  const blockOf = async (host: string) => {
    const [row] = await server.sql<{ kind: string | null }>(
      'select app.block_of(null, null, $1) as kind',
      [`http://${host}/`],
    )
    return row?.kind
  }

  it('of an old row is blocked with its parents of up to 253 characters', async () => {
    const longest = hostOf(119, 'long-parent.pro')
    expect(longest).toHaveLength(253)
    expect(await blockOf(hostOf(1_008, 'long-parent.pro'))).toBeNull()
    for (const value of ['long-parent.pro', 'a.a.long-parent.pro', longest]) {
      await server.sql(`insert into app.blocks (kind, value) values ('host', $1)`, [value])
      const hosts = [longest, `a.${longest}`, hostOf(1_008, 'long-parent.pro')]
      for (const host of hosts) expect(await blockOf(host)).toBe('host')
      // Hosts without a blocked parent, and a last label that is too long on its own.
      expect(await blockOf(hostOf(1_008, 'other-parent.pro'))).toBeNull()
      expect(await blockOf(`${'a'.repeat(1_000)}long-parent.pro`)).toBeNull()
      await server.sql('delete from app.blocks where value = $1', [value])
    }
  })

  it('gets its answer in 31 rules of an old row, as other hosts do', async () => {
    const rules = Array.from({ length: 31 }, (_, i) => ({
      to: `http://${hostOf(1_000, i % 2 === 0 ? 'odd-rules.example' : 'even-rules.example')}/${i}`,
    }))
    await server.sql(`insert into app.blocks (kind, value) values ('host', 'odd-rules.example')`)
    const [row] = await server.sql<{ blocked: string[] }>(
      'select app.blocked_rule_addresses($1) as blocked',
      [
        JSON.stringify([
          ...rules,
          { to },
          { split: [{ to: null }, { to: 'https://odd-rules.example' }] },
        ]),
      ],
    )
    const expected = [
      ...rules.filter((_, i) => i % 2 === 0).map((rule) => rule.to),
      'https://odd-rules.example',
    ]
    expect(row?.blocked.toSorted()).toEqual(expected.toSorted())
  })
})

describe('a visit to a link with rules', () => {
  it('knows country and address of the visitor behind a proxy', async () => {
    const proxied = await startTestServer({ trustedProxies: 1 })
    try {
      const owner = await makeAccount(proxied, { plan: 'business' })
      const link = await makeLink(proxied, owner)
      await save(proxied, owner, link, 0, [
        {
          when: [{ fact: 'address', is: ['198.51.100.*', '2001:db8::/32'] }],
          to: 'https://example.com/office',
        },
        { when: [{ fact: 'country', is: ['US'] }], to: 'https://example.com/us' },
        { when: [{ fact: 'country', is_not: ['US'] }], to: 'https://example.com/abroad' },
      ])
      const from = async (address: string) =>
        (await open(proxied, link, '', { 'x-forwarded-for': address })).location
      await eventually(async () => expect(await from('8.8.8.8')).toBe('https://example.com/us'))
      expect(await from('198.51.100.7')).toBe('https://example.com/office')
      expect(await from('2001:db8::7')).toBe('https://example.com/office')
      expect(await from('193.99.144.80')).toBe('https://example.com/abroad')
      // The country of a private address is not known.
      expect(await from('10.0.0.1')).toBe(link.original_url)
    } finally {
      await proxied.close()
    }
  })

  it('goes where the first rule that holds leads, and else to the destination', async () => {
    const link = await makeLink(server, ann)
    await save(server, ann, link, 0, [
      { when: [english, { fact: 'query', name: 'vip', is: ['present'] }], to: `${to}?vip` },
      {
        when: [{ fact: 'system', is: ['ios', 'android'] }],
        app: { ios: 'https://example.com/ios', fallback: 'https://example.com/other' },
      },
      { when: [english], to },
    ])
    const where = async (query: string, headers: Record<string, string>) =>
      (await open(server, link, query, headers)).location
    const language = (value: string) => ({ 'accept-language': value })
    await eventually(async () => expect(await where('', language('en-US,de;q=0.5'))).toBe(to))
    expect(await where('?vip=1', language('en'))).toBe(`${to}?vip`)
    expect(await where('', language('de,en;q=0.8'))).toBe(link.original_url)
    expect(await where('', {})).toBe(link.original_url)
    const phone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'
    const android =
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36'
    expect(await where('', { ...language('en'), 'user-agent': phone })).toBe(
      'https://example.com/ios',
    )
    expect(await where('', { 'user-agent': android })).toBe('https://example.com/other')
    const { version } = await rulesOf(server, ann, link)
    await save(server, ann, link, version, [])
    await eventually(async () => expect(await where('', language('en'))).toBe(link.original_url))
  })

  it('never leads to a host that is blocked later: the visitor sees that the link is not available', async () => {
    const link = await makeLink(server, ann)
    const later = 'https://blocked-later.example/'
    await save(server, ann, link, 0, [{ when: [english], to: later }])
    const english_ = { 'accept-language': 'en' }
    await eventually(async () =>
      expect((await open(server, link, '', english_)).location).toBe(later),
    )
    await server.sql(
      `insert into app.blocks (kind, value, reason) values ('host', 'blocked-later.example', 'test')`,
    )
    await server.sql(`select pg_notify('hoplet_names', '*')`)
    await eventually(async () => expect((await open(server, link, '', english_)).status).toBe(410))
    expect((await open(server, link)).location).toBe(link.original_url)
  })

  it('gets the same answer from the fast lane and from node:http', async () => {
    const link = await makeLink(server, ann)
    await save(server, ann, link, 0, [{ when: [english], to }])
    const ask = async (headers: Record<string, string>) => {
      const { status, rawHeaders } = await open(server, link, '', headers)
      return [status, ...rawHeaders.map((text, i) => (rawHeaders[i - 1] === 'Date' ? '' : text))]
    }
    const en = { 'accept-language': 'en' }
    await eventually(async () => expect(await ask(en)).toContain(to))
    // node:http takes over a connection with this header.
    const byHttp = { te: 'trailers' }
    expect(await ask({ ...en, ...byHttp })).toEqual(await ask(en))
    expect(await ask(byHttp)).toEqual(await ask({}))
    expect(await ask(byHttp)).toContain(link.original_url)
  })

  it('gives a visitor the same variant all day, and the variants their weights', async () => {
    const link = await makeLink(server, ann)
    await save(server, ann, link, 0, [{ else: true, split: [{ weight: 70 }, { to, weight: 30 }] }])
    const agents = Array.from(
      { length: 200 },
      (_, i) => `Mozilla/5.0 (X11; Linux x86_64) Firefox/${i}.0`,
    )
    const ask = async (agent: string) =>
      (await open(server, link, '', { 'user-agent': agent })).location
    await eventually(async () => {
      const some = await Promise.all(agents.slice(0, 20).map(ask))
      expect(new Set(some).size).toBe(2)
    })
    const first = await Promise.all(agents.slice(0, 95).map(ask))
    expect(await Promise.all(agents.slice(0, 95).map(ask))).toEqual(first)
    const share = first.filter((location) => location === to).length / first.length
    expect(share).toBeGreaterThan(0.1)
    expect(share).toBeLessThan(0.5)
  })

  it('knows the first visit of a day, also when rules come after visits', async () => {
    const link = await makeLink(server, ann)
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/150.1' }
    const other = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/150.2' }
    await open(server, link, '', headers)
    await eventually(async () => {
      const [row] = await server.sql<{ count: string }>(
        'select count(*) from app.click_events e join app.click_scopes s on s.id = e.scope where s.ref = $1',
        [link.id],
      )
      expect(row?.count).toBe('1')
    })
    await save(server, ann, link, 0, [{ when: [{ fact: 'first_visit', is: [true] }], to }])
    // A visit of a program makes the server read the visitors of the link, and counts as none.
    await eventually(async () => {
      const answer = await open(server, link, '', { 'user-agent': 'curl/8' })
      expect(answer.location).toBe(to)
    })
    expect((await open(server, link, '', headers)).location).toBe(link.original_url)
    expect((await open(server, link, '', other)).location).toBe(to)
    expect((await open(server, link, '', other)).location).toBe(link.original_url)
  })
})
