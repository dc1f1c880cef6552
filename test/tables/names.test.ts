import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reservedWords } from '#domain/routes.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount, makeAccounts, send } from './accounts.ts'
import { type Attempt, count, openClients } from './held-open.ts'

const rounds = 20
const racers = 20

let server: TestServer
let clients: Awaited<ReturnType<typeof openClients>>

beforeAll(async () => {
  server = await startTestServer()
  clients = await openClients(server, racers)
})
afterAll(async () => {
  await clients.close()
  await server.close()
})

const link = (userId: string, code: string): Attempt => ({
  userId,
  text: `insert into api.shortened_urls (user_id, original_url, short_code) values ($1, 'https://example.com/', $2)`,
  values: [userId, code],
})
const page = (userId: string, slug: string): Attempt => ({
  userId,
  text: `insert into api.bio_pages (user_id, slug, title) values ($1, $2, 'Mine')`,
  values: [userId, slug],
})

async function chargedTo(ids: string[]): Promise<number> {
  const [row] = await server.sql<{ n: number }>(
    'select sum(total_custom_codes)::int as n from app.user_usage where user_id = any ($1)',
    [ids],
  )
  return row?.n ?? 0
}

describe('one name wanted by 20 people at once, 20 rounds', () => {
  it('as a custom code, transactions held open: one gets it, and one is charged', async () => {
    for (let round = 0; round < rounds; round++) {
      const people = await makeAccounts(server, racers)
      const endings = await clients.race(people.map(({ id }) => link(id, `wanted-${round}`)))
      expect(count(endings, ({ code }) => code === 'ok')).toBe(1)
      expect(
        count(endings, ({ code, message }) => code === '23505' && message === 'Code Already Taken'),
      ).toBe(racers - 1)
      expect(await chargedTo(people.map(({ id }) => id))).toBe(1)
    }
  })

  it('as a custom code, over HTTP: one 201, 19 times 409', async () => {
    for (let round = 0; round < rounds; round++) {
      const people = await makeAccounts(server, racers)
      const answers = await Promise.all(
        people.map((one) =>
          send(server, one, 'POST', 'shortened_urls', {
            user_id: one.id,
            original_url: 'https://example.com/',
            short_code: `Wanted-Http-${round}`,
          }),
        ),
      )
      expect(count(answers, ({ status }) => status === 201)).toBe(1)
      expect(count(answers, ({ status }) => status === 409)).toBe(racers - 1)
      expect(await chargedTo(people.map(({ id }) => id))).toBe(1)
    }
  })

  it('as a link by half of them and as a bio page by the other half: one gets it', async () => {
    for (let round = 0; round < rounds; round++) {
      const people = await makeAccounts(server, racers)
      const endings = await clients.race(
        people.map(({ id }, index) => (index % 2 === 0 ? link : page)(id, `mixed-${round}`)),
      )
      expect(count(endings, ({ code }) => code === 'ok')).toBe(1)
      const rows = await server.sql(
        `select short_code as name from app.shortened_urls where short_code = $1
         union all select slug from app.bio_pages where slug = $1`,
        [`mixed-${round}`],
      )
      expect(rows).toHaveLength(1)
    }
  })
})

it(
  'the table door does not deadlock two people who want the same two codes in opposite order',
  { tags: ['extended'] },
  async () => {
    for (let round = 0; round < rounds; round++) {
      const people = await makeAccounts(server, 2, { plan: 'business' })
      const codes = [`one-${round}`, `two-${round}`]
      const answers = await Promise.all(
        people.map((one, index) => {
          const wanted = index === 0 ? codes : codes.toReversed()
          const rows = wanted.map((short_code) => ({
            user_id: one.id,
            original_url: 'https://example.com/',
            short_code,
          }))
          return send(server, one, 'POST', 'shortened_urls', rows)
        }),
      )
      expect(count(answers, ({ status }) => status === 201)).toBe(1)
      expect(count(answers, ({ status }) => status === 409)).toBe(1)
    }
  },
)

