// Fails when two files export the same name, files import each other in a circle (type-only and later imports included), a
// function is too long to read, or a folder has too many files to find one.
import { exportedTwice, fullFolders, importCycles, longFunctions } from './code-structure.mjs'

const maxLines = 100
const maxFiles = 30
const problems = [
  ...exportedTwice().map(
    ([name, paths]) => `${name} is exported by ${paths.join(' and ')}: give one a specific name`,
  ),
  ...importCycles().map((paths) => `these import each other: ${paths.join(' -> ')}`),
  ...fullFolders(maxFiles).map(
    ([folder, count]) =>
      `${folder}/ has ${count} files; the limit is ${maxFiles}: make a folder for a noun in it`,
  ),
  ...longFunctions(maxLines).map(
    ({ path, line, lines }) =>
      `${path}:${line}: a function of ${lines} lines; the limit is ${maxLines}`,
  ),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
