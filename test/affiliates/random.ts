export interface Random {
  /** A whole number from 0 to n - 1. */
  below(n: number): number
}

/** Reproducible random numbers (mulberry32). */
export function makeRandom(seed: number): Random {
  let state = seed
  return {
    below(n) {
      state = (state + 0x6d2b79f5) | 0
      let t = Math.imul(state ^ (state >>> 15), state | 1)
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
      return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * n)
    },
  }
}