it('the table door says that a code is taken as the specification words it', async () => {
  const [ann, bob] = await makeAccounts(server, 2)
  if (!ann || !bob) throw new Error('two accounts')
  const create = (who: typeof ann, code: string) =>
    send(server, who, 'POST', 'shortened_urls', {
      user_id: who.id,
      original_url: 'https://example.com/',
      short_code: code,
    })
  expect((await create(ann, 'Mine-Alone')).status).toBe(201)
  expect(await create(bob, 'mine-alone')).toMatchObject({
    status: 409,
    body: {
      code: '23505',
      message: 'Code Already Taken',
      details: 'This custom code is already in use. Please try another one.',
      hint: null,
    },
  })
})

it('the table door words the rules of a custom code', async () => {
  const ann = await makeAccount(server)
  const refused = async (code: string) =>
    (
      await send(server, ann, 'POST', 'shortened_urls', {
        user_id: ann.id,
        original_url: 'https://example.com/',
        short_code: code,
      })
    ).body
  for (const code of ['ab', 'x'.repeat(51)]) {
    expect(await refused(code)).toMatchObject({
      code: '23514',
      message: 'Invalid Custom Code',
      details: 'Custom code must be between 3 and 50 characters',
    })
  }
  for (const code of ['a b c', 'früh', 'a/b', '../x', 'x.y.z']) {
    expect(await refused(code)).toMatchObject({
      code: '23514',
      message: 'Invalid Custom Code',
      details: 'Only letters, numbers, hyphens, and underscores are allowed',
    })
  }
})

it('the table door keeps every reserved word, in any case', { tags: ['extended'] }, async () => {
  const ann = await makeAccount(server, { plan: 'business' })
  const words = reservedWords.filter((word) => /^[a-z0-9_-]{3,50}$/.test(word))
  expect(words.length).toBeGreaterThan(10)
  for (const word of words) {
    for (const spelling of [
      word,
      word.toUpperCase(),
      `${word[0]?.toUpperCase()}${word.slice(1)}`,
    ]) {
      const { status } = await send(server, ann, 'POST', 'shortened_urls', {
        user_id: ann.id,
        original_url: 'https://example.com/',
        short_code: spelling,
      })
      expect({ spelling, status }).toEqual({ spelling, status: 409 })
    }
  }
})

it('the table door keeps a deleted name that was visited for its owner for 30 days', async () => {
  const [ann, bob] = await makeAccounts(server, 2, { plan: 'business' })
  if (!ann || !bob) throw new Error('two accounts')
  const create = (who: typeof ann) =>
    send(server, who, 'POST', 'shortened_urls', {
      user_id: who.id,
      original_url: 'https://example.com/',
      short_code: 'comes-back',
    })
  const remove = (who: typeof ann) =>
    send(server, who, 'DELETE', 'shortened_urls?short_code=eq.comes-back')
  const visit = () =>
    server.sql(`update app.shortened_urls set click_count = 1 where short_code = 'comes-back'`)
  await create(ann)
  await visit()
  await remove(ann)
  expect((await create(bob)).status).toBe(409)
  expect((await create(ann)).status).toBe(201)
  await visit()
  await remove(ann)
  await server.sql(
    `update app.names set released_at = now() - interval '31 days' where name = 'comes-back'`,
  )
  expect((await create(bob)).status).toBe(201)
})

/** Pearson's statistic of characters against an even spread over 36, for each of 6 places. */
function chiSquares(codes: string[]): number[] {
  return Array.from({ length: 6 }, (_, place) => {
    const seen = new Map<string, number>()
    for (const code of codes) seen.set(code[place] ?? '', (seen.get(code[place] ?? '') ?? 0) + 1)
    const expected = codes.length / 36
    const found = [...seen.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
    return found + (36 - seen.size) * expected
  })
}

it('the table door makes random codes that are evenly spread', async () => {
  const rows = await server.sql<{ code: string }>(
    'select app.random_code() as code from generate_series(1, 40000)',
  )
  const codes = rows.map(({ code }) => code)
  expect(codes.every((code) => /^[0-9a-z]{6}$/.test(code))).toBe(true)
  expect(new Set(codes).size).toBeGreaterThan(39_990)
  // With 35 degrees of freedom a fair generator exceeds 100 once in 30 million.
  for (const statistic of chiSquares(codes)) expect(statistic).toBeLessThan(100)

  const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
  const biased = codes.map(() =>
    Array.from({ length: 6 }, () => alphabet[Math.floor(Math.random() * 128) % 36]).join(''),
  )
  for (const statistic of chiSquares(biased)) expect(statistic).toBeGreaterThan(100)
})
