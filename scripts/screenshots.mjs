// Takes a picture of each screen of the running product at 360, 768, 1280 and 1920 px, light and dark, into
// .cache/screenshots, and looks with axe at the accessibility of each. Ends with code 1 where axe found something.
// Usage: npm run screenshots -- [--docs] [--states] [SCREEN...] (needs Chromium). It starts a server with a separate database.
// With --states it also takes each screen while its data is loading, and when it could not be loaded. With --docs it retakes
// the pictures in docs/images that are older than their screens, or those named.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { findChromium } from './chromium.mjs'
import { root } from './process.mjs'
import { setUp } from './setup.mjs'
import { takeDocsPictures } from './take-docs-pictures.mjs'

const forDocs = process.argv.includes('--docs')
const withStates = process.argv.includes('--states')
const images = join(root, '.cache/screenshots')
const port = 41_873
const base = `http://127.0.0.1:${port}`
const person = { email: 'ada@example.com', password: 'a difference engine' }
const newcomer = { email: 'grace@example.com', password: 'a moth in the relay' }
const admin = { email: 'katherine@example.com', password: 'go for orbit, by hand' }
const others = ['Dorothy Vaughan', 'Mary Jackson', 'Radia Perlman']

const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const links = [
  ['spring-menu', 'https://bistro.example/menus/spring-2027?table=terrace'],
  ['talk-slides', 'https://slides.example/ada/notes-on-the-analytical-engine'],
  [undefined, 'https://shop.example/products/fountain-pen-ink-tangerine'],
  [undefined, 'https://maps.example/place/Lovelace+House/@51.5174,-0.1489,17z'],
  [undefined, 'https://news.example/2027/03/14/a-short-history-of-long-links'],
  [undefined, 'https://forms.example/survey/how-did-you-like-the-workshop'],
]

const bioPage = {
  page: {
    slug: 'ada',
    title: 'Ada Lovelace',
    description: 'Notes on the Analytical Engine',
    theme_primary: '207 90% 36%',
    theme_background: '203 70% 96%',
    theme_text: '212 60% 15%',
  },
  links: [
    { title: 'Notes, volume one', url: 'https://shop.example/notes' },
    { title: 'Slides of my talk', url: 'https://slides.example/ada' },
    { title: 'Newsletter', url: 'https://letters.example/ada' },
  ],
  social_links: [
    { platform: 'github', url: 'https://github.com/ada' },
    { platform: 'youtube', url: 'https://youtube.com/@ada' },
    { platform: 'email', url: 'mailto:ada@example.com' },
  ],
}

const popup = {
  title: 'Ten percent off everything',
  description: 'Join the list and get the code for the spring collection.',
  cta_text: 'Get the code',
  cta_url: 'https://shop.example/join',
  collect_email: true,
}

