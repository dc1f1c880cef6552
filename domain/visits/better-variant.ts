import { variantLetter } from './rules-reader.ts'

/** Results of one variant of a split. */
export interface VariantResult {
  /** Visitors that saw it. */
  shown: number
  /** Visitors among them that converted; more than `shown` counts as `shown`. */
  converted: number
}

/** The variant that is probably the best one. */
export interface BetterVariant {
  /** Index of the variant; undefined as long as it is too early to say. */
  best: number | undefined
  /** The chance of each variant to have the highest rate; they add up to 1. */
  chances: number[]
  /** For people: "B is probably better: 93 % sure". */
  words: string
}

/** Before each variant was shown this often, a few conversions more or less decide. */
const minShown = 30
const minSure = 0.8
const verySure = 0.99

/**
 * Compares the variants of a split by their rates. The rate of a variant with c conversions of n has the posterior
 * distribution Beta(1 + c, 1 + n - c), which starts from "any rate is as likely as another".
 */
export function betterVariant(results: readonly VariantResult[]): BetterVariant {
  const chances = chancesToBeBest(results)
  const sure = Math.max(...chances)
  const isEarly = results.length < 2 || results.some(({ shown }) => shown < minShown)
  if (isEarly || sure < minSure) return { best: undefined, chances, words: 'Too early to say' }
  const best = chances.indexOf(sure)
  const better = results.length === 2 ? 'better' : 'the best'
  const letter = variantLetter(best)
  const words =
    sure >= verySure
      ? `${letter} is ${better}: more than 99 % sure`
      : `${letter} is probably ${better}: ${Math.floor(sure * 100)} % sure`
  return { best, chances, words }
}

/** The chance of each variant to have the highest rate: the integral of its density times the distributions of all others. */
export function chancesToBeBest(results: readonly VariantResult[]): number[] {
  const betas = results.map(({ shown, converted }) => {
    const c = Math.min(converted, shown)
    return createBeta(1 + c, 1 + shown - c)
  })
  const bounds = boundsOf(betas)
  const chances = betas.map((beta, i) => {
    const others = betas.filter((_, j) => j !== i)
    return integrate(bounds, (x) =>
      others.reduce((product, other) => product * other.distribution(x), beta.density(x)),
    )
  })
  const sum = chances.reduce((total, chance) => total + chance, 0)
  return chances.map((chance) => chance / sum)
}

interface Beta {
  mean: number
  deviation: number
  density: (x: number) => number
  distribution: (x: number) => number
}

function createBeta(a: number, b: number): Beta {
  const logBeta = logGamma(a) + logGamma(b) - logGamma(a + b)
  const logOf = (x: number) => a * Math.log(x) + b * Math.log1p(-x) - logBeta
  const mean = a / (a + b)
  return {
    mean,
    deviation: Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1))),
    density: (x) => Math.exp(logOf(x)) / (x * (1 - x)),
    distribution: (x) =>
      x < (a + 1) / (a + b + 2)
        ? (Math.exp(logOf(x)) * betaFraction(a, b, x)) / a
        : 1 - (Math.exp(logOf(x)) * betaFraction(b, a, 1 - x)) / b,
  }
}

/** Distances from the mean in standard deviations: dense where a density is high, few in its tail. */
const distances = [0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 40]

/** Bounds of the segments in which every density and distribution is smooth. */
function boundsOf(betas: readonly Beta[]): number[] {
  const inner = betas.flatMap(({ mean, deviation }) =>
    distances.flatMap((distance) => [mean - distance * deviation, mean + distance * deviation]),
  )
  const bounds = new Set([0, ...inner.filter((x) => x > 0 && x < 1), 1])
  return [...bounds].sort((a, b) => a - b)
}

/** Nodes and weights of the Gauss-Legendre quadrature with eight points, on one side. */
const nodes = [
  [0.183_434_642_495_649_8, 0.362_683_783_378_362],
  [0.525_532_409_916_329, 0.313_706_645_877_887_3],
  [0.796_666_477_413_626_7, 0.222_381_034_453_374_48],
  [0.960_289_856_497_536_3, 0.101_228_536_290_376_26],
] as const

function integrate(bounds: readonly number[], f: (x: number) => number): number {
  let sum = 0
  for (const [i, from] of bounds.slice(0, -1).entries()) {
    const half = ((bounds[i + 1] ?? from) - from) / 2
    const middle = from + half
    for (const [node, weight] of nodes)
      sum += half * weight * (f(middle - half * node) + f(middle + half * node))
  }
  return sum
}

/** Stirling's series, after the argument is shifted to at least 10. */
function logGamma(x: number): number {
  let shift = 0
  let z = x
  for (; z < 10; z++) shift += Math.log(z)
  const inverse = 1 / (z * z)
  const series =
    (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) /
    z
  return (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + series - shift
}

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function betaFraction(a: number, b: number, x: number): number {
  const tiny = 1e-300
  const awayFromZero = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / awayFromZero(1 + even * d)
    c = awayFromZero(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / awayFromZero(1 + odd * d)
    c = awayFromZero(1 + odd / c)
    const change = d * c
    fraction *= change
    if (Math.abs(change - 1) < 1e-14) break
  }
  return fraction
}
