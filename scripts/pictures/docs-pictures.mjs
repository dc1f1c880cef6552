// The pictures of the README: which screens they show, and whether they are older than those.
// A picture is stale when the markup of its screen changed: elements, classes, texts and style sheets of the components that
// the screen imports. Logic and comments do not count. docs/images/pictures.json has the hash at which each was taken.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { files, modules, visitNodes } from '../checks/code-structure.mjs'
import { root } from '../process.mjs'

/**
 * `account`: the account that is signed in. `press`: a button by its accessible name, pressed before the picture is taken; `follow`: a link instead.
 * `part`: only this element. `before`: the page on its left, as visitors see it. `isLight`: it looks the same on dark systems.
 */
export const docsPictures = {
  link: {
    path: '/links/harbour-reads',
    account: 'business',
    ready: 'text=Devices',
    sources: ['web/features/links/page/link-screen.tsx', 'web/shell/app-shell.tsx'],
  },
  analytics: {
    path: '/analytics',
    account: 'business',
    ready: 'text=Devices',
    sources: ['web/features/analytics/analytics-screen.tsx', 'web/shell/app-shell.tsx'],
  },
  'bio-page': {
    path: '/harbour',
    isLight: true,
    ready: 'dialog[open]',
    press: 'Close',
    opens: 'text=Gift cards',
    sources: [
      'public-pages/bio/bio-page.tsx',
      'public-pages/bio/bio-page.css',
      'public-pages/frame/visitor.css',
    ],
  },
  popup: {
    path: '/my-popups',
    account: 'pro',
    ready: 'text=Ten percent off',
    follow: / of Ten percent off/,
    opens: 'text=Seen by',
    part: '[data-popup-results]',
    before: { path: '/mika-evening', ready: 'dialog[open]' },
    sources: [
      'web/features/popups/results/results-screen.tsx',
      'public-pages/popup/interstitial.tsx',
      'public-pages/popup/popup.css',
    ],
  },
}

export const recordPath = join(root, 'docs/images/pictures.json')

/** The names of the pictures that are older than their screens. */
export function stalePictures() {
  const recorded = readRecord()
  return Object.keys(docsPictures).filter((name) => recorded[name] !== screenHash(name))
}

/** @returns {Record<string, string>} the hash of its screen by the name of each picture */
export function readRecord() {
  try {
    return JSON.parse(readFileSync(recordPath, 'utf8'))
  } catch {
    return {}
  }
}

export function screenHash(name) {
  const hash = createHash('sha256')
  for (const path of componentsOf(docsPictures[name].sources))
    hash.update(path.endsWith('.css') ? rulesOf(textOf(path)) : markupOf(path, textOf(path)))
  return hash.digest('hex').slice(0, 16)
}

/** The components and style sheets that these files import, themselves included, in a fixed order. */
function componentsOf(sources) {
  const found = new Set()
  const add = (path) => {
    if (found.has(path) || !/\.(tsx|css)$/.test(path)) return
    if (textOf(path) === undefined) throw new Error(`${path} does not exist`)
    found.add(path)
    for (const imported of modules.get(path)?.imports ?? []) add(imported)
  }
  for (const path of sources) add(path)
  if (sources.some((path) => path.startsWith('web/'))) add('web/app.css')
  return [...found].sort((a, b) => a.localeCompare(b))
}

function textOf(path) {
  return files.find((file) => file.path === path)?.text
}

function rulesOf(css) {
  return css.replaceAll(/\/\*[^]*?\*\//g, '')
}

/**
 * Elements, texts and literals inside JSX, and the literals of lists that stand apart from it.
 *
 * @param {string} path
 * @param {string} text
 */
export function markupOf(path, text) {
  const parts = []
  const add = (node) =>
    visitNodes(node, (part) => {
      if (part.type === 'JSXIdentifier') parts.push(part.name)
      if (part.type === 'JSXText') parts.push(part.value.trim())
      if (part.type === 'Literal') parts.push(String(part.value))
    })
  const { program } = parseSync(path, text)
  visitNodes(program, (node) => {
    if (node.type === 'JSXElement') add(node)
  })
  for (const statement of program.body) {
    const { declarations = [] } = statement.declaration ?? statement
    for (const { init } of declarations) if (isList(init)) add(init)
  }
  return parts.join('\n')
}

/** A list or a record, also with a type behind it. */
function isList(node) {
  if (/^TS(As|Satisfies)Expression$/.test(node?.type ?? '')) return isList(node.expression)
  return /^(Array|Object)Expression$/.test(node?.type ?? '')
}
