import { describe, expect, test } from 'vitest'
import { betterVariant, chancesToBeBest } from './better-variant.ts'

/** P(B > A) for whole numbers, as a finite sum (Evan Miller, "Formulas for Bayesian A/B Testing"). */
function exactChanceOfB(a: [number, number], b: [number, number]): number {
  const [alphaA, betaA] = [1 + a[1], 1 + a[0] - a[1]]
  const [alphaB, betaB] = [1 + b[1], 1 + b[0] - b[1]]
  let sum = 0
  for (let i = 0; i < alphaB; i++)
    sum += Math.exp(
      logBeta(alphaA + i, betaA + betaB) -
        Math.log(betaB + i) -
        logBeta(1 + i, betaB) -
        logBeta(alphaA, betaA),
    )
  return sum
}

/** By n, as sums of logarithms. */
const logFactorials = [0]
function logFactorial(n: number): number {
  for (let i = logFactorials.length; i <= n; i++)
    logFactorials.push((logFactorials[i - 1] ?? 0) + Math.log(i))
  return logFactorials[n] ?? 0
}
function logBeta(a: number, b: number): number {
  return logFactorial(a - 1) + logFactorial(b - 1) - logFactorial(a + b - 1)
}

const results = (...pairs: [number, number][]) =>
  pairs.map(([shown, converted]) => ({ shown, converted }))

describe('chancesToBeBest', () => {
  test.each<[[number, number], [number, number]]>([
    [
      [0, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [1, 1],
    ],
    [
      [10, 0],
      [10, 10],
    ],
    [
      [100, 10],
      [100, 15],
    ],
    [
      [1000, 0],
      [50, 0],
    ],
    [
      [1000, 120],
      [1000, 150],
    ],
    [
      [20_000, 400],
      [300, 9],
    ],
    [
      [5, 3],
      [100_000, 50_123],
    ],
    [
      [100_000, 1],
      [100_000, 4],
    ],
  ])('agrees with the closed form for %j and %j', (a, b) => {
    const [, chance = 0] = chancesToBeBest(results(a, b))
    expect(chance).toBeCloseTo(exactChanceOfB(a, b), 7)
  })

  test('has the known values of small cases', () => {
    expect(chancesToBeBest(results([0, 0], [1, 1]))[1]).toBeCloseTo(2 / 3, 12)
    for (const chance of chancesToBeBest(results([50, 4], [50, 4], [50, 4])))
      expect(chance).toBeCloseTo(1 / 3, 12)
    // The highest of Beta(1,1), Beta(1,1) and Beta(2,1): the integral of x² · 2x is 1/2.
    expect(chancesToBeBest(results([0, 0], [0, 0], [1, 1]))[2]).toBeCloseTo(1 / 2, 12)
  })
})

describe('betterVariant', () => {
  test.each<[[number, number][], string]>([
    [
      [
        [1000, 120],
        [1000, 143],
      ],
      'B is probably better: 93 % sure',
    ],
    [
      [
        [1000, 150],
        [1000, 120],
      ],
      'A is probably better: 97 % sure',
    ],
    [
      [
        [1000, 100],
        [1000, 200],
      ],
      'B is better: more than 99 % sure',
    ],
    [
      [
        [1000, 100],
        [1000, 104],
      ],
      'Too early to say',
    ],
    [
      [
        [5, 0],
        [5, 5],
      ],
      'Too early to say',
    ],
    [
      [
        [500, 20],
        [500, 22],
        [500, 35],
      ],
      'C is probably the best: 94 % sure',
    ],
    [[], 'Too early to say'],
  ])('of %j says %j', (pairs, words) => {
    expect(betterVariant(results(...pairs)).words).toBe(words)
  })
})
