/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { makeAdmin, makeAffiliate, makeReport } from './admin-plant.ts'
import { expectAccessible, forgive, openPage, widthsOf } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
let admin: TestUser

setStage(
  async (stage) => {
    ;({ server, browser } = stage)
    admin = await makeAdmin(server)
    const grace = await makeUser(server, {
      email: 'grace.hopper@example.com',
      plan: 'business',
      data: { display_name: 'Grace Hopper' },
    })
    await makeUser(server, { email: 'alan@example.com', data: { display_name: 'Alan Turing' } })
    await makeLink(server, grace, {
      short_code: 'spring-menu',
      original_url: `https://bistro.example/menus/spring?${'table=terrace&'.repeat(12)}`,
    })
    await makeLink(server, grace, {
      short_code: 'talk',
      original_url: 'https://slides.example/talk',
    })
    await makeReport(server, {
      name: 'spring-menu',
      details: 'It asked for my card number.\nThat is not the bistro.',
      reporter: 'visitor@example.com',
    })
    await makeAffiliate(server, 'ada@example.com')
  },
  { isFresh: true },
)

const menuItems = [
  ['Dashboard', '/admin'],
  ['User Management', '/admin/users'],
  ['System Status', '/admin/system'],
  ['All Links', '/admin/links'],
  ['Missing Codes', '/admin/missing-codes'],
  ['Reports', '/admin/reports'],
  ['Payouts', '/admin/payouts'],
  ['Audit Log', '/admin/audit'],
] as const

async function openMenu(page: Page) {
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  return page.getByRole('navigation', { name: 'Admin' })
}

