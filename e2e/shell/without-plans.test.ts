import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, openPage } from '../browser.ts'
import { type Stage, setStage } from '../stage.ts'

/** Words about plans. */
const wordsOfPlans =
  /\b(?:plans?|upgrade|pricing|go pro|free(?! tea)|business|quotas?|affiliates?|commissions?|payouts?|referral|get started)\b|\bleft\b/i

let stage: Stage
let person: TestUser
let admin: TestUser

setStage(
  async (ready) => {
    stage = ready
    person = await makeUser(stage.server)
    admin = await makeUser(stage.server, { role: 'admin' })
    await makeLink(stage.server, person, { short_code: 'spring-menu' })
  },
  { environment: () => ({ RATE_LIMITS: 'off', PLANS: 'off' }) },
)

/** The words on a screen, with the names that only screen readers hear. */
async function wordsOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    const named = [...document.querySelectorAll('[aria-label], [title], [placeholder]')]
    return [
      document.title,
      document.body.textContent,
      ...named.flatMap((each) =>
        ['aria-label', 'title', 'placeholder'].map((name) => each.getAttribute(name) ?? ''),
      ),
    ].join('\n')
  })
}

const screensOfPeople: [path: string, ready: string][] = [
  ['/', 'Shorten your URLs instantly'],
  ['/dashboard', 'spring-menu'],
  ['/links/spring-menu', 'Behavior'],
  ['/analytics', 'Analytics'],
  ['/bio-link', 'Bio'],
  ['/my-popups', 'Popups'],
  ['/audience', 'Audience'],
  ['/settings', 'Settings'],
  ['/settings?tab=security', 'Active sessions'],
  ['/settings?tab=apps', 'Connected Apps'],
  ['/settings?tab=api-keys', 'API Keys'],
  ['/settings?tab=webhooks', 'Webhooks'],
  ['/settings?tab=account', 'Export your data'],
  ['/help', 'Help'],
]
const screensOfAdmins: [path: string, ready: string][] = [
  ['/admin', 'Admin'],
  ['/admin/users', 'User Management'],
  ['/admin/system', 'System Status'],
]

async function expectNoPlans(user: TestUser | undefined, screens: [string, string][]) {
  const { browser, server } = stage
  const page = await openPage(browser, server.url, { width: 360, ...(user && { user }) })
  const found: Record<string, string[]> = {}
  for (const [path, ready] of screens) {
    await page.goto(path)
    await page.getByText(ready).first().waitFor()
    // Nothing is loading any more.
    await page.waitForFunction(() => document.querySelector('.animate-pulse') === null)
    await expectAccessible(page)
    const words = (await wordsOf(page))
      .split('\n')
      .filter((line) => wordsOfPlans.test(line) && line.length < 2_000)
    if (words.length > 0) found[path] = words
  }
  await page.context().close()
  expect(found).toEqual({})
}

it('no screen of a visitor names a plan where there are none', { tags: ['extended'] }, async () => {
  await expectNoPlans(undefined, [
    ['/', 'Shorten your URLs instantly'],
    ['/auth', 'Password'],
    ['/auth?mode=sign-up', 'Create your account'],
  ])
})

it('the dialog that asks a visitor to sign in names no plan where there are none', async () => {
  const page = await openPage(stage.browser, stage.server.url, { width: 360 })
  await page.goto('/')
  await page.getByLabel('Long URL').fill('https://example.com')
  await page.getByRole('button', { name: 'Shorten' }).click()
  const dialog = page.getByRole('dialog', { name: 'Login Required' })
  await dialog.getByRole('link', { name: 'Create account' }).waitFor()
  expect(await dialog.textContent()).not.toMatch(/free|plan/i)
  await page.context().close()
})

it('no screen of a member names a plan where there are none', async () => {
  await expectNoPlans(person, screensOfPeople)
})

it('no screen of an admin names a plan where there are none', { tags: ['extended'] }, async () => {
  await expectNoPlans(admin, screensOfAdmins)
})

it('the menu has no entry of plans, and a pasted address of Upgrade is no page', async () => {
  const { browser, server } = stage
  const page = await openPage(browser, server.url, { width: 1280, user: person })
  await page.goto('/dashboard')
  await page.getByText('spring-menu').first().waitFor()
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByText('Popup Generator').waitFor()
  expect(await menu.getByText(/Upgrade|Affiliates/).count()).toBe(0)
  expect(await page.getByText('Get Started').count()).toBe(0)
  const answer = await page.goto('/upgrade')
  expect(answer?.status()).toBe(404)
  await page.context().close()
})
