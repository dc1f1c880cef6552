// Fails when two files export the same name, files import each other in a circle (type-only imports included), or a function
// is too long to read.
import { exportedTwice, importCycles, longFunctions } from './code-structure.mjs'

const maxLines = 100
const problems = [
  ...exportedTwice().map(
    ([name, paths]) => `${name} is exported by ${paths.join(' and ')}: give one a specific name`,
  ),
  ...importCycles().map((paths) => `these import each other: ${paths.join(' -> ')}`),
  ...longFunctions(maxLines).map(
    ({ path, line, lines }) =>
      `${path}:${line}: a function of ${lines} lines; the limit is ${maxLines}`,
  ),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