describe('the header menu among the admin screens', () => {
  it('leads to each of them', async () => {
    const page = await openPage(browser, server.url, { user: admin })
    await page.goto('/admin')
    for (const [name, path] of menuItems) {
      const menu = await openMenu(page)
      await expect
        .poll(() => menu.getByRole('link').allTextContents())
        .toEqual(menuItems.map(([item]) => item))
      await menu.getByRole('link', { name, exact: true }).click()
      await page.waitForURL(`**${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    await page.context().close()
  })

  it('leaves to the dashboard of links, until an admin screen is opened again', async () => {
    const page = await openPage(browser, server.url, { user: admin })
    await page.goto('/dashboard')
    await page.waitForURL('**/admin')
    await openMenu(page)
    await page.getByRole('link', { name: 'Exit Admin' }).click()
    await page.waitForURL('**/dashboard')
    await page.getByRole('heading', { name: 'My Links' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'My Links' }).waitFor()
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Admin' })
      .click()
    await page.waitForURL('**/admin')
    await page.getByRole('heading', { name: 'Admin', level: 1 }).waitFor()
    await page.goto('/dashboard')
    await page.waitForURL('**/admin')
    await page.context().close()
  })

  it('signs out to the home screen', async () => {
    const page = await openPage(browser, server.url, { user: await makeAdmin(server) })
    await page.goto('/admin')
    await openMenu(page)
    await page.getByRole('button', { name: 'Sign Out' }).click()
    await page.waitForURL(`${server.url}/`)
    await page.context().close()
  })
})

const allChecksPassed = /All \d+ checks passed/

describe('the dashboard', () => {
  it('has the cards, the text of System Status and the real status', async () => {
    const page = await openPage(browser, server.url, { user: admin })
    await page.goto('/admin')
    const card = (name: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
    await card('System Status').getByText('All systems operational').waitFor()
    await expect.poll(() => card('System Status').innerText()).toMatch(allChecksPassed)
    const [{ count } = { count: 0 }] = await server.sql<{ count: number }>(
      'select count(*)::int as count from app.profiles',
    )
    await card('User Management').getByText(`${count} users`).waitFor()
    // Other screens are in the sidebar, and their open work is above.
    expect(
      await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents(),
    ).toEqual(['Needs attention', 'Last 30 days', 'User Management', 'System Status'])
    const waiting = page.getByRole('region', { name: 'Needs attention' }).getByRole('link')
    await expect
      .poll(() => waiting.allTextContents())
      .toEqual([
        '1 open report',
        '$1.75 due to 1 affiliate',
        '1 held commission',
        'Your admin account has no second factor: set one up',
      ])
    const days = page.getByRole('table', { name: 'Sign-ups, new links and clicks by day' })
    await expect.poll(() => days.getByRole('row').count()).toBe(31)
    await expect
      .poll(() => days.getByRole('row').last().getByRole('cell').first().textContent())
      .toBe(String(count))
    await card('User Management').getByRole('link').click()
    await page.waitForURL('**/admin/users')
    await page.getByRole('link', { name: 'Back to Admin' }).click()
    await page.waitForURL('**/admin')
    await page.context().close()
  })
})

describe('System Status', () => {
  it('shows the status of each part in words, and its time', async () => {
    const page = await openPage(browser, server.url, { user: admin })
    await page.goto('/admin/system')
    for (const name of ['Database', 'Migrations', 'Click counting', 'Mail', 'Disk', 'Versions']) {
      await page
        .getByRole('region', { name, exact: true })
        .getByText('OK', { exact: true })
        .waitFor()
    }
    await page.getByText(/^Last checked at /).waitFor()
    const asked = page.waitForRequest('**/functions/v1/system-status')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await asked
    await page.context().close()
  })

  it('tells a warning from a failure, in words too', async () => {
    const page = await openPage(browser, server.url, { user: admin })
    await page.route('**/functions/v1/system-status', (route) =>
      route.fulfill({
        json: {
          checkedAt: '2031-05-06T12:00:00Z',
          database: { ok: false, error: 'The database does not answer' },
          outbox: { ok: true, waiting: 0, failed: 3 },
          disk: {
            ok: false,
            freeBytes: 1_000,
            totalBytes: 9_000,
            error: 'The disk is nearly full',
          },
          clicks: { ok: true, mode: 'journal', someNewFact: 7 },
        },
      }),
    )
    await page.goto('/admin/system')
    const part = (name: string) => page.getByRole('region', { name, exact: true })
    await part('Database').getByText('Failed').waitFor()
    await part('Database').getByText('The database does not answer').waitFor()
    await part('Mail').getByText('Warning').waitFor()
    await part('Disk').getByText('Warning').waitFor()
    await part('Disk').getByText('9 kB').waitFor()
    await part('Click counting').getByText('OK', { exact: true }).waitFor()
    await part('Click counting').getByText('Some new fact').waitFor()
    await page.getByText('Needs a look: Database, Mail, Disk').waitFor()
    await page.context().close()
  })

  it('says when it cannot be asked, and tries again', async () => {
    const page = await openPage(browser, server.url, { user: admin })
    await page.route('**/functions/v1/system-status', (route) => route.fulfill({ status: 500 }))
    await page.goto('/admin/system')
    await page.getByRole('alert').getByText('Failed to load the system status').waitFor()
    await page.unroute('**/functions/v1/system-status')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await page.getByRole('region', { name: 'Database' }).waitFor()
    forgive(/status of 500/)
    await page.context().close()
  })
})

describe('people who are not admins', () => {
  it.each(menuItems)('are sent home from %s', async (_, path) => {
    for (const visit of [{}, { user: await makeUser(server) }]) {
      const page = await openPage(browser, server.url, visit)
      await page.goto(path)
      await page.waitForURL(`${server.url}/`)
      await page.context().close()
    }
  })
})

it('the admin screens keep their titles while they load and when that fails, accessible in both themes', async () => {
  for (const theme of ['light', 'dark'] as const) {
    const page = await openPage(browser, server.url, { theme, width: 360, user: admin })
    // Each screen in one of the themes: they share the panels for both states.
    for (const [name, path] of menuItems.filter((_, i) => i % 2 === Number(theme === 'dark'))) {
      if (path === '/admin/users') await page.setViewportSize({ width: 768, height: 900 })
      // Neither the role nor the screen's content is answered before the look at it.
      let answer = () => {}
      const held = new Promise<void>((resolve) => {
        answer = resolve
      })
      const calls = /\/(rest\/v1\/rpc\/(?:admin_|missed_codes)|functions\/v1\/system-status)/
      await page.route(calls, async (route) => {
        await held
        await route.fulfill({ status: 503, body: '{}' })
      })
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.locator('.animate-pulse').first().waitFor()
      await expectAccessible(page)
      answer()
      await page.getByRole('alert').first().waitFor()
      await expect
        .poll(() => page.getByRole('heading', { level: 1 }).count(), { message: name })
        .toBe(1)
      await expectAccessible(page)
      await page.unroute(calls)
    }
    await page.context().close()
  }
  forgive(/status of 503/)
})

it('a row of the users is low on a phone, and long texts are cut, not the window', async () => {
  const page = await openPage(browser, server.url, { width: 360, user: admin })
  await makeUser(server, {
    email: `${'long'.repeat(15)}@${'a'.repeat(60)}.example.com`,
    data: { display_name: 'n'.repeat(100) },
  })
  await page.goto('/admin/users')
  await page.getByText('Total users').waitFor()
  for (const row of await page.getByRole('row').all()) {
    if ((await row.getByRole('cell').count()) === 0) continue
    expect((await row.boundingBox())?.height).toBeLessThan(80)
  }
  await page.context().close()
})

const looks = [
  ['admin', '/admin', allChecksPassed],
  ['admin-links-latest', '/admin/links', 'Newest'],
  ['admin-users', '/admin/users', 'Total users'],
  ['admin-system', '/admin/system', 'Last checked at'],
  ['admin-links', '/admin/links?by=user&value=grace.hopper@example.com', 'spring-menu'],
  ['admin-reports', '/admin/reports', 'It asked for my card number'],
  ['admin-payouts', '/admin/payouts', 'Same mailbox'],
  ['admin-audit', '/admin/audit', 'block'],
] as const

async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES)
    await page.screenshot({ path: `${process.env.PICTURES}/${name}.png`, fullPage: true })
}

for (const theme of ['light', 'dark'] as const) {
  for (const width of widthsOf(theme)) {
    it(`all screens are accessible and do not scroll sideways: ${theme}, ${width} px`, async () => {
      const page = await openPage(browser, server.url, { theme, width, user: admin })
      const code = `look-${theme}-${width}`
      await makeLink(server, admin, { short_code: code, original_url: 'https://slides.example/1' })
      await page.goto(`/admin/links?by=code&value=${code}`)
      await page.getByRole('button', { name: `Block ${code}` }).click()
      await page.getByLabel('Reason').fill('Pretends to be a bank')
      await page.waitForTimeout(250)
      await expectAccessible(page)
      await takePicture(page, `admin-block-${width}-${theme}`)
      await page.getByRole('dialog').getByRole('button', { name: 'Block', exact: true }).click()
      await page
        .getByRole('table', { name: 'Blocked now' })
        .getByRole('button', { name: `Unblock ${code}` })
        .waitFor()
      for (const [name, path, ready] of looks) {
        await page.goto(path)
        await page.getByText(ready).first().waitFor()
        await page.waitForTimeout(200)
        await expectAccessible(page)
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overflow, name).toBeLessThanOrEqual(0)
        await takePicture(page, `${name}-${width}-${theme}`)
      }
      await page.context().close()
    })
  }
}
