import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { freePort } from '#test/free-port.ts'
import { findChromium } from '../scripts/chromium.mjs'
import { startBenchServer } from './shared/built-server.ts'
import { categories, type Device, prepareLighthouse, type Scores } from './shared/lighthouse.ts'
import { addLinks, codeOf, type BenchUser, signUp } from './shared/people.ts'

// Lighthouse on the screens that people see most, and how soon the list of a person with 100,000 links answers to keys.
// Everything on one machine: other work on it shows in the figures.

const many = 100_000
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)

const browserOptions = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const server = await startBenchServer({ env: { RATE_LIMITS: 'off' } })
const profile = join(server.folder, 'profile')
try {
  const person = await arrange()
  console.log(`Lighthouse, the median of ${rounds}: ${categories.join(', ')}`)
  await audit(
    {
      Home: '/',
      Auth: '/auth',
      'Bio page': '/bench-bio',
      'Popup page': '/bench-popup',
      Demo: '/demo',
    },
    (run) => join(server.folder, run),
  )
  await inProfile((page) => rememberSession(page, person))
  await audit(
    { 'My Links': '/dashboard', 'Link page': `/links/${codeOf(person.id, 5)}` },
    // A copy: a browser that is ended at once may leave its storage locked.
    (run) => {
      cpSync(profile, join(server.folder, run), { recursive: true })
      return join(server.folder, run)
    },
  )
  await inProfile(measureKeys)
} finally {
  await server.close()
}
process.exit(0)

/** A person on the business plan with a bio page, a link with a popup and very many links. */
async function arrange(): Promise<BenchUser> {
  const person = await signUp(server.url)
  const { database } = server
  await database.query(`update app.user_plans set plan_type = 'business' where user_id = $1`, [
    person.id,
  ])
  await addLinks(database, person.id, 0, many)
  await database.query(
    `with page as (
       insert into app.bio_pages (user_id, slug, title, description)
       values ($1, 'bench-bio', 'Ada Lovelace', 'Notes on the Analytical Engine') returning id)
     insert into app.bio_links (bio_page_id, title, url, link_order)
     select page.id, 'A link to page ' || n, 'https://example.com/' || n, n from page, generate_series(1, 10) n`,
    [person.id],
  )
  await database.query(
    `with popup as (
       insert into app.popups (user_id, title, description, cta_url)
       values ($1, 'Ten percent off', 'Everything in the shop, today only.', 'https://shop.example/') returning id)
     insert into app.shortened_urls (user_id, short_code, original_url, show_popup, popup_id)
     select $1, 'bench-popup', 'https://example.com/landing', true, popup.id from popup`,
    [person.id],
  )
  return person
}

/** Something done by hand in the profile that Lighthouse's browser uses too. */
async function inProfile(act: (page: Page) => Promise<void>): Promise<void> {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium() ?? '',
    baseURL: server.url,
    viewport: { width: 1280, height: 900 },
    args: browserOptions,
  })
  try {
    await act(await context.newPage())
  } finally {
    await context.close()
  }
}

async function rememberSession(page: Page, { session }: BenchUser): Promise<void> {
  await page.goto('/no/such/page')
  await page.evaluate(
    (stored) => localStorage.setItem('hoplet.auth', stored),
    JSON.stringify(session),
  )
}

/** @param profileOf where the browser of a run keeps its storage: a new folder is a new visitor */
async function audit(
  screens: Record<string, string>,
  profileOf: (run: string) => string,
): Promise<void> {
  for (const [name, path] of Object.entries(screens)) {
    for (const device of ['mobile', 'desktop'] satisfies Device[]) {
      const taken: Scores[] = []
      for (let round = 0; round < rounds; round++)
        taken.push(await auditOnce(path, device, profileOf(`${name}-${device}-${round}`)))
      taken.sort((a, b) => (a.scores[0] ?? 0) - (b.scores[0] ?? 0))
      const median = taken[Math.floor(rounds / 2)]
      if (median !== undefined) console.log(lineOf(name, device, median))
    }
  }
}

