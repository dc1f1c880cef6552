/** @module-tag extended */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let openAt: (width: number, height: number) => Promise<Page>
setStage((stage) => {
  server = stage.server
  openAt = async (width, height) => {
    const page = await openPage(stage.browser, server.url)
    await page.setViewportSize({ width, height })
    await page
      .context()
      .route(/^https:\/\//, (route) =>
        route.request().resourceType() === 'image'
          ? route.fulfill({ contentType: 'image/svg+xml', body: picture })
          : route.fulfill({ contentType: 'text/html', body: '<title>There</title>There' }),
      )
    return page
  }
})

const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 600" width="800" height="600"><rect width="800" height="600" fill="#f97a2b"/><circle cx="400" cy="300" r="200" fill="#fff"/></svg>'

const text = 'Everything in the shop costs less until Sunday, and shipping is on us. '.repeat(5)
const full = {
  title: text.slice(0, 199),
  description: text.slice(0, 300),
  cta_text: 'Claim my discount now',
  cta_url: 'https://shop.example/sale',
  image_url: 'https://images.example/picture.png',
  collect_email: true,
}
const sizes = ['small', 'medium', 'large', 'extra-large', 'full-width', 'compact', 'tall']
const beside = ['top', 'bottom', 'bottom-right', 'bottom-left']
const windows = [
  [844, 390],
  [640, 360],
  [360, 640],
  [320, 480],
] as const

const codes = new Map<string, string>()
beforeAll(async () => {
  for (const size_preset of sizes) {
    const { code } = await plantPopupLink(server.sql, { ...full, size_preset })
    codes.set(size_preset, code)
  }
  for (const position of beside) {
    const { code } = await plantPopupLink(server.sql, { ...full, position })
    codes.set(position, code)
  }
})

async function openPopup(page: Page, name: string): Promise<void> {
  await page.context().clearCookies()
  await page.goto(`/${codes.get(name)}`)
  await page.getByRole('dialog').waitFor()
  await page.waitForFunction(
    () =>
      document.getAnimations().length === 0 &&
      document.querySelector<HTMLImageElement>('.hp-popup-image')?.complete === true,
  )
}

/** The height of the popup's text that no scroll position brings into the window, in pixels. */
const hiddenText = (page: Page) =>
  page.evaluate(async () => {
    const scroll = document.querySelector('.hp-popup-scroll')
    const card = document.querySelector('.hp-popup-card')?.getBoundingClientRect()
    const first = document.querySelector('.hp-popup-image')
    const last = document.querySelector('.hp-popup-host')
    if (!scroll || !card || !first || !last) return [Number.NaN]
    scroll.scrollTop = 0
    const above = Math.max(0, card.top, 0) - first.getBoundingClientRect().top
    scroll.scrollTop = scroll.scrollHeight
    const below = last.getBoundingClientRect().bottom - Math.min(card.bottom, innerHeight)
    return [Math.max(0, above), Math.max(0, below), Math.max(0, -card.top)]
  })

describe.each(windows)('in a window of %i by %i', (width, height) => {
  it('a popup of every size scrolls inside its card: all of it can be reached', async () => {
    const page = await openAt(width, height)
    for (const size of sizes) {
      await openPopup(page, size)
      expect([size, await hiddenText(page)]).toEqual([size, [0, 0, 0]])
      // A trial click scrolls the element into view and fails if anything covers it.
      await page.getByLabel('Email address').click({ trial: true })
      await page.getByRole('button', { name: full.cta_text }).click({ trial: true })
      await page.getByRole('button', { name: 'Close' }).click({ trial: true })
      if (process.env.PICTURES)
        await page.screenshot({ path: `${process.env.PICTURES}/${size}-${width}x${height}.png` })
    }
    await page.context().close()
  })
})

const isUncovered = (page: Page, selector: string) =>
  page.evaluate((wanted) => {
    const element = document.querySelector(wanted)
    const box = element?.getBoundingClientRect()
    if (!element || !box) return false
    const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
    return at !== null && element.contains(at)
  }, selector)

/** Gives the popup that is open another size, as if its owner had chosen it. */
const resize = (page: Page, size: string) =>
  page.evaluate((wanted) => {
    const popup = document.querySelector('.hp-popup')
    if (!popup) return
    const [, place] = /hp-popup-at-(\S+)/.exec(popup.className) ?? []
    popup.className = `hp-popup hp-popup-at-${place} hp-popup-${wanted}`
    window.scrollTo(0, 0)
    window.dispatchEvent(new Event('resize'))
  }, size)

describe.each([[360, 780], [1280, 900], ...windows] as const)(
  'in a window of %i by %i',
  (width, height) => {
    it('the way on is named and never covered, wherever the popup is and however large', async () => {
      const page = await openAt(width, height)
      for (const position of beside) {
        await openPopup(page, position)
        for (const size of sizes) {
          await resize(page, size)
          if (process.env.PICTURES)
            await page.screenshot({
              path: `${process.env.PICTURES}/${position}-${size}-${width}x${height}.png`,
            })
          const links = ['.hp-way-on', '.hp-report a']
          const inSight = await Promise.all(links.map((link) => isUncovered(page, link)))
          expect([position, size, ...inSight]).toEqual([position, size, true, true])
          // In a low and wide window the button is beside the words.
          if (width > height && height < 480)
            expect([position, size, await isUncovered(page, '.hp-popup-button')]).toEqual([
              position,
              size,
              true,
            ])
        }
        await page.getByRole('button', { name: full.cta_text }).click({ trial: true })
        await page.getByLabel('Email address').click({ trial: true })
      }
      await openPopup(page, 'medium')
      for (const size of sizes) {
        await resize(page, size)
        expect([size, await isUncovered(page, '.hp-popup-no')]).toEqual([size, true])
      }
      await expect
        .poll(() => page.locator('.hp-popup-no').textContent())
        .toBe('No thanks, continue to example.com')
      await page.context().close()
    })
  },
)