/** `as`: the signed-in account. */
const screens = {
  home: { path: '/', ready: 'text=Shorten your URLs instantly' },
  auth: { path: '/auth', ready: 'input[type=password]' },
  'forgot-password': { path: '/auth/forgot', ready: 'text=Send Link' },
  'settings-profile': { path: '/settings', as: 'ada', ready: 'text=Current:' },
  'settings-security': { path: '/settings?tab=security', as: 'ada', ready: 'text=This device' },
  'settings-apps': { path: '/settings?tab=apps', as: 'ada', ready: 'text=No connected apps' },
  'settings-webhooks': { path: '/settings?tab=webhooks', as: 'ada', ready: 'text=No webhooks' },
  'settings-account': { path: '/settings?tab=account', as: 'ada', ready: 'text=Download JSON' },
  'link-page': { path: '/links/spring-menu', as: 'ada', ready: 'text=all-time' },
  analytics: { path: '/analytics', as: 'ada', ready: 'text=all-time' },
  'analytics-locked': {
    path: '/analytics',
    as: 'newcomer',
    ready: 'main >> text=Upgrade to view clicks',
  },
  'home-member': { path: '/', as: 'ada', ready: 'text=Custom codes' },
  affiliates: { path: '/affiliates', as: 'ada', ready: 'text=Your referral link' },
  'missing-codes': { path: '/dashboard/missing-codes', as: 'ada', ready: 'text=Missing codes' },
  'my-links': { path: '/dashboard', as: 'ada', ready: 'text=spring-menu' },
  'new-link': {
    path: '/dashboard',
    as: 'ada',
    ready: 'text=spring-menu',
    press: 'n',
    opens: 'dialog[open] >> text=Create and copy',
  },
  palette: {
    path: '/dashboard',
    as: 'ada',
    ready: 'text=spring-menu',
    press: 'Control+k',
    opens: 'dialog[open] >> text=/spring-menu',
  },
  'bio-link': { path: '/bio-link', as: 'ada', ready: 'text=Page Settings' },
  'popup-generator': { path: '/popup-generator', as: 'ada', ready: 'text=Or describe it' },
  'my-popups': { path: '/my-popups', as: 'ada', ready: 'text=Ten percent off' },
  audience: { path: '/audience', as: 'ada', ready: 'text=No addresses yet' },
  upgrade: { path: '/upgrade', as: 'newcomer', ready: 'text=Most Popular' },
  'first-steps': { path: '/dashboard', as: 'newcomer', ready: 'text=First steps' },
  admin: { path: '/admin', as: 'admin', ready: 'text=checks passed' },
  'admin-users': { path: '/admin/users', as: 'admin', ready: 'text=Total users' },
  'admin-system': { path: '/admin/system', as: 'admin', ready: 'text=Last checked at' },
  'admin-links': {
    path: '/admin/links?by=user&value=ada@example.com',
    as: 'admin',
    ready: 'text=spring-menu',
  },
  'admin-reports': { path: '/admin/reports', as: 'admin', ready: 'text=It asks for my card' },
  'bio-page': { path: '/ada', ready: 'text=Join @Ada Lovelace' },
  'popup-link': { path: '/spring-sale', ready: 'dialog[open]' },
  demo: { path: '/demo', ready: 'text=Demo Page' },
  404: { path: '/no/such/page', ready: 'text=Oops! Page not found' },
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const problems = []

await setUp()
if (forDocs) {
  const browser = await openBrowser()
  await takeDocsPictures(browser, only)
  await browser.close()
  process.exit(0)
}
const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-screenshots-'))
const server = spawn(process.execPath, [join(root, 'dist/server/main.js')], {
  env: {
    ...process.env,
    PORT: String(port),
    DATA_DIR: dataDir,
    PUBLIC_URL: 'https://hop.example',
    SANDBOX_PAYMENTS: 'on',
    LOG_LEVEL: 'error',
  },
  stdio: ['ignore', 'ignore', 'inherit'],
})
const browser = await openBrowser()
try {
  await ready()
  const sessions = await arrange()
  await mkdir(images, { recursive: true })
  const pictures = ['light', 'dark'].flatMap((theme) =>
    [360, 768, 1280, 1920].flatMap((width) => picturesOf(theme, width)),
  )
  // A few at once: most of the time a page waits.
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let picture = pictures.shift(); picture; picture = pictures.shift())
        await shoot({ ...picture, session: sessions[picture.screen.as] }).catch((error) =>
          problems.push(`${picture.name} ${picture.state}: ${error.message}`),
        )
    }),
  )
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  await browser.close()
  server.kill('SIGTERM')
  await once(server, 'exit')
  await rm(dataDir, { recursive: true, force: true })
}

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

function picturesOf(theme, width) {
  return Object.entries(screens)
    .filter(([name]) => only.length === 0 || only.includes(name))
    .flatMap(([name, screen]) => {
      const states = withStates && screen.as !== undefined ? ['', 'loading', 'failed'] : ['']
      return states.map((state) => ({ name, screen, state, theme, width }))
    })
}

async function ready() {
  for (let attempt = 0; attempt < 3000; attempt++) {
    if ((await fetch(`${base}/health/ready`).catch(() => undefined))?.ok) return
    await sleep(100)
  }
  throw new Error('the server did not start')
}

