import { readFile } from 'node:fs/promises'
import jsQR from 'jsqr'
import type { Browser, Locator, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { expectNotice, forgive, openPage, signIn } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { chooseForLink } from '../menus.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

const destination = 'https://example.com/long/address?with=query#and-fragment'

/** Whole-pixel modules in two colors, and a quiet zone of at least four modules around them (ISO/IEC 18004). */
function expectCrisp({ width, data }: PNG, color: number[]): void {
  const isDark = (x: number, y: number) => data[(y * width + x) * 4] !== 255
  const colors = new Set<string>()
  for (let at = 0; at < data.length; at += 4) colors.add([...data.subarray(at, at + 3)].join())
  expect([...colors].sort()).toEqual([color.join(), '255,255,255'].sort())
  // The finder pattern at the top left is seven modules wide, and its first row is dark all along.
  const steps = Array.from({ length: width }, (_, step) => step)
  const top = steps.find((y) => steps.some((x) => isDark(x, y))) ?? 0
  const left = steps.find((x) => isDark(x, top)) ?? 0
  const run = steps.slice(left).findIndex((x) => !isDark(x, top))
  expect(run % 7).toBe(0)
  const quiet = (4 * run) / 7
  expect(top).toBeGreaterThanOrEqual(quiet)
  expect(left).toBeGreaterThanOrEqual(quiet)
}

async function shorten(page: Page, url: string, code = ''): Promise<void> {
  await page.goto('/')
  await page.getByLabel('Long URL').fill(url)
  await page.getByLabel('Custom code').fill(code)
  await page.getByRole('button', { name: 'Shorten' }).click()
}

// The steps of a newcomer, one after the other.

async function readHome(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByText('Free URL Shortener & QR Generator').waitFor()
  await page.getByText('Shorten your URLs instantly and create beautiful QR codes').waitFor()
  for (const feature of ['Instant Shortening', 'QR Codes', 'Lightning Fast']) {
    await page.getByRole('heading', { name: feature, exact: true }).waitFor()
  }
}

/** Signed out: the form answers with the login dialog and keeps the input. */
async function meetLogin(page: Page): Promise<void> {
  await page.getByLabel('Long URL').fill(destination)
  await page.getByRole('button', { name: 'Shorten' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Login Required').waitFor()
  await expect
    .poll(() => dialog.textContent())
    .toContain(
      'You need to be logged in to create shortened links. Sign in to your account or create a new one to get started.',
    )
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => page.getByLabel('Long URL').inputValue()).toBe(destination)
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.getByRole('dialog').getByText('Go to Login').click()
  // The address changes before the screen does.
  await page.getByRole('textbox', { name: 'Password' }).waitFor()
  // Home again, and Cancel: then nothing waits for the sign-in (e2e/links/first-run.test.ts has the other way).
  await page.goBack()
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.goto('/auth')
}

/** A notice, and the screen switches to signing in. */
async function signUp(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign Up' }).last().click()
  await page.getByLabel('Email').fill('newcomer@example.com')
  await page.getByLabel('Password', { exact: true }).fill('hop hop hop')
  await page.getByLabel('Display name').fill('New Comer')
  await page.getByRole('main').getByRole('button', { name: 'Sign Up' }).first().click()
  await expectNotice(page, 'Account Created!', 'You can now log in')
  await page.getByRole('heading', { name: 'Account created' }).waitFor()
  await expect.poll(() => page.getByLabel('Email').inputValue()).toBe('newcomer@example.com')
  await page.getByLabel('Password', { exact: true }).fill('hop hop hop')
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
  await expectNotice(page, 'Welcome back!', 'Successfully logged in')
  await page.waitForURL('**/dashboard')
  await page.goto('/')
  await expect.poll(() => page.getByLabel('Long URL').inputValue()).toBe(destination)
  const [profile] = await server.sql('select display_name from app.profiles where email = $1', [
    'newcomer@example.com',
  ])
  expect(profile).toEqual({ display_name: 'New Comer' })
}

/** The empty list leads to the form; the plan and usage card is there. */
async function shortenFromEmptyList(page: Page): Promise<void> {
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Create Link' }).first().click()
  await page.waitForURL(`${server.url}/`)
  await page.getByLabel('Plan and usage').getByText('0 / 50').waitFor()
  await page.getByLabel('Long URL').fill(destination)
  await page.getByLabel('Custom code').fill('My-First')
  await expect.poll(() => page.getByLabel('Custom code').inputValue()).toBe('my-first')
  await page.getByText(`${server.url}/my-first`).waitFor()
  await page.getByRole('button', { name: 'Shorten' }).click()
  await expectNotice(page, '✨ URL Shortened!', 'Your custom link is ready!')
  await page.getByLabel('Plan and usage').getByText('1 / 50').waitFor()
}

/** Copy, QR code in a color, a PNG named after the link that really leads there. */
async function takeResult(page: Page): Promise<void> {
  const result = page.getByLabel('Your short link')
  // It went to the clipboard when it was made.
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${server.url}/my-first`)
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await result.getByRole('button', { name: /copy/i }).click()
  await expectNotice(page, 'Copied!', 'Link copied to clipboard')
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${server.url}/my-first`)
  await result.getByRole('button', { name: 'Show QR Code' }).click()
  // The message that it was copied may still be there, and covers nothing of the code's colors.
  const color = await result.getByLabel('QR Code Color').boundingBox()
  const notice = page.locator('[data-sonner-toast]').first()
  const toast = await notice.boundingBox({ timeout: 100 }).catch(() => null)
  if (color !== null && toast !== null)
    expect(toast.y + toast.height <= color.y || toast.y >= color.y + color.height).toBe(true)
  await result.getByLabel('QR Code Color').fill('#7a1f00')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    result.getByRole('button', { name: 'Download QR Code' }).click(),
  ])
  await expectNotice(page, 'Downloaded!')
  expect(download.suggestedFilename()).toBe('my-first.png')
  const png = PNG.sync.read(await readFile(await download.path()))
  expect([png.width, png.height]).toEqual([200, 200])
  expectCrisp(png, [0x7a, 0x1f, 0x00])
  expect(jsQR(new Uint8ClampedArray(png.data), png.width, png.height)?.data).toBe(
    `${server.url}/q/my-first`.toUpperCase(),
  )
  await result.getByRole('button', { name: 'Hide QR Code' }).click()
}

