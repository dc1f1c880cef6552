/** @module-tag extended */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countingHasher, newEmail, refresh, request, signIn } from '../requests.ts'

let server: TestServer
let hasher: ReturnType<typeof countingHasher>
const start = async (rateLimits: boolean) => {
  hasher = countingHasher()
  server = await startTestServer({ rateLimits, trustedProxies: 1 }, { hasher })
}
beforeEach(() => start(true))
afterEach(() => server.close())

const stranger = (n: number) => `10.1.${Math.floor(n / 250)}.${(n % 250) + 1}`

/** 1,000 wrong passwords for one account from 200 addresses. */
async function attack(email: string, guess: (n: number) => string): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let n = 0; n < 1_000; n += 50) {
    const batch = Array.from({ length: 50 }, (_, i) => n + i)
    const answers = await Promise.all(
      batch.map((i) => signIn(server, email, guess(i), stranger(i % 200))),
    )
    for (const { status } of answers) statuses.add(status)
  }
  return statuses
}

it.each([
  ['all different', (n: number) => `guess ${n}`],
  ['all the same', () => 'guess'],
  ['fifty in turn', (n: number) => `guess ${n % 50}`],
  ['each twice from one address', (n: number) => `guess ${n % 200} ${Math.floor(n / 400)}`],
])(
  'the server lets at most 20 of 1,000 guesses reach the hash, and the owner in with 2 tries: %s',
  async (_, guess) => {
    const owner = await makeUser(server)
    expect(await attack(owner.email, guess)).toEqual(new Set([400, 429]))
    expect(hasher.verified).toBeGreaterThan(0)
    expect(hasher.verified).toBeLessThanOrEqual(20)
    const first = await signIn(server, owner.email, owner.password, '192.0.2.7')
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1'])
    expect(first.body['code']).toBe('over_request_rate_limit')
    const second = await signIn(server, owner.email, owner.password, '192.0.2.7')
    expect(second.status).toBe(200)
  },
)

it('the check would let all of them reach the hash without the guard (control)', async () => {
  await server.close()
  await start(false)
  const owner = await makeUser(server)
  await attack(owner.email, (n) => `guess ${n}`)
  expect(hasher.verified).toBe(1_000)
})

it('the server treats an account that does not exist the same way', async () => {
  const email = newEmail()
  expect(await attack(email, (n) => `guess ${n}`)).toEqual(new Set([400, 429]))
  expect(hasher.verified).toBeLessThanOrEqual(20)
})

it('the server leaves the owner’s own network and other accounts alone', async () => {
  const [owner, neighbour] = [await makeUser(server), await makeUser(server)]
  expect((await signIn(server, owner.email, owner.password, '192.0.2.8')).status).toBe(200)
  await attack(owner.email, (n) => `guess ${n}`)
  expect((await signIn(server, owner.email, 'mistyped', '192.0.2.8')).status).toBe(400)
  expect((await signIn(server, owner.email, owner.password, '192.0.2.8')).status).toBe(200)
  expect((await signIn(server, neighbour.email, neighbour.password, '192.0.2.9')).status).toBe(200)
})

it.each(['a new address', 'home'])(
  'the server takes nine right passwords at once from %s',
  async (from) => {
    const owner = await makeUser(server)
    const address = '192.0.2.12'
    if (from === 'home') await signIn(server, owner.email, owner.password, address)
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => signIn(server, owner.email, owner.password, address)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  },
)

it('the server accepts right passwords from as many new addresses', async () => {
  const owner = await makeUser(server)
  for (let n = 0; n < 10; n++) {
    expect((await signIn(server, owner.email, owner.password, stranger(n * 250))).status).toBe(200)
  }
})

it('the server lets a school of 40 sign in from one address', async () => {
  const password = 'chalk-and-board'
  for (let n = 0; n < 40; n++) {
    const email = newEmail()
    await request(server, '/signup', { body: { email, password }, from: stranger(n) })
    expect((await signIn(server, email, password, '192.0.2.13')).status).toBe(200)
  }
})

it('the server counts guesses at the current password of a session that was found open', async () => {
  const owner = await makeUser(server)
  const statuses = []
  for (let n = 0; n < 40; n++) {
    const { status } = await request(server, '/user', {
      method: 'PUT',
      token: owner.accessToken,
      body: { password: 'a-new-one-7', current_password: `guess ${n}` },
      from: stranger(n),
    })
    statuses.push(status)
  }
  expect(new Set(statuses)).toEqual(new Set([400, 429]))
  expect(hasher.verified).toBeLessThanOrEqual(20)
})

it('the server limits sign-ups and tokens of one address, and says when to come back', async () => {
  const codes = new Map<string, number>()
  const count = ({ status, headers }: { status: number; headers: Headers }, what: string) => {
    codes.set(`${what} ${status}`, (codes.get(`${what} ${status}`) ?? 0) + 1)
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  for (let n = 0; n < 40; n++) {
    count(
      await request(server, '/signup', {
        body: { email: newEmail(), password: 'six666' },
        from: '192.0.2.10',
      }),
      'sign-up',
    )
    count(await refresh(server, 'x'), 'token')
  }
  expect(codes.get('sign-up 200')).toBe(30)
  expect(codes.get('sign-up 429')).toBe(10)
  expect(codes.get('token 429')).toBeGreaterThanOrEqual(8)
  expect(
    (
      await request(server, '/signup', {
        body: { email: newEmail(), password: 'six666' },
        from: '192.0.2.11',
      })
    ).status,
  ).toBe(200)
})

it('the server does not believe X-Forwarded-For without a trusted proxy', async () => {
  await server.close()
  hasher = countingHasher()
  server = await startTestServer({ rateLimits: true }, { hasher })
  const answers = []
  for (let n = 0; n < 40; n++) answers.push(await signIn(server, newEmail(), 'x', stranger(n)))
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(8)
})

it('the server compares two passwords of an account at once and 10 right ones a minute, and leaves the address to others', async () => {
  const [looping, colleague] = [await makeUser(server), await makeUser(server)]
  const office = '192.0.2.77'
  const statuses = async (count: number) => {
    const answers = Array.from({ length: count }, () =>
      signIn(server, looping.email, looping.password, office),
    )
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  const before = hasher.verified
  const loop = await statuses(25)
  expect(new Set(loop)).toEqual(new Set([200, 429]))
  expect(hasher.verified - before).toBe(loop.filter((status) => status === 200).length)
  expect((await signIn(server, colleague.email, colleague.password, office)).status).toBe(200)
})
