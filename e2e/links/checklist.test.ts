/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, openPage, widthsOf } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { makePopup } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage), { isFresh: true })

const steps = ['Shorten a link', 'Get its QR code', 'Build your bio page', 'Create a popup']
const checklist = (page: Page) => page.getByRole('region', { name: 'First steps' })

/** The titles of ticked lines. */
async function ticked(page: Page): Promise<string[]> {
  // After the first link they are folded to one line.
  const more = checklist(page).getByRole('button', { name: 'Show first steps' })
  if ((await more.count()) === 1) await more.click()
  const texts = await checklist(page).getByRole('link').allTextContents()
  return steps.filter((step) => texts.some((text) => text.startsWith(`Done:${step}`)))
}

async function makeBioPage(user: TestUser): Promise<void> {
  const response = await fetch(`${server.url}/rest/v1/rpc/save_bio_page`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ page: { slug: `bio-${user.id.slice(0, 8)}`, title: 'Ada' } }),
  })
  expect(response.ok).toBe(true)
}

describe('the first steps on My Links', () => {
  it('lead a new account to where each is done', async () => {
    const page = await openPage(browser, server.url, { user: await makeUser(server) })
    await page.goto('/dashboard')
    await checklist(page).getByText('0 of 4 done').waitFor()
    expect(await ticked(page)).toEqual([])
    // The first account of a server without an admin.
    await checklist(page)
      .getByText(/npm run admin -- user-.+@example\.com/)
      .waitFor()
    for (const [step, path] of [
      ['Shorten a link', '/'],
      ['Get its QR code', '/'],
      ['Build your bio page', '/bio-link'],
      ['Create a popup', '/popup-generator'],
    ] as const) {
      await checklist(page).getByRole('link', { name: step }).click()
      await page.waitForURL((url) => url.pathname === path)
      await page.goBack()
    }
    // A link that is made on this screen counts at once, and the next step opens the QR code of the newest one.
    await page.keyboard.press('n')
    const compose = page.getByRole('dialog', { name: 'New link' })
    for (const code of ['older', 'newest']) {
      await compose.getByLabel('Destination').fill('example.com/long')
      await compose.getByLabel('Short link').fill(`${code}-code`)
      await compose.getByRole('button', { name: 'Create and copy' }).click()
      await compose.waitFor({ state: 'hidden' })
      await checklist(page).getByText('1 of 4 done').waitFor()
      await page.getByRole('article', { name: `/${code}-code` }).waitFor()
      if (code === 'older') await page.keyboard.press('n')
    }
    const qrCode = checklist(page).getByRole('link', { name: 'Get its QR code' })
    await expect.poll(() => qrCode.getAttribute('href')).toBe('/links/newest-code#qr')
    await qrCode.click()
    await page.waitForURL('**/links/newest-code#qr')
    await page.getByRole('button', { name: 'Download QR Code' }).waitFor()
    await page.context().close()
  })

  it('hide the admin command from every other account', async () => {
    const page = await openPage(browser, server.url, { user: await makeUser(server) })
    await page.goto('/dashboard')
    await checklist(page).getByText('0 of 4 done').waitFor()
    expect(await checklist(page).getByText('npm run admin').count()).toBe(0)
    await page.context().close()
  })

  it('first steps are ticked when they are done, and disappear when all are', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/')
    await page.getByPlaceholder(/https?:\/\//).fill('https://example.com/long')
    await page.getByRole('button', { name: 'Shorten' }).click()
    await page.getByRole('button', { name: 'Show QR Code' }).click()
    await page.goto('/dashboard')
    await expect.poll(() => ticked(page)).toEqual(steps.slice(0, 1))
    await page.goto('/')
    await page.getByPlaceholder(/https?:\/\//).fill('https://example.com/other')
    await page.getByRole('button', { name: 'Shorten' }).click()
    await page.getByRole('button', { name: 'Show QR Code' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download QR Code' }).click()
    await download
    await page.goto('/dashboard')
    await expect.poll(() => ticked(page)).toEqual(steps.slice(0, 2))
    await makePopup(server, user)
    await page.reload()
    await expect.poll(() => ticked(page)).toEqual([steps[0], steps[1], steps[3]])
    await checklist(page).getByText('3 of 4 done').waitFor()
    await makeBioPage(user)
    await page.reload()
    await page.getByRole('article').first().waitFor()
    await expect.poll(() => checklist(page).count()).toBe(0)
    await page.context().close()
  })

  it('tick the QR code of another browser too, when the plan counts it', async () => {
    const user = await makeUser(server, { plan: 'pro' })
    await server.sql(`update app.user_usage set daily_qr_codes = 1 where user_id = $1`, [user.id])
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await expect.poll(() => ticked(page)).toEqual([steps[1]])
    // Tomorrow the server counts from nothing again; ticked lines stay ticked.
    await server.sql(`update app.user_usage set daily_qr_codes = 0 where user_id = $1`, [user.id])
    await page.reload()
    await expect.poll(() => ticked(page)).toEqual([steps[1]])
    await page.context().close()
  })

  it('can be dismissed by keyboard, for this account and for good', async () => {
    const user = await makeUser(server)
    await makeLink(server, user)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Dismiss first steps' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => checklist(page).count()).toBe(0)
    // The list has the focus, so that its keys act.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.hasAttribute('data-quiet-focus')))
      .toBe(true)
    await page.reload()
    await page.getByRole('article').first().waitFor()
    await page.waitForTimeout(300)
    await expect.poll(() => checklist(page).count()).toBe(0)
    const other = await makeUser(server)
    await page.evaluate(
      (session) => localStorage.setItem('hoplet.auth', JSON.stringify(session)),
      other.session,
    )
    await page.reload()
    await checklist(page).waitFor()
    await page.context().close()
  })

  for (const theme of ['light', 'dark'] as const) {
    for (const width of widthsOf(theme)) {
      it(`are accessible and do not scroll sideways: ${theme}, ${width} px`, async () => {
        const user = await makeUser(server)
        await makeLink(server, user)
        const page = await openPage(browser, server.url, { theme, width, user })
        await page.goto('/dashboard')
        await checklist(page).getByText('1 of 4 done').waitFor()
        await page.waitForTimeout(300)
        await expectAccessible(page)
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overflow).toBeLessThanOrEqual(0)
        await page.context().close()
      })
    }
  }
})