/** In a browser that Playwright does not hold: pages of Lighthouse would be in its background, and paint nothing. */
async function auditOnce(path: string, device: Device, ownProfile: string): Promise<Scores> {
  const port = await freePort()
  const own = ['--headless', `--remote-debugging-port=${port}`, `--user-data-dir=${ownProfile}`]
  // A separate process group: the program is a script that starts the browser, and ends alone.
  const browser = spawn(findChromium() ?? '', [...own, ...browserOptions, 'about:blank'], {
    stdio: 'ignore',
    detached: true,
  })
  const ended = once(browser, 'exit')
  try {
    return await prepareLighthouse(port)(server.url + path, device)
  } finally {
    process.kill(-(browser.pid ?? 0))
    await ended
  }
}

function lineOf(name: string, device: Device, taken: Scores): string {
  return [
    name.padEnd(10),
    device.padEnd(8),
    taken.scores.map((score) => String(score).padStart(3)).join(' '),
    `largest paint ${(taken.largestPaintMs / 1_000).toFixed(1)} s`,
    `shift ${taken.layoutShift.toFixed(3)}`,
    ...taken.failed,
  ].join('  ')
}

/** How long keys and presses take until the next picture, and the longest picture while j is held down. */
async function measureKeys(page: Page): Promise<void> {
  await page.addInitScript(followInteractions)
  await page.goto('/dashboard')
  await page.getByRole('article').first().waitFor()
  const idle = await framesDuring(page, () => page.waitForTimeout(5_000))
  const held = await framesDuring(page, async () => {
    await page.keyboard.down('j')
    for (let row = 1; row < 1_000; row++) await page.keyboard.down('j')
    await page.keyboard.up('j')
  })
  console.log(`\n${many.toLocaleString('en-US')} links`)
  console.log(`the page at rest for 5 s: longest frame ${idle.longest} ms, ${idle.long} over 50 ms`)
  console.log(`j held for 1,000 rows: longest frame ${held.longest} ms, ${held.long} over 50 ms`)
  await page.goto('/dashboard')
  await page.getByRole('article').first().waitFor()
  for (let row = 0; row < 20; row++) await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('x')
  await page.keyboard.press('/')
  await page.keyboard.type('needle-7-')
  await page.getByRole('article').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^More/ }).first().click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Find links').waitFor()
  await page.keyboard.type('needle-9')
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await page.getByRole('dialog', { name: 'New link' }).waitFor()
  await page.keyboard.type('shop.example/spring')
  await page.waitForTimeout(1_000)
  const worst = await page.evaluate(() => (window as unknown as { worst: () => string[] }).worst())
  console.log(`interactions, the slowest first: ${worst.join(', ')}`)
}

/** In the page: keeps the longest event of each interaction. */
function followInteractions(): void {
  const interactions = new Map<number, { name: string; duration: number }>()
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { interactionId, duration, name } = entry as PerformanceEventTiming & {
        interactionId: number
      }
      if (interactionId === 0 || (interactions.get(interactionId)?.duration ?? 0) >= duration)
        continue
      interactions.set(interactionId, { name, duration })
    }
  }).observe({ type: 'event', buffered: true, durationThreshold: 16 } as PerformanceObserverInit)
  Object.assign(window, {
    worst: () =>
      [...interactions.values()]
        .toSorted((a, b) => b.duration - a.duration)
        .slice(0, 5)
        .map(({ name, duration }) => `${name} ${duration} ms`),
  })
}

/** The time between pictures while something happens, in milliseconds. */
async function framesDuring(
  page: Page,
  act: () => Promise<unknown>,
): Promise<{ longest: number; long: number }> {
  await page.evaluate(() => {
    const state = { gaps: [] as number[], isDone: false }
    Object.assign(window, { frames: state })
    let last = performance.now()
    const step = (now: number) => {
      state.gaps.push(now - last)
      last = now
      if (!state.isDone) requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
  await act()
  return page.evaluate(() => {
    const { frames } = window as unknown as { frames: { gaps: number[]; isDone: boolean } }
    frames.isDone = true
    return {
      longest: Math.round(Math.max(...frames.gaps)),
      long: frames.gaps.filter((gap) => gap > 50).length,
    }
  })
}
