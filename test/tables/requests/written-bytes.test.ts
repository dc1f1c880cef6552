import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '../accounts.ts'

// An account writes 8 MB at once and 4 MB more a minute, by any request: replaced values stay behind as old versions.
let server: TestServer
let clock = 1_000_000
beforeAll(async () => {
  server = await startTestServer({ rateLimits: true }, { rateLimitClock: () => clock })
})
afterAll(() => server.close())

const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }

async function makeLink(owner: Account): Promise<string> {
  const row = { user_id: owner.id, original_url: 'https://example.com/' }
  const { body } = await send(server, owner, 'POST', 'shortened_urls', row, single)
  return (body as { id: string }).id
}

/** Sends requests at one moment, until one is refused. @returns the bytes of the others */
async function flood(write: (n: number) => { bytes: number; answer: Promise<{ status: number }> }) {
  let written = 0
  for (let n = 0; n < 190; n++) {
    const { bytes, answer } = write(n)
    const { status } = await answer
    if (status === 429) return written
    if (status >= 300) throw new Error(`status ${status}`)
    written += bytes
  }
  throw new Error('nothing was refused')
}

const text = (n: number, length: number) =>
  `${n}${randomBytes(length).toString('base64url')}`.slice(0, length)

const mb = 1_024 ** 2

type Writing = (owner: Account, link: string) => Parameters<typeof flood>[0]

async function expectBound(writing: Writing) {
  const owner = await makeAccount(server, { plan: 'business' })
  const link = await makeLink(owner)
  const written = await flood(writing(owner, link))
  expect(written).toBeGreaterThan(7 * mb)
  expect(written).toBeLessThanOrEqual(8 * mb)
  const change = () => send(server, owner, 'PATCH', `shortened_urls?id=eq.${link}`, { note: 'x' })
  clock += 15_000
  // Control: a quarter of a minute later there is room again.
  expect((await change()).status).toBe(204)
}

describe('an account that writes long values again and again is refused for a while', () => {
  it('with rules of a link', () =>
    expectBound((owner, link) => {
      let version = 0
      return () => {
        const rules = Array.from({ length: 40 }, (_, i) => ({
          when: [{ fact: 'city', is: Array.from({ length: 7 }, (__, j) => text(i * 7 + j, 190)) }],
          to: 'https://example.com/',
        }))
        const body = { _link: link, _rules: rules, _version: version }
        const answer = send(server, owner, 'POST', 'rpc/save_link_rules', body).then((saved) => {
          if (saved.status === 200) version = Number(saved.body)
          return saved
        })
        return { bytes: JSON.stringify(body).length, answer }
      }
    }))

  it('with a bio page', { tags: ['extended'] }, () =>
    expectBound((owner) => (n) => {
      const links = Array.from({ length: 30 }, (_, i) => ({
        title: `Number ${i}`,
        url: `https://example.com/${text(n, 1_900)}`,
      }))
      const body = { page: { slug: `bytes-${owner.id.slice(0, 8)}`, title: 'Bytes' }, links }
      const answer = send(server, owner, 'POST', 'rpc/save_bio_page', body)
      return { bytes: JSON.stringify(body).length, answer }
    }),
  )

  it('with a value for each of several rows', { tags: ['extended'] }, () =>
    expectBound((owner) => {
      const rows = Array.from({ length: 20 }, () => ({ original_url: 'https://example.com/' }))
      const made = send(server, owner, 'POST', 'rpc/create_links', { _links: rows })
      return (n) => {
        const change = {
          note: text(n, 2_000),
          fallback_url: `https://example.com/${text(n, 1_900)}`,
        }
        const answer = made.then(() =>
          send(server, owner, 'PATCH', `shortened_urls?user_id=eq.${owner.id}`, change),
        )
        return { bytes: 21 * JSON.stringify(change).length, answer }
      }
    }),
  )
})
