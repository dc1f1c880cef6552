/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { connectionTexts } from '#domain/texts/session-texts.ts'
import { makeUser } from '#test/factories.ts'
import { forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))
afterEach(() => forgive(/404|dynamically imported|script of a screen/))

/** Scripts that the page has not loaded answer 404, as after an update of the server, until it loads a new document. */
async function update(page: Page): Promise<void> {
  let isOld = true
  page.on('request', (request) => {
    if (request.resourceType() === 'document') isOld = false
  })
  await page.route('**/assets/*.js', (route) =>
    isOld ? route.fulfill({ status: 404, body: 'Not Found' }) : route.fallback(),
  )
}

const reload = (page: Page) => page.getByRole('button', { name: 'Reload', exact: true })

async function pressForKeys(page: Page): Promise<number> {
  const dialog = page.getByRole('dialog')
  if ((await dialog.count()) === 0) await page.keyboard.press('?')
  return dialog.count()
}

describe('a tab from before an update', () => {
  it('signs in, and comes to the screens of the new version with at most one press of Reload', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url)
    await page.goto('/auth')
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill(user.password)
    await update(page)
    await page.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
    // The app may have reloaded itself.
    await reload(page)
      .click({ timeout: 5_000 })
      .catch(() => {})
    await page.getByText('Your links will appear here.').waitFor()
    await page.getByRole('button', { name: 'Menu' }).waitFor()
    expect(await page.getByText(connectionTexts.outdated).count()).toBe(0)
    await page.context().close()
  })

  it('says so for a dialog that was not loaded yet, and keeps the screen', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Menu' }).waitFor()
    await update(page)
    await page.keyboard.press('?')
    await page.getByText(connectionTexts.outdated).waitFor()
    await reload(page).click()
    await expect.poll(() => pressForKeys(page)).toBe(1)
    await page.context().close()
  })

  it('has no such note while every script comes', async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Menu' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await page.getByText(connectionTexts.outdated).count()).toBe(0)
    await page.context().close()
  })
})
