/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { plantPopupLink } from '#test/pages/plant.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
let page: Page
setStage(async (stage) => {
  ;({ server, browser } = stage)
  page = await openPage(browser, server.url)
  await page
    .context()
    .route(/^https:\/\//, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>There</title>There' }),
    )
})

const destination = 'https://destination.example/there'
const rounds = 25

/** The ways to close the popup. */
const ways: Record<string, () => Promise<void>> = {
  Escape: () => page.keyboard.press('Escape'),
  'the X': () => page.getByRole('button', { name: 'Close' }).click(),
  'the button': async () => {
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Shop now' }).click(),
    ])
    await tab.close()
  },
  'a click beside it': () => page.mouse.click(5, 5),
}

/** Opens the link in a session that has not seen its popup, closes the popup, and returns the address it leads to. */
async function roundOf(code: string, leave: () => Promise<void>): Promise<string> {
  await page.goto(`/${code}`)
  await page.getByRole('dialog', { name: 'Ten percent off' }).waitFor()
  // The browser may store the cookie later than the dialog is to be seen: cleared too early, it would stay.
  await expect.poll(async () => (await page.context().cookies()).length).toBe(1)
  await page.context().clearCookies()
  await leave()
  await page.waitForURL(destination, { timeout: 10_000 }).catch(() => undefined)
  return page.url()
}

describe('a popup always lets visitors go on', () => {
  it.each(Object.keys(ways))(`${rounds} of ${rounds} times %s leads on`, async (name) => {
    const { code } = await plantPopupLink(
      server.sql,
      { cta_url: 'https://shop.example/sale', cta_text: 'Shop now' },
      destination,
    )
    const arrived: string[] = []
    for (let i = 0; i < rounds; i++) arrived.push(await roundOf(code, ways[name] ?? fail))
    expect(arrived).toEqual(Array(rounds).fill(destination))
  })

  it('the button opens its page in browsers of apps, which have one tab, and Back leads on', async () => {
    const { code } = await plantPopupLink(
      server.sql,
      { cta_url: 'https://shop.example/sale', cta_text: 'Shop now' },
      destination,
    )
    const app = await openPage(browser, server.url)
    await app.route(/^https:\/\//, async (route) => {
      // Nothing may stop it while it loads.
      if (route.request().url().startsWith('https://shop.example/')) await app.waitForTimeout(300)
      await route.fulfill({ contentType: 'text/html', body: 'There' })
    })
    await app.addInitScript(() => {
      const openHere = ({ target }: Event) =>
        target instanceof Element && target.closest('a')?.removeAttribute('target')
      document.addEventListener('click', openHere, true)
      // A slow machine must not reach the end of the wait.
      const wait = window.setTimeout.bind(window)
      Object.assign(window, {
        setTimeout: (run: () => void, ms = 0) => wait(run, ms === 2000 ? 1e9 : ms),
      })
    })
    await app.goto(`/${code}`)
    await app.getByRole('link', { name: 'Shop now' }).click()
    await app.waitForURL('https://shop.example/sale')
    await app.goBack({ waitUntil: 'commit' })
    await app.waitForURL(destination)
    await app.context().close()
  })

  it('fails the same check when the popup stays open (control)', async () => {
    const { code } = await plantPopupLink(server.sql, {}, destination)
    expect(await roundOf(code, async () => undefined)).toBe(`${server.url}/${code}`)
  })
})

function fail(): never {
  throw new Error('no such way')
}
