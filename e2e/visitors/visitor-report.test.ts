/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { expectAccessible, openPage, userAgent } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const reportsOf = (name: string) =>
  server.sql(
    'select reason, details, reporter_email, target_kind from app.abuse_reports where name = $1',
    [name],
  )

describe('a visitor reports', () => {
  it('a bio page, by keyboard alone, without JavaScript, after a mistake', async () => {
    const { slug } = await plantBio(server.sql)
    const context = await browser.newContext({
      userAgent,
      baseURL: server.url,
      javaScriptEnabled: false,
      viewport: { width: 360, height: 800 },
    })
    const page = await context.newPage()
    await page.goto(`/${slug}`)
    await page.getByRole('link', { name: 'Report' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/report?name=${slug}`)
    await page.getByText(`${new URL(server.url).host}/${slug}`, { exact: true }).waitFor()

    // The way home, reason, details, email, button. The reason stays empty.
    for (const key of ['Tab', 'Tab', 'Tab']) await page.keyboard.press(key)
    await page.keyboard.type('It pretends to be\nmy bank.')
    await page.keyboard.press('Tab')
    await page.keyboard.type('me@example')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Please choose what is wrong').waitFor()
    await expect
      .poll(() => page.getByLabel('Details').inputValue())
      .toBe('It pretends to be\nmy bank.')
    await expect.poll(() => page.getByLabel('Your email').inputValue()).toBe('me@example')

    // The first error has the focus.
    await page.keyboard.press('Space')
    for (const key of ['Tab', 'Tab', 'Tab']) await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Thank you for your report' }).waitFor()
    await page.reload()
    expect(await reportsOf(slug)).toEqual([
      {
        reason: 'phishing',
        details: 'It pretends to be\nmy bank.',
        reporter_email: 'me@example',
        target_kind: 'bio',
      },
    ])
    await context.close()
  })

  it('an address that is typed in', async () => {
    const { code } = await plantPopupLink(server.sql)
    const page = await openPage(browser, server.url)
    await page.goto('/report')
    await page.getByLabel('Address of the link or page').fill(`${server.url}/${code}?from=mail`)
    await page.getByLabel('Spam').check()
    await page.getByRole('button', { name: 'Send report' }).click()
    await page.getByRole('heading', { name: 'Thank you for your report' }).waitFor()
    expect(await reportsOf(code)).toMatchObject([{ reason: 'spam', target_kind: 'link' }])
    await page.context().close()
  })

  it.each(['top', 'bottom'])(
    'a link from beside its popup, which is at the %s',
    async (position) => {
      const { code } = await plantPopupLink(server.sql, { position })
      const page = await openPage(browser, server.url, { width: 360 })
      await page.goto(`/${code}`)
      await page.getByRole('dialog').waitFor()
      await page.getByRole('link', { name: 'Report' }).click()
      await page.waitForURL(`**/report?name=${code}`)
      await page.context().close()
    },
  )

  it('nothing by accident: behind a popup the link cannot be clicked or focused', async () => {
    const { code } = await plantPopupLink(server.sql, { position: 'center' })
    const page = await openPage(browser, server.url)
    await page.goto(`/${code}`)
    await page.getByRole('dialog').waitFor()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('dialog') !== null))
      .toBe(true)
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press('Tab')
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.textContent))
        .not.toBe('Report')
    }
    await page.context().close()
  })
})

const themes = ['light', 'dark'] as const
const widths = [360, 1280]

describe.each(themes)('the form in %s', (theme) => {
  it.each(widths)('is readable and fits, with errors too, at %i px', async (width) => {
    const page = await openPage(browser, server.url, { width, theme })
    const looksRight = async () => {
      await expectAccessible(page)
      await expect
        .poll(() => page.evaluate(() => document.scrollingElement?.scrollWidth))
        .toBe(width)
    }
    await page.goto(`/report?name=${'long-name-'.repeat(5)}`)
    await looksRight()
    await page.goto('/report')
    await page.getByLabel('Your email').fill('not one')
    await page.getByRole('button', { name: 'Send report' }).click()
    await page.getByText('Invalid email address').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('name')
    await looksRight()
    await page.goto('/report/sent')
    await looksRight()
    await page.context().close()
  })
})
