/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { pressInMenu } from '../menus.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
let user: TestUser

setStage(async (stage) => {
  ;({ server, browser } = stage)
  user = await makeUser(server, { plan: 'pro', data: { display_name: 'Mika Laine' } })
  await makeLink(server, user, {
    short_code: 'spring-menu',
    original_url: 'https://example.com/menus/spring',
  })
  await makeLink(server, user, { short_code: 'x'.repeat(50) })
})

const screens = (page: Page) => page.getByRole('navigation', { name: 'Screens' }).first()

describe('a person who is signed in', () => {
  it(
    'reaches every screen from the sidebar and its menu, and sees the current place and the remaining quota',
    { tags: ['gate'] },
    async () => {
      const page = await openPage(browser, server.url, { user })
      await page.goto('/dashboard')
      const nav = screens(page)
      await nav.getByRole('link', { name: 'My Links 2' }).waitFor()
      for (const [name, path] of [
        ['Link Shortener', '/'],
        [/^My Links/, '/dashboard'],
        ['Bio Link', '/bio-link'],
        [/^My Popups/, '/my-popups'],
      ] as const) {
        await nav.getByRole('link', { name }).click()
        await page.waitForURL((url) => url.pathname === path)
        await expect
          .poll(() => nav.getByRole('link', { name }).getAttribute('aria-current'))
          .toBe('page')
        await page.getByRole('heading', { level: 1 }).first().waitFor()
      }
      await expect.poll(() => page.getByRole('link', { name: 'Admin' }).count()).toBe(0)
      const sidebar = page.getByRole('complementary').first()
      await expect
        .poll(() => sidebar.innerText())
        .toMatch(/Pro[^]*resets in \d+ h[^]*48 of 50 links left[^]*Go Business/)
      for (const [name, path] of [
        ['Upgrade', '/upgrade'],
        ['Affiliates', '/affiliates'],
        ['Settings', '/settings'],
        ['Help', '/help'],
      ] as const) {
        const account = page.getByRole('button', { name: /^Mika Laine.*account$/ })
        await pressInMenu(account, page.getByRole('link', { name, exact: true }).last())
        await page.waitForURL((url) => url.pathname === path)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
      }
      await page.context().close()
    },
  )

  it('has one left edge on every screen, and the window is used at 1920 px', async () => {
    const page = await openPage(browser, server.url, { user, width: 1920 })
    const edge = () =>
      page
        .getByRole('heading', { level: 1 })
        .first()
        .evaluate((title) => Math.round(title.getBoundingClientRect().x))
    await page.goto('/')
    // To the right of the sidebar. A title of a skeleton that leaves while it is asked for is at 0.
    await expect.poll(edge).toBeGreaterThan(232)
    const first = await edge()
    for (const path of ['/dashboard', '/bio-link', '/my-popups', '/affiliates', '/settings']) {
      await page.goto(path)
      await expect.poll(edge).toBe(first)
    }
    await page.goto('/dashboard')
    const main = page.getByRole('main').locator('> *').first()
    await expect.poll(async () => (await main.boundingBox())?.width).toBeGreaterThanOrEqual(1_180)
    await page.context().close()
  })

  it('still has the header: logo, theme, and the menu with every entry', async () => {
    for (const width of [360, 1280]) {
      const page = await openPage(browser, server.url, { user, width })
      await page.goto('/settings')
      await page.getByRole('link', { name: 'Hoplet' }).first().waitFor()
      await page.getByRole('button', { name: 'Theme' }).waitFor()
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      const menu = page.getByRole('navigation', { name: 'Main' })
      await expect
        .poll(() => menu.getByRole('link').allTextContents())
        .toEqual([
          'Dashboard',
          'Link Shortener',
          'Bio Link',
          'My Links',
          'Popup Generator',
          'Upgrade',
          'Affiliates',
        ])
      await page.getByRole('link', { name: 'Get Started' }).waitFor()
      await page.getByRole('button', { name: 'Sign Out' }).waitFor()
      await page.context().close()
    }
  })

  it('on a phone has a tab bar, which covers nothing, and everything else under You', async () => {
    const page = await openPage(browser, server.url, { user, width: 360 })
    await page.goto('/dashboard')
    const bar = page.getByRole('navigation', { name: 'Screens' })
    await bar.getByRole('link', { name: 'Analytics' }).click()
    await page.waitForURL('**/analytics')
    await bar.getByRole('button', { name: 'You' }).click()
    await page.getByRole('dialog', { name: 'You' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('link', { name: 'Affiliates' }).click()
    await page.waitForURL('**/affiliates')
    await page.getByRole('heading', { name: 'Affiliates' }).waitFor()
    const isCovered = async () => {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
      const end = await page.locator('main > *').last().boundingBox()
      const top = await bar.boundingBox()
      return (end?.y ?? 0) + (end?.height ?? 0) > (top?.y ?? 0)
    }
    await expect.poll(isCovered).toBe(false)
    for (const target of await bar.locator('a, button').all()) {
      const box = await target.boundingBox()
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44)
    }
    await page.context().close()
  })

  it('is accessible in every shape of the shell', async () => {
    const page = await openPage(browser, server.url, { user, width: 800 })
    await page.goto('/dashboard')
    await screens(page)
      .getByRole('link', { name: /^My Links/ })
      .waitFor()
    await look(page, 'shell')
    await page.setViewportSize({ width: 800, height: 420 })
    await expectAccessible(page)
    await page.context().close()
  })
})

describe('an admin', () => {
  it('has the admin screens in the same shell, and My Links with one press', async () => {
    const page = await openPage(browser, server.url, {
      user: await makeUser(server, { role: 'admin' }),
    })
    await page.goto('/admin')
    const nav = screens(page)
    await nav.getByRole('link', { name: 'Audit Log' }).click()
    await page.waitForURL('**/admin/audit')
    await nav.getByRole('link', { name: 'All Links', exact: true }).click()
    await page.waitForURL('**/admin/links')
    await nav.getByRole('link', { name: /^My Links/ }).click()
    await page.waitForURL('**/dashboard')
    await nav.getByRole('link', { name: 'Admin', exact: true }).click()
    await page.waitForURL('**/admin')
    await page.context().close()
  })
})

describe('the command palette', () => {
  it('finds links, screens and actions by keyboard alone, the last chosen first', async () => {
    const page = await openPage(browser, server.url, { user })
    await page.goto('/settings')
    await screens(page).waitFor()
    const palette = page.getByRole('dialog', { name: 'Find anything' })
    const open = async () => {
      await page.keyboard.press('Control+k')
      await palette.getByPlaceholder('Find links').waitFor()
    }
    await open()
    await palette.getByRole('option', { name: /spring-menu/ }).waitFor()
    await expectAccessible(page)
    await page.keyboard.type('copy spring')
    await palette.getByRole('option', { name: 'Copy spring-menu' }).waitFor()
    await expect.poll(() => palette.getByRole('option').count()).toBe(1)
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Copied!', 'Link copied to clipboard')
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`${server.url}/spring-menu`)
    await open()
    await expect
      .poll(() => palette.getByRole('option').first().innerText())
      .toContain('Copy spring-menu')
    await page.keyboard.type('dark theme')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.evaluate(() => document.documentElement.classList.contains('dark')))
      .toBe(true)
    await open()
    await page.keyboard.type('spring')
    await palette.getByRole('option', { name: '/spring-menu' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/links/spring-menu')
    await open()
    await page.keyboard.type('xyzzy')
    await palette.getByText('Nothing matches').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => palette.count()).toBe(0)
    await page.context().close()
  })

  it('finds settings, and sections of the documentation by other words', async () => {
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await screens(page).waitFor()
    const palette = page.getByRole('dialog', { name: 'Find anything' })
    const open = async (words: string) => {
      await page.keyboard.press('Control+k')
      await palette.getByPlaceholder('Find links').fill(words)
    }
    const names: [string, string, RegExp][] = [
      ['webhook', 'Settings', /^Webhooks/],
      ['csv', 'Screens', /^Audience/],
      ['import', 'Actions', /^New link/],
      ['bitly', 'Documentation', /^Links from another service/],
      ['transfer', 'Settings', /^Account/],
      ['2fa', 'Settings', /^Security/],
      ['cname', 'Settings', /^Domains/],
      ['api key', 'Settings', /^API Keys/],
    ]
    for (const [words, group, name] of names) {
      await open(words)
      await palette.getByRole('group', { name: group }).getByRole('option', { name }).waitFor()
      await page.keyboard.press('Escape')
      await palette.waitFor({ state: 'hidden' })
    }
    await open('password')
    await palette.getByRole('option', { name: 'Password Settings, Security' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/settings?tab=security')
    await page.getByRole('heading', { name: 'Password' }).waitFor()
    await open('from another service')
    await palette.getByRole('option', { name: /^Links from another service/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/links#links-from-another-service')
    await page.context().close()
  })

  it('opens no other link while the search is on its way', async () => {
    const page = await openPage(browser, server.url, { user })
    await page.goto('/settings')
    await screens(page).waitFor()
    await page.route('**/rpc/search_links', () => {})
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Find anything' })
    // The newest link comes first.
    await palette.getByRole('option', { name: 'x'.repeat(50) }).waitFor()
    await palette.getByRole('option', { name: '/spring-menu' }).waitFor()
    await page.keyboard.type('spring')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/links\//)
    expect(new URL(page.url()).pathname).toBe('/links/spring-menu')
    await page.context().close()
  })

  it('is not opened by keys that are meant for a field, and ? shows the keys', async () => {
    const page = await openPage(browser, server.url, { user, width: 360 })
    await page.goto('/settings')
    const name = page.getByRole('textbox', { name: 'Display name' })
    await name.fill('')
    await name.press('n')
    await name.press('?')
    await expect.poll(() => name.inputValue()).toBe('n?')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await keys.getByText('Find anything').waitFor()
    // Not on the X, which the browser would choose.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('Keyboard shortcuts')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'hidden' })
    await page.keyboard.press('n')
    await page.getByRole('dialog', { name: 'New link' }).waitFor()
    await page.context().close()
  })
})
