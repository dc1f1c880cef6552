// Writes the documents of dist/web/.documents, which the server sends for their paths instead of index.html: the screens that
// people arrive at, as they are before anything is known. Their scripts come after the first paint (web/public/theme.js).
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, root } from './process.mjs'

const { linkPath, prerender } = await import(
  pathToFileURL(join(root, 'dist/server/prerender.js')).href
)
const screens = {
  home: { path: '/', modules: [] },
  auth: { path: '/auth', modules: ['features/auth/auth-screen.tsx'] },
  dashboard: {
    path: '/dashboard',
    modules: [
      'features/links/list/my-links-screen.tsx',
      'shell/member-navigation.tsx',
      'ui/toasts/toaster.tsx',
    ],
    isMember: true,
  },
  analytics: {
    path: '/analytics',
    modules: [
      'features/analytics/analytics-screen.tsx',
      'shell/member-navigation.tsx',
      'ui/toasts/toaster.tsx',
      'features/analytics/places/world-map.tsx',
    ],
    isMember: true,
  },
  link: {
    path: linkPath,
    modules: [
      'features/links/page/link-screen.tsx',
      'shell/member-navigation.tsx',
      'ui/toasts/toaster.tsx',
    ],
    // The parts that the screen asks for as soon as it is drawn.
    withParts: true,
    isMember: true,
    // Of its title.
    font: /^geist-mono-latin-wght-normal-.*\.woff2$/,
  },
}

const empty = '<div id="app"></div>'
const html = readFileSync(join(root, 'dist/web/index.html'), 'utf8')
const manifest = JSON.parse(readFileSync(join(root, 'dist/web/.vite/manifest.json'), 'utf8'))
const bare = html.replaceAll(
  /\s*<(?:script type="module"[^>]*><\/script>|link rel="modulepreload"[^>]*>)/g,
  '',
)
if (!html.includes(empty) || bare === html)
  fail('index.html has no empty element #app or no script.')
const app = filesOf('index.html', new Set())

for (const hasPlans of [true, false])
  for (const [name, screen] of Object.entries(screens)) await writeDocument(name, screen, hasPlans)
process.exit(0)

async function writeDocument(name, { path, modules, withParts, isMember = false, font }, hasPlans) {
  const folder = join(root, `dist/web/.documents${hasPlans ? '' : '/without-plans'}`)
  mkdirSync(folder, { recursive: true })
  const markup = await prerender(path, { isMember, hasPlans })
  if (!markup.includes('</h1>')) fail(`${path} could not be prerendered.`)
  const known = new Set(app)
  const screen = modules.flatMap((module) => filesOf(module, known))
  if (withParts === true)
    for (const part of manifest[modules[0]].dynamicImports ?? [])
      screen.push(...filesOf(part, known))
  const scripts = `data-app="${app.join(' ')}" data-screen="${screen.join(' ')}"`
  const kind = name === 'home' ? 'home' : isMember ? 'member' : 'visitor'
  writeFileSync(
    join(folder, `${name}.html`),
    bare
      .replace(
        '<script src="/theme.js">',
        `${preloadFont(font)}<script src="/theme.js" ${scripts}>`,
      )
      .replace(
        empty,
        () => `<div id="app" data-prerendered="${kind}">${usableOf(kind, markup)}</div>`,
      ),
  )
}

/** The scripts of a module that are not known yet, each after those that it imports. */
function filesOf(key, known) {
  const { file, imports = [] } = manifest[key] ?? fail(`${key} was not built.`)
  const path = `/${file}`
  if (known.has(path)) return []
  known.add(path)
  return [...imports.flatMap((imported) => filesOf(imported, known)), path]
}

/** Input on Home is kept (web/app/prerendered-home.ts); other forms cannot be used until their script is here. */
function usableOf(kind, markup) {
  return kind === 'home' ? markup : markup.replaceAll('<form ', '<form inert ')
}

function preloadFont(name) {
  if (name === undefined) return ''
  const file = readdirSync(join(root, 'dist/web/assets')).find((each) => name.test(each))
  return `<link rel="preload" href="/assets/${file}" as="font" type="font/woff2" crossorigin>`
}
