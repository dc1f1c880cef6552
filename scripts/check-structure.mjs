// Fails when two files export the same name or files import each other in a circle, type-only imports included.
import { exportedTwice, importCycles } from './code-structure.mjs'

const problems = [
  ...exportedTwice().map(
    ([name, paths]) => `${name} is exported by ${paths.join(' and ')}: give one a specific name`,
  ),
  ...importCycles().map((paths) => `these import each other: ${paths.join(' -> ')}`),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