/** Through the API: a person with links and clicks, a new account, an admin and a few more people. */
async function arrange() {
  const { anonKey, serviceRoleKey } = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8'))
  const call = async (path, body, token, method = 'POST') => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        apikey: anonKey,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const session = await call(
    '/auth/v1/signup',
    { ...person, data: { display_name: 'Ada' } },
    anonKey,
  )
  await call(
    `/rest/v1/user_plans?user_id=eq.${session.user.id}`,
    { plan_type: 'business' },
    serviceRoleKey,
    'PATCH',
  )
  await call('/rest/v1/rpc/save_bio_page', bioPage, session.access_token)
  const [shown] = await call(
    '/rest/v1/popups',
    { ...popup, user_id: session.user.id },
    session.access_token,
  )
  const [sale] = await call(
    '/rest/v1/shortened_urls',
    {
      original_url: 'https://shop.example/spring',
      user_id: session.user.id,
      short_code: 'spring-sale',
    },
    session.access_token,
  )
  await call(
    `/rest/v1/shortened_urls?id=eq.${sale.id}`,
    { show_popup: true, popup_id: shown.id },
    session.access_token,
    'PATCH',
  )
  for (const [index, [code, url]] of links.toReversed().entries()) {
    const [link] = await call(
      '/rest/v1/shortened_urls',
      { original_url: url, user_id: session.user.id, ...(code && { short_code: code }) },
      session.access_token,
    )
    for (let visit = 0; visit < (index + 1) * 3 + (index % 2) * 11; visit++) {
      await fetch(`${base}/${link.short_code}`, {
        redirect: 'manual',
        headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
      })
    }
  }
  await sleep(1_500)
  for (const name of others) {
    const email = `${name.split(' ')[0].toLowerCase()}@example.com`
    await call(
      '/auth/v1/signup',
      { email, password: newcomer.password, data: { display_name: name } },
      anonKey,
    )
  }
  const boss = await call(
    '/auth/v1/signup',
    { ...admin, data: { display_name: 'Katherine Johnson' } },
    anonKey,
  )
  await call(
    `/rest/v1/user_roles?user_id=eq.${boss.user.id}`,
    { role: 'admin' },
    serviceRoleKey,
    'PATCH',
  )
  await report('talk-slides', 'phishing', 'It asks for my card number before the first slide.')
  return {
    ada: session,
    newcomer: await call('/auth/v1/signup', newcomer, anonKey),
    admin: boss,
  }
}

async function report(name, reason, details) {
  const response = await fetch(`${base}/report`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ name, reason, details, email: '' }),
    redirect: 'manual',
  })
  if (response.status >= 400) throw new Error(`/report: ${response.status}`)
}

async function shoot({ name, screen, state, theme, width, session }) {
  const context = await browser.newContext({
    viewport: { width, height: width === 360 ? 780 : 900 },
    colorScheme: theme,
    baseURL: base,
  })
  await context.addInitScript(
    ({ theme, session, settled }) => {
      localStorage.setItem('theme', theme)
      if (!session) return
      localStorage.setItem('hoplet.auth', JSON.stringify(session))
      if (settled)
        localStorage.setItem(`hoplet.checklist.${session.user.id}`, JSON.stringify({ away: true }))
    },
    { theme, session, settled: screen.as === 'ada' },
  )
  const page = await context.newPage()
  if (state !== '')
    await page.route(/\/(rest|auth|functions)\/v1\//, (route) =>
      state === 'failed' ? route.fulfill({ status: 500, json: {} }) : undefined,
    )
  await page.goto(screen.path)
  if (state !== '') {
    await page.waitForSelector('h1')
    // Failed requests are repeated before an error shows.
    await sleep(state === 'failed' ? 5_000 : 1_000)
  } else {
    await page.waitForSelector(screen.ready)
    if (screen.press !== undefined) {
      // The keys come with the sidebar, in a separate script.
      await page.waitForLoadState('networkidle')
      await page.keyboard.press(screen.press)
      await page.waitForSelector(screen.opens)
    }
  }
  await page.evaluate(() => document.fonts.ready)
  await sleep(300)
  const file = [name, state, width, theme].filter((part) => part !== '').join('-')
  await page.screenshot({ path: join(images, `${file}.png`) })
  problems.push(...(await accessibilityProblems(page)).map((problem) => `${file}: ${problem}`))
  await context.close()
}

async function accessibilityProblems(page) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => window.axe.run())
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
