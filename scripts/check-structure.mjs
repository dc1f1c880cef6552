// Fails when two files export the same name, files import each other in a circle (type-only imports included), or a function
// is too long to read.
import { exportedTwice, importCycles, longFunctions } from './code-structure.mjs'

const maxLines = 100
/** Files with a function that is longer, until it is split. */
const exempt = new Set([
  'server/analytics/store/postgres-store.ts',
  'server/context.ts',
  'server/visits/direct-writer.ts',
  'server/visits/journal.ts',
  'server/visits/stream/batch-applier.ts',
])

const long = longFunctions(maxLines)
const problems = [
  ...exportedTwice().map(
    ([name, paths]) => `${name} is exported by ${paths.join(' and ')}: give one a specific name`,
  ),
  ...importCycles().map((paths) => `these import each other: ${paths.join(' -> ')}`),
  ...long
    .filter(({ path }) => !exempt.has(path))
    .map(
      ({ path, line, lines }) =>
        `${path}:${line}: a function of ${lines} lines; the limit is ${maxLines}`,
    ),
  ...[...exempt]
    .filter((path) => !long.some((each) => each.path === path))
    .map((path) => `${path} has no long function: take it off the list in check-structure.mjs`),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
