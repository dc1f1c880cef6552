// Prints how large and how simple the code is: `npm run measure`. Nothing here fails a build; see check-structure.mjs.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  exportedTwice,
  files,
  importCycles,
  isTest,
  modules,
  source,
  sourceFolders,
  testFolders,
  typescript,
} from './checks/code-structure.mjs'
import { countPhrases, textsOf } from './checks/wording.mjs'
import { loadTypeScript } from './load-typescript.mjs'
import { root } from './process.mjs'

const table = []
const row = (name, value) => table.push([name, String(value)])

for (const folder of [...sourceFolders, 'database', 'scripts', 'bench', ...testFolders]) {
  const own = files.filter(
    (f) => f.path.startsWith(`${folder}/`) && (testFolders.includes(folder) || !isTest(f)),
  )
  row(`${folder}: files / lines`, `${own.length} / ${sum(own)}`)
}
const bySecondFolder = groupBy(typescript, (f) => f.path.split('/').slice(0, 2).join('/'))
for (const [folder, own] of [...bySecondFolder].sort(([a], [b]) => a.localeCompare(b))) {
  if (folder.startsWith('server/') && own.length > 1)
    row(`  ${folder}`, `${own.length} / ${sum(own)}`)
}
const sizes = typescript.map((f) => f.lines).sort((a, b) => a - b)
row('file lines: median / p90 / max', spread(sizes))
row(
  'files over 300 / under 25 lines',
  `${sizes.filter((n) => n > 300).length} / ${sizes.filter((n) => n < 25).length}`,
)
const functions = [...modules.values()]
  .flatMap((m) => m.functions.map(({ lines }) => lines))
  .sort((a, b) => a - b)
row('function lines: median / p90 / p99 / max', `${spread(functions, [0.5, 0.9, 0.99])}`)
row(
  'functions over 50 / over 100 lines',
  `${functions.filter((n) => n > 50).length} / ${functions.filter((n) => n > 100).length}`,
)
for (const folder of ['server', 'web'])
  row(`${folder}: branches per 1,000 lines`, branchesOf(folder))
const byFolder = [...groupBy(typescript, (f) => dirname(f.path))]
const [largest, most] = byFolder.sort(([, a], [, b]) => b.length - a.length)[0]
row('most files in a folder', `${most.length}: ${largest}`)
row('comments that begin with "Of"', phrasesIn('ofFirst'))
row('concepts in the glossary', glossary().length)
const doubles = exportedTwice()
row(
  'exported names in two files',
  doubles.length ? `${doubles.length}: ${doubles.map(([name]) => name).join(' ')}` : 0,
)
const cycles = importCycles()
row(
  'import cycles (types included)',
  cycles.length ? `${cycles.length}\n${cycles.map((c) => `    ${c.join(' -> ')}`).join('\n')}` : 0,
)
row('source files that name a popup column', popupColumnFiles().join(' ') || 0)
row(
  'migrations: files / lines',
  `${files.filter((f) => f.path.startsWith('database/migrations/')).length} / ${sum(files.filter((f) => f.path.startsWith('database/migrations/')))}`,
)
const tests = files.filter(isTest)
row(
  'test lines : source lines',
  `${sum(tests)} : ${sum(source)} = ${(sum(tests) / sum(source)).toFixed(2)}`,
)

const { transactionsPerSignIn } = await loadTypeScript('scripts/measure-sign-in.ts')
row('transactions per sign-in', await transactionsPerSignIn())

for (const [name, value] of table) console.log(`${name.padEnd(42)} ${value}`)
process.exit(0)

function phrasesIn(name) {
  return files
    .flatMap(({ path, text }) => textsOf(path, text))
    .reduce((total, text) => total + countPhrases(text)[name], 0)
}

function popupColumnFiles() {
  return files
    .filter(
      (f) =>
        !isTest(f) && !f.path.startsWith('scripts/') && /border_radius|borderRadius/.test(f.text),
    )
    .map((f) => f.path)
}

/** `if` and `?:`. */
function branchesOf(folder) {
  const own = typescript.filter(({ path }) => path.startsWith(`${folder}/`))
  const branches = own.reduce((total, { path }) => total + modules.get(path).branches, 0)
  return ((branches / sum(own)) * 1_000).toFixed(1)
}

function glossary() {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const section = page.split(/^## /m).find((part) => part.startsWith('Glossary')) ?? ''
  return section.split('\n').filter((line) => line.startsWith('| **'))
}

function groupBy(list, key) {
  const groups = new Map()
  for (const item of list) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return groups
}

function sum(list) {
  return list.reduce((total, { lines }) => total + lines, 0)
}

function spread(sorted, at = [0.5, 0.9]) {
  return [...at.map((q) => sorted[Math.floor(q * (sorted.length - 1))]), sorted.at(-1)].join(' / ')
}
