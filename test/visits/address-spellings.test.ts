import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeLink, save } from '#test/links/rules.ts'
import { makeAccount } from '#test/tables/accounts.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { hitsOf } from './hits.ts'
import { plantLinks } from './plant.ts'
import { visit } from './visit.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ rateLimits: true, trustedProxies: 1 })
})
afterAll(() => server.close())

/** How proxies write 203.0.113.n, of a client that came over IPv4. */
const spellings = (n: number): string[] => [
  `203.0.113.${n}`,
  `::ffff:203.0.113.${n}`,
  `::FFFF:203.0.113.${n}`,
  `::ffff:cb00:71${n.toString(16).padStart(2, '0')}`,
  `[::ffff:203.0.113.${n}]:4711`,
  `203.0.113.${n}:4711`,
  `64:ff9b::203.0.113.${n}`,
]

const by = (address: string) => ({ headers: { 'x-forwarded-for': address } })

describe('one address in many spellings', () => {
  it('has one limit of misses, and shares it with no other address', async () => {
    const miss = (address: string, i: number) => visit(server.url, `/made-up-${i}`, by(address))
    const guilty = spellings(5)
    for (let i = 0; i < 30; i++)
      expect((await miss(guilty[i % guilty.length] ?? '', i)).location).toBe('/404')
    for (const address of guilty) expect((await miss(address, 30)).status).toBe(429)
    await plantLinks(server.sql, [{ code: 'there', url: 'https://a.example/' }])
    for (const address of spellings(9)) {
      expect((await miss(address, 31)).location).toBe('/404')
      expect((await visit(server.url, '/there', by(address))).location).toBe('https://a.example/')
    }
  })

  it('is told in one spelling', async () => {
    const ask = async (address: string) => {
      const headers = { authorization: `Bearer ${server.serviceRoleKey}`, ...by(address).headers }
      const response = await fetch(`${server.url}/functions/v1/request-origin`, { headers })
      return ((await response.json()) as { address: string }).address
    }
    for (const spelling of spellings(7)) expect(await ask(spelling)).toBe('203.0.113.7')
    for (const spelling of ['2001:DB8::1', '[2001:db8:0:0::0001]:443', '2001:db8::1%eth0'])
      expect(await ask(spelling)).toBe('2001:db8::1')
    expect(await ask('unknown')).toBe('127.0.0.1')
  })

  it('is one visitor, and the address of a rule', async () => {
    const owner = await makeAccount(server, { plan: 'pro' })
    const link = await makeLink(server, owner)
    const to = 'https://inside.example/'
    const rules = [{ when: [{ fact: 'address', is: ['203.0.113.8'] }], to }]
    expect((await save(server, owner, link, 0, rules)).status).toBe(200)
    await vi.waitFor(
      async () => {
        const { location } = await visit(server.url, `/${link.short_code}`, by('203.0.113.8'))
        expect(location).toBe(to)
      },
      { timeout: 240_000 },
    )
    for (const address of spellings(8))
      expect((await visit(server.url, `/${link.short_code}`, by(address))).location).toBe(to)
    const other = await visit(server.url, `/${link.short_code}`, by('::ffff:203.0.113.9'))
    expect(other.location).toBe(link.original_url)
    await vi.waitFor(
      async () => {
        const visitors = (await hitsOf(server.sql, link.id)).map(({ visitor }) => visitor)
        expect(visitors.length).toBeGreaterThanOrEqual(9)
        expect(new Set(visitors).size).toBe(2)
      },
      { timeout: 240_000 },
    )
  })
})
