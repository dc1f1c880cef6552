// Takes a picture of each screen of the running product, light and dark, into .cache/screenshots: in windows 360, 768, 1280 and
// 1920 px wide, at 200 % zoom (640x400) and 450 px high. Looks with axe at the accessibility of each, and measures layout
// shifts and sideways scrolling. Ends with code 1 where something is wrong.
// Usage: npm run screenshots -- [--docs] [--states] [SIZE | light | dark | SCREEN]... (needs Chromium). It starts a server with
// a separate database. With --states it also takes each screen while its data is loading, and when it could not be loaded.
// With --docs it retakes the pictures in docs/images that are older than their screens, or those named.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { findChromium } from '../chromium.mjs'
import { loadTypeScript } from '../load-typescript.mjs'
import { root } from '../process.mjs'
import { screens } from './screens.mjs'
import { setUp } from '../setup.mjs'
import { signIn, takeDocsPictures } from './take-docs-pictures.mjs'

const images = join(root, '.cache/screenshots')
const sizes = {
  360: { width: 360, height: 780 },
  768: { width: 768, height: 900 },
  1280: { width: 1280, height: 900 },
  1920: { width: 1920, height: 1080 },
  zoom: { width: 640, height: 400 },
  low: { width: 1280, height: 450 },
}
const themes = ['light', 'dark']
const accounts = ['business', 'hard', 'new', 'free', 'affiliate', 'admin']

const words = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const withStates = process.argv.includes('--states')
/** Those of the names that the command line has, or all. */
const chosen = (names) => {
  const named = names.filter((name) => words.includes(name))
  return named.length === 0 ? names : named
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const problems = []

await setUp()
if (process.argv.includes('--docs')) {
  const browser = await openBrowser()
  await takeDocsPictures(browser, words)
  await browser.close()
  process.exit(0)
}
const unknown = words.filter(
  (word) => ![screens, sizes].some((each) => word in each) && !themes.includes(word),
)
if (unknown.length > 0) throw new Error(`no such screen: ${unknown.join(', ')}`)
const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-screenshots-'))
const { startDemoServer } = await loadTypeScript('scripts/demo/demo-server.ts')
const server = await startDemoServer(dataDir, join(root, 'dist/web'), { withHardCases: true })
const browser = await openBrowser()
try {
  const sessions = Object.fromEntries(
    await Promise.all(
      accounts.map(async (name) => [name, await signIn(server, `${name}@demo.example`)]),
    ),
  )
  await mkdir(images, { recursive: true })
  const pictures = chosen(themes).flatMap((theme) =>
    chosen(Object.keys(sizes)).flatMap((size) => picturesOf(theme, size)),
  )
  // A few at once: most of the time a page waits.
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let picture = pictures.shift(); picture; picture = pictures.shift())
        await shoot({ ...picture, session: sessions[picture.screen.as] }).catch((error) =>
          problems.push(`${picture.file}: ${error.message}`),
        )
    }),
  )
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  await browser.close()
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
}
process.exit()

function openBrowser() {
  return chromium.launch({
    executablePath: findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

function picturesOf(theme, size) {
  return chosen(Object.keys(screens)).flatMap((name) => {
    const screen = screens[name]
    const states = withStates && screen.as !== undefined ? ['', 'loading', 'failed'] : ['']
    return states.map((state) => ({
      file: [name, state, size, theme].filter((part) => part !== '').join('-'),
      screen,
      state,
      theme,
      size,
    }))
  })
}

async function shoot({ file, screen, state, theme, size, session }) {
  const context = await browser.newContext({
    viewport: sizes[size],
    colorScheme: theme,
    baseURL: server.url,
    reducedMotion: 'reduce',
  })
  await context.addInitScript(prepare, { theme, session, isNew: screen.as === 'new' })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  page.waiting = new Set()
  page.on('request', (request) => page.waiting.add(request))
  for (const event of ['response', 'requestfailed'])
    page.on(event, (each) => page.waiting.delete(each.request?.() ?? each))
  page.on('pageerror', (error) => problems.push(`${file}: exception: ${error.message}`))
  try {
    const shifts = state === '' ? await open(page, screen) : await openInState(page, screen, state)
    await page.evaluate(() => document.fonts.ready)
    await sleep(300)
    const isDialogOpen = (await page.locator('dialog[open], [popover]:popover-open').count()) > 0
    problems.push(...(await problemsOf(page, shifts)).map((problem) => `${file}: ${problem}`))
    await page.screenshot({ path: join(images, `${file}.png`), fullPage: !isDialogOpen })
  } catch (error) {
    await page.screenshot({ path: join(images, `${file}.png`) })
    throw error
  } finally {
    await context.close()
  }
}

/** Runs in the page before its scripts. */
function prepare({ theme, session, isNew }) {
  localStorage.setItem('theme', theme)
  Object.assign(window, { shifts: [] })
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput)
        window.shifts.push({ value, moved: sources[0]?.node?.outerHTML?.slice(0, 120) })
  }).observe({ type: 'layout-shift', buffered: true })
  if (!session) return
  localStorage.setItem('hoplet.auth', JSON.stringify(session))
  if (!isNew)
    localStorage.setItem(`hoplet.checklist.${session.user.id}`, JSON.stringify({ away: true }))
}

/** Opens the screen and acts. @returns its layout shifts until it had loaded */
async function open(page, screen) {
  await page.goto(screen.path)
  await page.waitForSelector(screen.ready)
  await settled(page)
  const shifts = await page.evaluate(() => window.shifts)
  if (screen.act !== undefined) {
    await screen.act({ page })
    await settled(page)
  }
  return shifts
}

/** Waits until all requests have their answers; a live stream is answered when it begins. */
async function settled(page) {
  const began = Date.now()
  let quietSince = began
  while (Date.now() - quietSince < 300 && Date.now() - began < 10_000) {
    if (page.waiting.size > 0) quietSince = Date.now()
    await sleep(50)
  }
}

async function openInState(page, screen, state) {
  await page.route(/\/(rest|auth|functions)\/v1\//, (route) =>
    state === 'failed' ? route.fulfill({ status: 500, json: {} }) : undefined,
  )
  await page.goto(screen.path)
  await page.waitForSelector('h1')
  // Failed requests are repeated before an error shows.
  await sleep(state === 'failed' ? 5_000 : 1_000)
  return []
}

/** @param shifts layout shifts while the screen loaded */
async function problemsOf(page, shifts) {
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - window.innerWidth,
  )
  const moved = shifts.reduce((sum, { value }) => sum + value, 0)
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }))
  return [
    ...(sideways > 0 ? [`scrolls ${sideways} px sideways`] : []),
    // As in e2e/shell/layout-shifts.test.ts.
    ...(moved >= 0.05
      ? [`moves ${moved.toFixed(3)}: ${shifts.map((each) => each.moved).join(' | ')}`]
      : []),
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`),
  ]
}
