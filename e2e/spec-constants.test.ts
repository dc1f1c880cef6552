/** @module-tag extended */
import { readFile } from 'node:fs/promises'
import jsQR from 'jsqr'
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { expectNotice, openPage } from './browser.ts'
import { setStage } from './stage.ts'
import type { BuiltServer } from './built-server.ts'

// Figures and words of the specification that a person only sees for a moment, or only at a limit.

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const destination = 'https://example.com/menu'

async function shortenAs(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByLabel('Long URL').fill(destination)
  await page.getByRole('button', { name: 'Shorten' }).click()
  await expectNotice(page, '✨ URL Shortened!')
}

/** Answers every matching request only when the returned function is called. */
async function hold(page: Page, url: string): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(url, async (route) => {
    await released
    await route.continue()
  })
  return release
}

it('the web app shows Creating... while a link is made and Please wait... while a person signs in', async () => {
  const user = await makeUser(server)
  const page = await openPage(browser, server.url)
  await page.goto('/auth')
  await page.getByLabel('Email').fill(user.email)
  await page.getByLabel('Password', { exact: true }).fill(user.password)
  const signIn = await hold(page, '**/auth/v1/token*')
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
  await page.getByRole('button', { name: 'Please wait...' }).waitFor()
  signIn()
  await page.waitForURL('**/dashboard')

  await page.goto('/')
  await page.getByLabel('Long URL').fill(destination)
  const create = await hold(page, '**/rest/v1/shortened_urls*')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.getByRole('button', { name: 'Creating...' }).waitFor()
  create()
  await expectNotice(page, '✨ URL Shortened!', 'Your short link is ready to share')
  await page.getByRole('button', { name: 'Shorten' }).waitFor()
  await page.context().close()
})

it('the web app confirms a copied link for two seconds, and says when copying failed', async () => {
  const user = await makeUser(server)
  await makeLink(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.clock.install()
  await page.goto('/dashboard')
  // Once before, so that the motion to the toast is loaded.
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  await page.getByRole('button', { name: 'Copy link' }).waitFor()
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000))
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  await page.clock.runFor(1_900)
  await expectNotice(page, 'Copied!', 'Link copied to clipboard')
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  await page.clock.runFor(200)
  await page.getByRole('button', { name: 'Copy link' }).waitFor()

  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))
    document.execCommand = () => false
  })
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.clock.resume()
  await expectNotice(page, 'Failed to copy', 'Please try again')
  await page.context().close()
})

it('the web app checks the subscription again after 60 seconds', async () => {
  const page = await openPage(browser, server.url, { user: await makeUser(server) })
  await page.addInitScript(() => {
    const send = window.fetch
    window.fetch = (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      if (url.endsWith('/check-subscription')) {
        const { dataset } = document.documentElement
        dataset['checks'] = `${dataset['checks'] ?? ''} ${Date.now()}`
      }
      return send(input, init)
    }
  })
  // Noted in the page, by its own moved clock.
  const checks = async () => {
    const times = await page.evaluate(() => document.documentElement.dataset['checks'] ?? '')
    return times.split(' ').filter(Boolean).map(Number)
  }
  await page.clock.install()
  await page.goto('/dashboard')
  await expect.poll(async () => (await checks()).length).toBe(1)
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000))
  const answered = page.waitForResponse('**/check-subscription')
  while ((await checks()).length < 2) await page.clock.runFor(1_000)
  await (await answered).finished()
  while ((await checks()).length < 3) await page.clock.runFor(1_000)
  const [, second = 0, third = 0] = await checks()
  // The minute begins when the page has read the answer.
  expect(third - second).toBeGreaterThanOrEqual(60_000)
  expect(third - second).toBeLessThan(75_000)
  await page.context().close()
})

it('the web app draws the QR code in black with error correction level H', async () => {
  const user = await makeUser(server)
  const page = await openPage(browser, server.url, { user })
  await shortenAs(page)
  await page.getByRole('button', { name: 'Show QR Code' }).click()
  await expect.poll(() => page.getByLabel('QR Code Color').inputValue()).toBe('#000000')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download QR Code' }).click(),
  ])
  const { color, level } = readQrCode(PNG.sync.read(await readFile(await download.path())))
  expect([color, level]).toEqual(['#000000', 'H'])
  await page.context().close()
})

it('the web app says when the QR codes of the day are used up', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const page = await openPage(browser, server.url, { user })
  await shortenAs(page)
  await server.sql(
    `update app.user_usage set daily_qr_codes = 49, day = (now() at time zone 'utc')::date where user_id = $1`,
    [user.id],
  )
  await page.getByRole('button', { name: 'Show QR Code' }).click()
  await page.getByRole('button', { name: 'Download QR Code' }).click()
  await expectNotice(page, 'Downloaded!')
  await page.getByRole('button', { name: 'Download QR Code' }).click()
  await expectNotice(
    page,
    'QR Code Limit Reached',
    "You've reached your daily limit of 50 QR codes. Please try again tomorrow.",
  )
  await page.context().close()
})

/**
 * The color of the top left module and the error correction level, which ISO/IEC 18004 stores in the first two format
 * bits: modules 0 and 1 of row 8, masked with 10.
 */
function readQrCode(png: PNG): { color: string; level: string | undefined } {
  const code = jsQR(new Uint8ClampedArray(png.data), png.width, png.height)
  if (!code) throw new Error('no QR code in the picture')
  const { topLeftFinderPattern: first, topRightFinderPattern: second } = code.location
  const modules = 17 + 4 * code.version
  // The centers of the two finder patterns are three and a half modules inside the code.
  const size = (second.x - first.x) / (modules - 7)
  const pixel = (row: number, column: number) => {
    const x = Math.floor(first.x + (column - 3) * size)
    const y = Math.floor(first.y + (row - 3) * size)
    return png.data.subarray((y * png.width + x) * 4).subarray(0, 3)
  }
  const bit = (column: number) => ((pixel(8, column)[0] ?? 255) < 128 ? 1 : 0)
  const levels: Record<string, string> = { '01': 'L', '00': 'M', '11': 'Q', '10': 'H' }
  return {
    color: `#${Buffer.from(pixel(0, 0)).toString('hex')}`,
    level: levels[`${bit(0) ^ 1}${bit(1)}`],
  }
}