describe('on a bio page', () => {
  it('the last link can be scrolled out from under the popup, and the extra room disappears with it', async () => {
    const { slug } = await plantBio(server.sql, {
      links: Array.from({ length: 12 }, (_, i) => [`Link ${i}`, 'https://example.com/']),
      popup: { ...full, position: 'bottom' },
    })
    const page = await openAt(360, 780)
    await page.goto(`/${slug}`)
    await page.getByRole('dialog').waitFor()
    await page.getByRole('link', { name: 'Link 11' }).click({ trial: true })
    await page.getByRole('link', { name: 'Report' }).click({ trial: true })
    const heightOfPage = () => page.evaluate(() => document.documentElement.scrollHeight)
    const before = await heightOfPage()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expect.poll(heightOfPage).toBeLessThan(before)
    await page.context().close()
  })
})

it('No thanks leads on', async () => {
  const page = await openAt(320, 480)
  await openPopup(page, 'tall')
  await page.getByRole('button', { name: 'No thanks, continue to example.com' }).click()
  await page.waitForURL('https://example.com/')
  await page.context().close()
})

describe('a popup that opens', () => {
  it('shows no focus ring until a key is pressed, and gives the focus back', async () => {
    const { slug } = await plantBio(server.sql, { popup: { title: 'Hello' } })
    const page = await openAt(1280, 900)
    await page.goto(`/${slug}`)
    await page.getByRole('dialog').waitFor()
    const ring = () =>
      page.evaluate(() => {
        const { activeElement } = document
        const isInPopup = activeElement?.closest('.hp-popup') != null
        return [isInPopup, activeElement ? getComputedStyle(activeElement).outlineStyle : '']
      })
    expect(await ring()).toEqual([true, 'none'])
    await page.keyboard.press('Tab')
    expect(await ring()).toEqual([true, 'solid'])
    await page.context().close()
  })

  it('keeps the button of a compact popup with a picture visible', async () => {
    const page = await openAt(1280, 900)
    await openPopup(page, 'compact')
    const [card, button] = await Promise.all([
      page.locator('.hp-popup-card').boundingBox(),
      page.locator('.hp-popup-button').boundingBox(),
    ])
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThan(
      (card?.y ?? 0) + (card?.height ?? 0),
    )
    const close = await page.locator('.hp-popup-close').boundingBox()
    expect((close?.y ?? 0) - (card?.y ?? 0)).toBe(12)
    await page.context().close()
  })

  it('puts the words of a compact one in its middle, and the button of a wide one beside them', async () => {
    const page = await openAt(1280, 900)
    const short = { title: 'Short', description: 'And sweet', cta_url: 'https://shop.example/' }
    const boxOf = (selector: string) => page.locator(selector).boundingBox()
    const { code } = await plantPopupLink(server.sql, { ...short, size_preset: 'compact' })
    await page.goto(`/${code}`)
    await page.getByRole('dialog').waitFor()
    const [card, title, button] = await Promise.all(
      ['.hp-popup-card', '.hp-popup-title', '.hp-popup-button'].map(boxOf),
    )
    const above = (title?.y ?? 0) - (card?.y ?? 0)
    const below = (card?.y ?? 0) + (card?.height ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)
    expect(Math.abs(above - below)).toBeLessThan(60)

    const wide = await plantPopupLink(server.sql, { ...short, size_preset: 'full-width' })
    await page.goto(`/${wide.code}`)
    await page.getByRole('dialog').waitFor()
    const [words, action] = await Promise.all(
      ['.hp-popup-description', '.hp-popup-button'].map(boxOf),
    )
    expect(action?.x ?? 0).toBeGreaterThan((words?.x ?? 0) + (words?.width ?? 0))
    expect(action?.width ?? 0).toBeLessThanOrEqual(320)
    await page.context().close()
  })

  it('sends its form with the origin of the page, and opens a tab that cannot reach back', async () => {
    const page = await openAt(1280, 900)
    await openPopup(page, 'medium')
    const sent = page.context().waitForEvent('request', (request) => request.method() === 'POST')
    const opened = page.context().waitForEvent('page')
    await page.getByLabel('Email address').fill('me@example.com')
    await page.keyboard.press('Enter')
    expect(await (await sent).headerValue('origin')).toBe(server.url)
    const tab = await opened
    await tab.waitForURL(full.cta_url)
    await expect.poll(() => tab.evaluate(() => window.opener)).toBe(null)
    await page.context().close()
  })

  it('shows right-to-left texts from right to left, and does not change the page', async () => {
    const { code } = await plantPopupLink(server.sql, {
      title: 'خصم اليوم!',
      description: 'Today only!',
    })
    const page = await openAt(360, 780)
    await page.goto(`/${code}`)
    await page.getByRole('dialog').waitFor()
    const directions = await page.evaluate(() =>
      ['.hp-popup-title', '.hp-popup-description', '.hp-way-title'].map((selector) => {
        const element = document.querySelector(selector)
        return element && [getComputedStyle(element).direction, element.getAttribute('lang')]
      }),
    )
    expect(directions).toEqual([
      ['rtl', ''],
      ['ltr', ''],
      ['ltr', null],
    ])
    await page.context().close()
  })
})