async function visitOnce(page: Page): Promise<void> {
  const visit = await page.request.get('/my-first', { maxRedirects: 0 })
  expect(visit.status()).toBe(302)
  expect(visit.headers().location).toBe(destination)
}

/** Free plan: no count, an offer instead. After an upgrade the click is there. */
async function seeClick(page: Page): Promise<Locator> {
  await page.goto('/dashboard')
  const row = page.getByRole('article').filter({ hasText: 'my-first' })
  await row.getByText('Upgrade to view clicks').waitFor()
  await server.sql(`update app.user_plans set plan_type = 'pro'`)
  await expect
    .poll(
      async () => {
        await page.reload()
        await row.waitFor()
        return (await row.textContent()) ?? ''
      },
      { timeout: 240_000 },
    )
    .toMatch(/1 click/)
  return row
}

/** The short code stays, the destination changes, and visitors follow at once. */
async function edit(page: Page, row: Locator): Promise<void> {
  await chooseForLink(row, 'Edit')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Edit Redirect URL').waitFor()
  await expect.poll(() => dialog.getByLabel('Short code').getAttribute('readonly')).not.toBeNull()
  await dialog.getByLabel('Redirect URL').fill('not an address')
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expectNotice(
    page,
    'Invalid URL',
    'Please enter a valid URL starting with http:// or https://',
  )
  await dialog.getByLabel('Redirect URL').fill('https://example.org/elsewhere')
  await dialog.getByText('Enable Opt-in Popup').click()
  await dialog.getByText('No popups available.').waitFor()
  await expect
    .poll(() => dialog.getByRole('link', { name: 'Create one' }).getAttribute('href'))
    .toBe('/popup-generator')
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expectNotice(page, 'No Popup Selected', 'Please select a popup or disable the popup option')
  await dialog.getByText('Enable Opt-in Popup').click()
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expectNotice(page, 'Updated!', 'Redirect URL updated successfully')
  await expect
    .poll(async () => (await page.request.get('/my-first', { maxRedirects: 0 })).headers().location)
    .toBe('https://example.org/elsewhere')
}

