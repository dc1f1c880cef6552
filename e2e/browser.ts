import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import type { TestUser } from '#test/factories.ts'

/**
 * The last list on the command line counts, so it begins with Playwright's own list. The address bar's
 * pop-ups are two pages that every headless window would load without showing them: half of the work of
 * opening a page. The spare renderer is never used, because no profile lives long enough.
 */
const disabledFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
]

/** Debian's Chromium, without anything that calls home. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: inject('chromium'),
    // A busy machine may take longer than Playwright's 30 seconds.
    timeout: 300_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // On a busy machine the watchdog takes the drawing process for hung, and the browser ends with it.
      '--in-process-gpu',
      '--disable-gpu-watchdog',
      '--disable-quic',
      // A page lives for seconds: compiling its scripts well costs more than it saves, an eighth of the work.
      '--js-flags=--no-opt --no-maglev --no-sparkplug',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // No request leaves the machine, also where a redirect leads to a host that a test does not answer for.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      `--disable-features=${disabledFeatures.join()}`,
    ],
  })
}

export interface Visit {
  width?: number
  theme?: 'light' | 'dark'
  /** Already signed in, as if this browser had done it before. */
  user?: Pick<TestUser, 'session'>
  /** Default: true. */
  hasScript?: boolean
}

/** A person's browser: visits of a headless one do not count. */
export const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** A page in a fresh profile. Any fault in it (exception, console error, refused resource) fails the test. */
export async function openPage(browser: Browser, base: string, visit: Visit = {}): Promise<Page> {
  const context: BrowserContext = await browser.newContext({
    userAgent,
    baseURL: base,
    viewport: { width: visit.width ?? 1280, height: 900 },
    colorScheme: visit.theme ?? 'light',
    // A menu that still moves can be missed by a press.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
    javaScriptEnabled: visit.hasScript ?? true,
  })
  await context.addInitScript(
    ({ theme, session }) => {
      if (localStorage.getItem('theme') === null) localStorage.setItem('theme', theme)
      if (session && !sessionStorage.getItem('arranged')) {
        localStorage.setItem('hoplet.auth', JSON.stringify(session))
        sessionStorage.setItem('arranged', 'yes')
      }
    },
    { theme: visit.theme ?? 'light', session: visit.user?.session },
  )
  await recordNotices(context)
  context.on('page', waitForScripts)
  const page = await context.newPage()
  page.setDefaultTimeout(Number(process.env['WAIT'] ?? 240_000))
  // A test may end while one of its routes still handles a request. That must not fail the run.
  const close = context.close.bind(context)
  context.close = async (options) => {
    await Promise.all(context.pages().map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })))
    await close(options)
  }
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !expectedConsole.test(message.text()))
      faults.push(`console: ${message.text()}`)
  })
  return page
}

/** A prerendered screen takes no keys until the app has replaced it. */
function waitForScripts(page: Page): void {
  const goto = page.goto.bind(page)
  const reload = page.reload.bind(page)
  const isReplaced = async (waitUntil?: string) => {
    if (waitUntil === 'commit') return
    await page.locator('#app[data-prerendered]').waitFor({ state: 'detached' })
  }
  page.goto = async (url, options) => {
    const response = await goto(url, options)
    await isReplaced(options?.waitUntil)
    return response
  }
  page.reload = async (options) => {
    const response = await reload(options)
    await isReplaced(options?.waitUntil)
    return response
  }
}

// The browser itself reports each 4xx that a script met; the screens show those to the person.
const expectedConsole = /^Failed to load resource: the server responded with a status of 4\d\d/

const faults: string[] = []

/** Takes the faults that a test brought about on purpose off the list. */
export function forgive(expected: RegExp): void {
  const others = faults.filter((fault) => !expected.test(fault))
  faults.splice(0, faults.length, ...others)
}

/** Call after each test: nothing unexpected may have happened in any page. */
export function expectNoFaults(): void {
  expect(faults.splice(0)).toEqual([])
}

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Accessibility of the page in its current state: axe finds nothing with the WCAG 2.2 AA rules and its best practices. */
export async function expectAccessible(page: Page): Promise<void> {
  // Half faded in, a text has too little contrast for a moment. Endless animations are not waited for.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== 'running' || effect?.getComputedTiming().endTime === Infinity,
      ),
  )
  await page.evaluate(await axeSource)
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
      }
    }
    const result = await axe.run({ resultTypes: ['violations'] })
    return result.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`,
    )
  })
  expect(violations).toEqual([])
}

/** Signs a person in through the screen. */
export async function signIn(page: Page, user: { email: string; password: string }): Promise<void> {
  await page.goto('/auth')
  await page.getByLabel('Email').fill(user.email)
  await page.getByLabel('Password', { exact: true }).fill(user.password)
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
  await page.waitForURL('**/dashboard')
}

/** The texts of the toasts that a page has shown. */
const shownNotices = new WeakMap<Page, string[]>()

/** A toast goes after seconds, and a busy machine may look too late. */
async function recordNotices(context: BrowserContext): Promise<void> {
  await context.exposeBinding('recordNotice', ({ page }, text: string) => {
    shownNotices.set(page, [...(shownNotices.get(page) ?? []), text])
  })
  await context.addInitScript(() => {
    const { recordNotice } = window as unknown as { recordNotice(text: string): void }
    const selector = '[data-sonner-toast]'
    const record = (node: Node) => {
      if (!(node instanceof Element)) return
      const toasts = node.matches(selector) ? [node] : node.querySelectorAll(selector)
      for (const toast of toasts) recordNotice(toast.textContent)
    }
    const observer = new MutationObserver((changes) => {
      for (const { addedNodes } of changes) addedNodes.forEach(record)
    })
    observer.observe(document, { childList: true, subtree: true })
  })
}

/** The texts of the toasts so far. */
export const noticesOf = (page: Page): readonly string[] => shownNotices.get(page) ?? []

/** Waits for the toast with this title and description; one of the same title may stand there already. */
export async function expectNotice(page: Page, title: string, description = ''): Promise<void> {
  const toast = page
    .locator('[data-sonner-toast]')
    .filter({ hasText: title })
    .filter({ hasText: description })
  const before = noticesOf(page).length
  const wasShown = () =>
    noticesOf(page)
      .slice(before)
      .some((text) => text.includes(title) && text.includes(description))
  await expect
    .poll(async () => wasShown() || (await toast.first().isVisible()), {
      message: `the notice ${title} ${description}`,
    })
    .toBe(true)
}

/**
 * The widths to look at in a theme: each theme and each width once. `LOOKS=all npm test` takes every pair, for twice the
 * time.
 */
export function widthsOf(theme: 'light' | 'dark'): number[] {
  if (process.env['LOOKS'] === 'all') return [360, 1280]
  return theme === 'light' ? [1280] : [360]
}
