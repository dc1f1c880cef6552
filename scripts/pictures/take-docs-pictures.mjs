import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  docsPictures,
  readRecord,
  recordPath,
  screenHash,
  stalePictures,
} from './docs-pictures.mjs'
import { loadTypeScript } from '../load-typescript.mjs'
import { root } from '../process.mjs'

const size = { width: 1280, height: 900 }

/**
 * Takes the pictures of the documentation, from a server with the demo accounts.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string[]} names none: those that are older than their screens
 */
export async function takeDocsPictures(browser, names) {
  const wanted = names.length > 0 ? names : stalePictures()
  if (wanted.length === 0) return console.log('No picture is older than its screen.')
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-pictures-'))
  const { startDemoServer } = await loadTypeScript('scripts/demo/demo-server.ts')
  const server = await startDemoServer(dataDir, join(root, 'dist/web'))
  try {
    for (const name of wanted) {
      await take(browser, server, name)
      console.log(`docs/images/${name}*.png`)
    }
    const record = { ...readRecord() }
    for (const name of wanted) record[name] = screenHash(name)
    await writeFile(recordPath, `${JSON.stringify(record, null, 2)}\n`)
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function take(browser, server, name) {
  const { before, isLight, ...screen } = docsPictures[name]
  for (const theme of isLight ? ['light'] : ['light', 'dark']) {
    const path = join(root, 'docs/images', `${name}${theme === 'dark' ? '-dark' : ''}.png`)
    const picture = await pictureOf(browser, server, screen, { theme, viewport: size })
    if (before === undefined) await writeFile(path, picture)
    else {
      const half = { ...size, width: size.width / 2 }
      const left = await pictureOf(browser, server, before, { theme, viewport: half })
      await writeFile(path, await pasted(browser, theme, left, picture))
    }
  }
}

async function pictureOf(browser, server, screen, { theme, viewport }) {
  const { path, account, ready, press, follow, opens, part } = screen
  const session = account && (await signIn(server, `${account}@demo.example`))
  const context = await browser.newContext({
    viewport,
    colorScheme: theme,
    baseURL: server.url,
    reducedMotion: 'reduce',
  })
  await context.addInitScript(
    ({ session, theme }) => {
      localStorage.setItem('theme', theme)
      if (!session || localStorage.getItem('hoplet.auth')) return
      localStorage.setItem('hoplet.auth', JSON.stringify(session))
      localStorage.setItem(`hoplet.checklist.${session.user.id}`, JSON.stringify({ away: true }))
    },
    { session, theme },
  )
  const page = await context.newPage()
  await page.goto(path)
  await page.waitForSelector(ready)
  if (opens !== undefined) {
    const [role, name] = press === undefined ? ['link', follow] : ['button', press]
    await page.getByRole(role, { name }).first().click()
    await page.waitForSelector(opens)
  }
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {}) // a live stream stays open
  await page.evaluate(() => document.fonts.ready)
  const picture = await (part ? page.locator(part) : page).screenshot()
  await context.close()
  return picture
}

/** Two pictures beside each other. */
async function pasted(browser, theme, ...pictures) {
  const page = await browser.newPage({ viewport: size })
  const images = pictures.map(
    (picture) => `<img src="data:image/png;base64,${picture.toString('base64')}">`,
  )
  await page.setContent(
    `<body style="margin:0;display:flex;align-items:center;justify-content:space-evenly;height:900px;background:${theme === 'dark' ? '#15120f' : '#fbf8f2'}">
      <style>img { max-height: 868px; max-width: 616px } img:first-of-type { border-radius: 18px }</style>${images.join('')}</body>`,
  )
  const whole = await page.screenshot()
  await page.close()
  return whole
}

export async function signIn({ url, anonKey, password }, email) {
  const response = await fetch(`${url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  if (!response.ok) throw new Error(`signing in: ${response.status} ${await response.text()}`)
  return response.json()
}