/** With a confirmation; then the list is empty and the link is gone. */
async function remove(page: Page, row: Locator): Promise<void> {
  await chooseForLink(row, 'Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expectNotice(page, 'Deleted', 'Link removed successfully')
  await row.waitFor({ state: 'detached' })
  await expect
    .poll(async () => (await page.request.get('/my-first', { maxRedirects: 0 })).headers().location)
    .toBe('/404')
}

describe('a newcomer', () => {
  it('signs up, shortens a link, gets its QR code, visits it, sees the click, edits and deletes it', async () => {
    const page = await openPage(browser, server.url)
    await readHome(page)
    await meetLogin(page)
    await signUp(page)
    await shortenFromEmptyList(page)
    await takeResult(page)
    await visitOnce(page)
    const row = await seeClick(page)
    await edit(page, row)
    await remove(page, row)
    await page.context().close()
  })
})

describe('errors of the shortener', () => {
  it('with the texts of the specification', async () => {
    const page = await openPage(browser, server.url)
    const user = await makeUser(server)
    await makeLink(server, user, { short_code: 'taken-code' })
    await page.goto('/')
    await page.getByRole('button', { name: 'Shorten' }).click()
    await expectNotice(page, 'Please enter a URL')
    await signIn(page, user)
    await shorten(page, 'not a url')
    await expectNotice(
      page,
      'Invalid URL',
      'Please enter a valid URL starting with http:// or https://',
    )
    await shorten(page, 'javascript:alert(1)')
    await expectNotice(
      page,
      'Invalid URL',
      'Please enter a valid URL starting with http:// or https://',
    )
    await shorten(page, destination, 'no spaces!')
    await expectNotice(
      page,
      'Invalid Custom Code',
      'Only letters, numbers, hyphens, and underscores are allowed',
    )
    await shorten(page, destination, 'ab')
    await expectNotice(
      page,
      'Invalid Custom Code',
      'Custom code must be between 3 and 50 characters',
    )
    await shorten(page, destination, 'taken-code')
    await expectNotice(
      page,
      'Code Already Taken',
      'This custom code is already in use. Please try another one.',
    )
    await expect.poll(() => page.getByLabel('Long URL').inputValue()).toBe(destination)
    await shorten(page, destination, 'second-code')
    await expectNotice(page, '✨ URL Shortened!', 'Your custom link is ready!')
    await shorten(page, destination, 'third-code')
    await expectNotice(
      page,
      'Limit Reached',
      "You've reached your total limit of 2 custom codes. Upgrade to Pro or delete existing links to continue.",
    )
    await shorten(page, destination)
    await expectNotice(page, '✨ URL Shortened!', 'Your short link is ready to share')
    await page.context().close()
  })

  it('when the server cannot be reached', async () => {
    const page = await openPage(browser, server.url)
    await signIn(page, await makeUser(server))
    await page.goto('/')
    await page.getByLabel('Long URL').fill(destination)
    await page.route('**/rest/v1/rpc/can_create_url', (route) =>
      route.fulfill({ status: 503, body: '{}' }),
    )
    await page.getByRole('button', { name: 'Shorten' }).click()
    await expectNotice(page, 'Error', 'Failed to create short URL. Please try again.')
    await expect.poll(() => page.getByLabel('Long URL').inputValue()).toBe(destination)
    forgive(/status of 503/)
    await page.context().close()
  })
})

describe('errors of signing in and up', () => {
  it('with the texts of the specification', async () => {
    const page = await openPage(browser, server.url)
    const user = await makeUser(server)
    await page.goto('/auth')
    const button = page.getByRole('main').getByRole('button', { name: 'Sign In' }).first()
    await page.getByLabel('Email').fill('nobody')
    await page.getByLabel('Password', { exact: true }).fill('long enough')
    await button.click()
    await expectNotice(page, 'Validation Error', 'Invalid email address')
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill('short')
    await button.click()
    await expectNotice(page, 'Validation Error', 'Password must be at least 6 characters')
    await page.getByLabel('Password', { exact: true }).fill('wrong password')
    await button.click()
    await expectNotice(page, 'Login Failed')
    await page.goto('/auth?ref=ABCD1234')
    await expect.poll(() => page.getByLabel('Referral code').inputValue()).toBe('ABCD1234')
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill('another password')
    await page.getByRole('main').getByRole('button', { name: 'Sign Up' }).first().click()
    await expectNotice(page, 'Signup Failed')
    await page.context().close()
  })
})

describe('guards', () => {
  it('send people who are not signed in to the sign-in screen', async () => {
    const page = await openPage(browser, server.url)
    for (const path of ['/dashboard', '/bio-link', '/affiliates']) {
      await page.goto(path)
      await page.waitForURL(/\/auth(\?|$)/)
    }
    await page.goto('/admin')
    await page.waitForURL(`${server.url}/`)
    await page.context().close()
  })

  it('send an admin to the admin screens, and show the menu item to admins only', async () => {
    const page = await openPage(browser, server.url)
    const admin = await makeUser(server, { role: 'admin' })
    await page.goto('/auth')
    await page.getByLabel('Email').fill(admin.email)
    await page.getByLabel('Password', { exact: true }).fill(admin.password)
    await page.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
    await page.waitForURL('**/admin')
    await page.goto('/dashboard')
    await page.waitForURL('**/admin')
    await page.goto('/')
    await page.getByRole('button', { name: 'Menu' }).click()
    const menu = page.getByRole('navigation', { name: 'Main' })
    for (const item of [
      'Dashboard',
      'Link Shortener',
      'Bio Link',
      'My Links',
      'Popup Generator',
      'Upgrade',
      'Affiliates',
      'Admin',
    ]) {
      await menu.getByRole('link', { name: item, exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'Sign Out' }).click()
    await page.waitForURL(`${server.url}/`)
    await page.getByRole('button', { name: 'Menu' }).click()
    await expect.poll(() => page.getByRole('link', { name: 'Admin', exact: true }).count()).toBe(0)
    await page.context().close()
  })
})
