// Reads the structure of the code from its text: exported names, imports, sizes. Used by check-structure.mjs, which
// fails the build, and by measure.mjs, which prints figures.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseSync } from 'oxc-parser'
import { root } from '../process.mjs'

export const sourceFolders = ['server', 'web', 'domain', 'public-pages']
const toolFolders = ['scripts', 'bench']
export const testFolders = ['test', 'e2e']

/** Every script, style sheet and migration that is or will be committed: `{ path, text, lines }`. */
export const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(ts|tsx|mjs|css|sql)$/.test(path))
  .flatMap((path) => {
    try {
      return [{ path, text: readFileSync(join(root, path), 'utf8') }]
    } catch {
      return [] // deleted, not committed yet
    }
  })
  .map((file) => ({ ...file, lines: file.text.split('\n').length - 1 }))

export const isTest = ({ path }) =>
  /\.test\.tsx?$/.test(path) || testFolders.includes(path.split('/')[0])

/** The product's files, without tests. */
export const source = files.filter(
  (f) => sourceFolders.includes(f.path.split('/')[0]) && !isTest(f),
)
export const typescript = source.filter(({ path }) => /\.(ts|tsx|mjs)$/.test(path))

/**
 * By path: `{ functions, branches, imports, exports }`: its functions by their first line and length, its `if` and `?:`, and
 * repository paths it imports.
 */
export const modules = new Map(typescript.map((f) => [f.path, readModule(f)]))

function readModule({ path, text }) {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`)
  const lineAt = lineIndex(text)
  const found = { functions: [], branches: 0, imports: [], exports: [] }
  visitNodes(program, (node) => {
    if (
      /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) &&
      node.body
    ) {
      const line = lineAt(node.start)
      found.functions.push({ line, lines: lineAt(node.end) - line + 1 })
    }
    if (/^(IfStatement|ConditionalExpression)$/.test(node.type)) found.branches++
    if (/^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type) && node.source) {
      const target = resolve(path, node.source.value)
      if (target) found.imports.push(target)
    }
    // A part that is loaded later is still a part of the circle.
    if (node.type === 'ImportExpression' && typeof node.source.value === 'string') {
      const target = resolve(path, node.source.value)
      if (target) found.imports.push(target)
    }
    if (node.type === 'ExportNamedDeclaration' && node.declaration) {
      const { declaration } = node
      if (declaration.id) found.exports.push(declaration.id.name)
      for (const { id } of declaration.declarations ?? []) if (id.name) found.exports.push(id.name)
    }
  })
  return found
}

/** Calls `each` with a node and all nodes in it. */
export function visitNodes(node, each) {
  if (Array.isArray(node)) {
    for (const item of node) visitNodes(item, each)
  } else if (node && typeof node === 'object') {
    if (typeof node.type === 'string') each(node)
    for (const value of Object.values(node))
      if (value && typeof value === 'object') visitNodes(value, each)
  }
}

function lineIndex(text) {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle] <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** The repository's path of an import, or undefined for a package. */
function resolve(from, specifier) {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier))
  if (specifier.startsWith('#')) return specifier.slice(1)
  return undefined
}

/** Functions of more than `maxLines` lines in the product and its tools: `{ path, line, lines }`. */
export function longFunctions(maxLines) {
  const tools = files.filter(
    (f) => toolFolders.includes(f.path.split('/')[0]) && /\.(ts|mjs)$/.test(f.path) && !isTest(f),
  )
  const all = new Map([...modules, ...tools.map((f) => [f.path, readModule(f)])])
  return [...all].flatMap(([path, { functions }]) =>
    functions.filter(({ lines }) => lines > maxLines).map((each) => ({ path, ...each })),
  )
}

/** Names that two files export: jump-to-symbol would be a lottery. `[name, paths]`. */
export function exportedTwice() {
  const seen = new Map()
  for (const [path, { exports }] of modules) {
    for (const name of new Set(exports)) seen.set(name, [...(seen.get(name) ?? []), path])
  }
  return [...seen].filter(([, paths]) => paths.length > 1).sort(([a], [b]) => a.localeCompare(b))
}

/** Folders with more than `maxFiles` files, tests included. Migrations cannot move: `[folder, files]`. */
export function fullFolders(maxFiles) {
  const counts = new Map()
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  counts.delete('database/migrations')
  return [...counts].filter(([, count]) => count > maxFiles)
}

/** Groups of files that import each other in a circle, type-only and later imports included (Tarjan's algorithm). */
export function importCycles() {
  let counter = 0
  const index = new Map()
  const low = new Map()
  const stack = []
  const cycles = []
  const connect = (path) => {
    index.set(path, counter)
    low.set(path, counter++)
    stack.push(path)
    for (const target of modules.get(path)?.imports ?? []) {
      if (!modules.has(target)) continue
      if (!index.has(target)) connect(target)
      if (stack.includes(target)) low.set(path, Math.min(low.get(path), low.get(target)))
    }
    if (low.get(path) !== index.get(path)) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1) cycles.push(group)
  }
  for (const path of modules.keys()) if (!index.has(path)) connect(path)
  return cycles
}
