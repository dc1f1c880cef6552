// Fails when two files export the same name, files import each other in a circle (type-only and later imports included), a
// function is too long to read, or a folder has too many files to find one.
import { exportedTwice, fullFolders, importCycles, longFunctions } from './code-structure.mjs'
import { newerCalls, visitorScripts } from './newer-calls.mjs'

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
  ...visitorScripts().flatMap(({ path, text }) =>
    newerCalls(path, text).map(
      ({ name, start }) =>
        `${path}:${text.slice(0, start).split('\n').length}: Safari 16.2 has no ${name}, and the page of a visitor stops there`,
    ),
  ),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
