/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'
import { translatedTexts, translatePages } from './translator.ts'

let server: BuiltServer
let browser: Browser
let member: TestUser
let admin: TestUser
setStage(async (stage) => {
  ;({ server, browser } = stage)
  member = await makeUser(server, { plan: 'business' })
  admin = await makeUser(server, { role: 'admin' })
  await makeLink(server, member, { short_code: 'translated', title: 'Spring menu' })
  await makeLink(server, member, { short_code: 'translated-2', tags: ['red'] })
  await server.sql(
    `insert into app.popups (user_id, title, cta_text, cta_url) values ($1, 'Letter', 'Go', 'https://example.com/')`,
    [member.id],
  )
})

async function openTranslated(user?: TestUser): Promise<Page> {
  const page = await openPage(browser, server.url, user ? { user } : {})
  await translatePages(page)
  return page
}

/** The screen is there, translated, and no part of it has failed. */
async function expectWorks(page: Page): Promise<void> {
  await expect.poll(() => translatedTexts(page)).toBeGreaterThan(3)
  expect(await page.getByText('Something went wrong').count()).toBe(0)
}

describe('with a browser that translates the page', () => {
  it('a visitor types an address, gets hints, and a short link', { tags: ['gate'] }, async () => {
    const page = await openTranslated(member)
    await page.goto('/')
    await expectWorks(page)
    const address = page.getByLabel('Long URL')
    for (const text of ['no', 'https://', '', 'https://example.com/a'])
      await address.pressSequentially(text)
    await address.fill('https://example.com/translated')
    await page.getByRole('button', { name: 'Shorten' }).click()
    await expectNotice(page, '✨ URL Shortened!')
    await expectWorks(page)
    await page.context().close()
  })

  it('a text that changes is translated again, and shows its new words', async () => {
    const page = await openTranslated(member)
    await page.goto('/dashboard')
    await page.getByText('Spring menu').waitFor()
    await page.getByLabel('Search links').fill('nothing like this')
    await page.getByText('Clear Search').waitFor()
    await page.getByLabel('Search links').fill('')
    await page.getByText('Spring menu').waitFor()
    for (const box of (await page.getByRole('checkbox', { name: /^Select / }).all()).slice(0, 2)) {
      await box.check()
      await expectWorks(page)
    }
    await page.getByText('2 selected').waitFor()
    await page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .uncheck()
    await page.getByText('1 selected').waitFor()
    expect(await page.getByText('2 selected').count()).toBe(0)
    await page.context().close()
  })

  it('a link is made in the dialog, edited, and deleted', async () => {
    const page = await openTranslated(member)
    await page.goto('/dashboard')
    await page.getByText('Spring menu').waitFor()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog')
    for (const text of ['ex', 'ample.com', '/new'])
      await dialog.getByLabel('Destination').pressSequentially(text)
    await dialog.getByRole('button', { name: 'Create and copy' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('example.com/new').first().waitFor()
    await expectWorks(page)
    await page.context().close()
  })

  const screens = [
    '/',
    '/dashboard',
    '/links/translated',
    '/analytics',
    '/bio-link',
    '/popup-generator',
    '/my-popups',
    '/audience',
    '/affiliates',
    '/upgrade',
    '/help',
    '/settings',
    '/dashboard/missing-codes',
    '/settings?tab=api-keys',
    '/settings?tab=webhooks',
  ]
  it.each(screens)('every button of %s can be pressed', async (path) => {
    const page = await openTranslated(member)
    await pressAll(page, path)
  })

  it.each(['', '/users', '/links', '/reports', '/payouts', '/audit', '/missing-codes', '/system'])(
    'every button of the admin screen "%s" can be pressed',
    async (path) => {
      const page = await openTranslated(admin)
      await pressAll(page, `/admin${path}`)
    },
  )

  it.each(['/', '/auth', '/auth/forgot', '/404', '/upgrade'])(
    'every button of %s can be pressed by visitors',
    async (path) => {
      const page = await openTranslated()
      await pressAll(page, path)
    },
  )

  it('visitors give their address in a popup, and open the code of a bio page', async () => {
    const columns = { collect_email: true, consent_text: 'Write to me' }
    const link = await plantPopupLink(server.sql, columns, 'https://destination.example/')
    const page = await openTranslated()
    await page.context().route(/^https:\/\//, (route) => route.fulfill({ body: 'There' }))
    await page.goto(`/${link.code}`)
    await page.getByRole('dialog').getByText('Write to me').waitFor()
    await expect.poll(() => translatedTexts(page)).toBeGreaterThan(3)
    await page.getByLabel('Email address').fill('me@example.com')
    await page.keyboard.press('Enter')
    await page.waitForURL('https://destination.example/')
    const bio = await plantBio(server.sql)
    await page.goto(`${server.url}/${bio.slug}`)
    await expect.poll(() => translatedTexts(page)).toBeGreaterThan(1)
    for (const button of await page.getByRole('button').all())
      if (await button.isVisible()) await button.click({ timeout: 2_000 }).catch(() => {})
    await page.context().close()
  })
})

/** Presses the buttons of a screen one after the other, each on a new page where the last one left it. */
async function pressAll(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expectWorks(page)
  const names = await page
    .locator('main button:visible:enabled')
    .evaluateAll((all) => all.map((_, index) => index))
  for (const index of names.slice(0, 30)) {
    const button = page.locator('main button:visible:enabled').nth(index)
    const isLeaving = /^(sign out|delete|save|manage|get started|upgrade|continue|export|download)/i
    const name = (await button.textContent({ timeout: 1_000 }).catch(() => '')) ?? ''
    if (isLeaving.test(name.trim())) continue
    await button.click({ timeout: 2_000, noWaitAfter: true }).catch(() => {})
    expect(await page.getByText('Something went wrong').count()).toBe(0)
    await page.keyboard.press('Escape')
    if (new URL(page.url()).pathname !== new URL(path, server.url).pathname) {
      await page.goto(path)
      await expectWorks(page)
    }
  }
  await expectWorks(page)
  await page.context().close()
}

// Some buttons refuse, or ask the server for something that is not there.
afterEach(() => forgive(/status of 4\d\d/))
