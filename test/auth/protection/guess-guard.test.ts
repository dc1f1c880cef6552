import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createGuessGuard, type GuessOutcome } from '#server/auth/guessing/guess-guard.ts'
import type { Attempt } from '#server/auth/guessing/unknown-networks.ts'
import type { Buckets } from '#server/auth/protection/budgets.ts'
import { createRateLimits } from '#server/primitives/token-bucket.ts'

interface Guard {
  /** Starts an attempt and asks for its place. */
  admit(attempt: Attempt): Promise<Admission>
}
type Admission = { wait: number } | { wait?: undefined; settle(outcome: GuessOutcome): void }

/** The guard alone, with a separate clock and buckets in memory. */
function guardAt(now: () => number): Guard {
  const limits = createRateLimits(true, now)
  const take: Buckets['take'] = async (policy, subject) => limits.take(policy, subject)
  const giveBack: Buckets['giveBack'] = async (...token) => limits.giveBack(...token)
  const secretBox = {
    digest: (text: string) => createHash('sha256').update(text).digest('hex'),
  }
  const guard = createGuessGuard({ enabled: true, secretBox, now })
  return {
    async admit(attempt) {
      const guess = await guard.start(attempt)
      if (guess.wait !== undefined) return { wait: guess.wait }
      const settle = (outcome: GuessOutcome) => {
        for (const token of guess.settle(outcome)) limits.giveBack(...token)
      }
      const wait = await guess.admit({ take, takeShared: take, giveBack }, [])
      if (wait === undefined) return { settle }
      settle('abandoned')
      return { wait }
    },
  }
}

/** One attempt; an admitted one ends as `outcome`. @returns the seconds to wait, if it was not admitted */
async function tried(
  guard: Guard,
  attempt: Attempt,
  outcome: GuessOutcome,
): Promise<number | undefined> {
  const admission = await guard.admit(attempt)
  if (admission.wait === undefined) admission.settle(outcome)
  return admission.wait
}

/** Each in another /24. */
const neighbours = (n: number) => `10.${1 + Math.floor(n / 250)}.${n % 250}.1`
it('the guard against guesses makes one network wait longer and longer, for a minute at most', async () => {
  let now = 0
  const guard = guardAt(() => now)
  const trusted = { email: 'a@example.com', address: '192.0.2.1', password: 'right' }
  expect(await tried(guard, trusted, 'right')).toBeUndefined()
  const waits: number[] = []
  for (let n = 0; n < 14; n++) {
    const attempt = { ...trusted, password: `wrong ${n}` }
    const wait = await tried(guard, attempt, 'wrong')
    if (wait !== undefined) {
      waits.push(wait)
      now += wait * 1_000
      expect(await tried(guard, attempt, 'wrong')).toBeUndefined()
    }
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
  now += 60_000
  expect(await tried(guard, trusted, 'right')).toBeUndefined()
})

it.each([
  ['in a thousand networks', (n: number) => n],
  ['in one network', (n: number) => n % 250],
])(
  'the guard against guesses never hashes more than 20 guesses from unknown networks in a minute, even if they know the rules: %s',
  async (_, place) => {
    let now = 0
    const guard = guardAt(() => now)
    const admitted: number[] = []
    for (let n = 0; n < 60_000; n++) {
      now = n * 10
      const attempt = {
        email: 'a@example.com',
        address: neighbours(place(n % 1_000)),
        password: `guess ${n % 5_000}`,
      }
      for (const _each of [1, 2]) {
        if ((await tried(guard, attempt, 'wrong')) === undefined) admitted.push(now)
      }
    }
    expect(admitted.length).toBeGreaterThan(20)
    const most = Math.max(
      ...admitted.map((from) => admitted.filter((at) => at >= from && at < from + 60_000).length),
    )
    expect(most).toBeLessThanOrEqual(20)
  },
)

type Guess = (n: number) => string
it.each<[string, number, Guess, number, number]>([
  ['each guess twice from 24 networks', 24, (n) => `guess ${n}`, 2, 0],
  // Until each of the networks has had its turn, which is within the first minute, the owner may have to wait.
  ['each guess twice from 200 networks', 200, (n) => `guess ${n}`, 2, 1],
  ['each guess four times from 200 networks', 200, (n) => `guess ${n}`, 4, 1],
  ['ten passwords in turn from 200 networks', 200, (n) => `guess ${n % 10}`, 1, 0],
  ['fifty passwords in turn from 200 networks', 200, (n) => `guess ${n % 50}`, 1, 0],
])(
  'the guard against guesses lets the owner in from a new address with 2 tries against %s',
  async (_, networks, guessAt, times, outOfLuck) => {
    let now = 0
    const guard = guardAt(() => now)
    const email = 'a@example.com'
    const waits: (number | undefined)[] = []
    // Ten minutes of four guesses a second. The owner comes after the first twenty seconds, and then each minute.
    for (let n = 0; n < 2_400; n++) {
      now = n * 250
      const guess = { email, address: neighbours(n % networks), password: guessAt(n) }
      for (let time = 0; time < times; time++) await tried(guard, guess, 'wrong')
      if (n % 240 !== 80) continue
      const owner = { email, address: `192.0.${n / 80}.7`, password: 'right' }
      expect(await tried(guard, owner, 'right')).toBe(1)
      now += 1_000
      waits.push(await tried(guard, owner, 'right'))
    }
    expect(waits.slice(outOfLuck)).toEqual(Array(10 - outOfLuck).fill(undefined))
  },
)

it('the guard against guesses tells an owner who was refused to retry within seconds, and then lets them in', async () => {
  let now = 0
  const guard = guardAt(() => now)
  const email = 'a@example.com'
  // Enough guessers to use up all places, the last of them just before the owner comes.
  for (let n = 0; n < 60; n++) {
    const guess = { email, address: neighbours(n), password: `guess ${n}` }
    for (const _each of [1, 2]) await tried(guard, guess, 'wrong')
  }
  const owner = { email, address: '192.0.2.7', password: 'right' }
  expect(await tried(guard, owner, 'right')).toBe(1)
  const wait = (await tried(guard, owner, 'right')) ?? 0
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(7)
  now += wait * 1_000
  expect(await tried(guard, owner, 'right')).toBeUndefined()
})

it('the guard against guesses counts concurrent tries of one password from one network as one try', async () => {
  const guard = guardAt(() => 0)
  const attempt = { email: 'a@example.com', address: '192.0.2.1', password: 'right' }
  const first = await guard.admit(attempt)
  const others = Array.from({ length: 20 }, () => tried(guard, attempt, 'right'))
  if (first.wait === undefined) first.settle('right')
  expect(await Promise.all(others)).toEqual(Array(20).fill(undefined))
  // Different ones are each a try: of the sixth on, most wait.
  const guesses = Array.from({ length: 20 }, (_, n) => ({ ...attempt, password: `wrong ${n}` }))
  const waits = await Promise.all(guesses.map((guess) => tried(guard, guess, 'wrong')))
  expect(waits.filter((wait) => wait !== undefined).length).toBeGreaterThanOrEqual(14)
})
