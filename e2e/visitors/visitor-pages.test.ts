import type { Browser, BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { scriptInjections } from '#test/fixtures/script-injections.ts'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { expectAccessible, openPage, userAgent } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** The destination of links and popups. The test answers requests to it, so that none leaves the machine. */
const destination = 'https://destination.example/there'

async function answerElsewhere(context: BrowserContext): Promise<string[]> {
  const asked: string[] = []
  await context.route(/^https:\/\//, (route) => {
    const request = route.request()
    asked.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`.trim())
    return route.fulfill({ contentType: 'text/html', body: '<title>There</title>There' })
  })
  return asked
}

async function visitor(options: { width?: number } = {}): Promise<{ page: Page; asked: string[] }> {
  const page = await openPage(browser, server.url, options)
  return { page, asked: await answerElsewhere(page.context()) }
}

/** The first link opens in a new tab, which is counted on its way. */
async function expectNewTab(page: Page, slug: string): Promise<void> {
  const [, request] = await Promise.all([
    page.context().waitForEvent('page'),
    page.context().waitForEvent('request', (one) => one.url() === destination),
    page.getByRole('link', { name: 'First' }).click(),
  ])
  expect(request.redirectedFrom()?.url()).toContain(`${server.url}/${slug}/go/`)
}

const shop = 'https://shop.example/sale'
const popupLink = (columns: Record<string, unknown> = {}) =>
  plantPopupLink(server.sql, { cta_url: shop, cta_text: 'Shop now', ...columns }, destination)

const widths = [360, 1280]

describe('a short link with a popup', () => {
  it.each(widths)('shows the popup, then redirects when it is closed, at %i px', async (width) => {
    for (const way of ['x', 'escape', 'backdrop', 'button'] as const) {
      const { code } = await popupLink({ description: 'Everything in the shop, today only.' })
      const { page } = await visitor({ width })
      await page.goto(`/${code}`)
      const popup = page.getByRole('dialog', { name: 'Ten percent off' })
      await popup.waitFor()
      await expect.poll(() => page.getByText('Taking you to your destination').count()).toBe(1)
      await expect
        .poll(() => page.evaluate(() => document.scrollingElement?.scrollWidth))
        .toBe(width)
      if (way === 'x') {
        await expectAccessible(page)
        await popup.getByRole('button', { name: 'Close' }).click()
      }
      if (way === 'escape') await page.keyboard.press('Escape')
      if (way === 'backdrop') await page.mouse.click(5, 5)
      if (way === 'button') {
        const [tab] = await Promise.all([
          page.context().waitForEvent('page'),
          popup.getByRole('link', { name: 'Shop now' }).click(),
        ])
        await tab.waitForURL(shop)
        await expect
          .poll(() => tab.evaluate(() => window.opener === null && document.referrer === ''))
          .toBe(true)
      }
      await page.waitForURL(destination)
      await page.context().close()
    }
  })

  it('shows a popup once per browser session, then redirects at once', async () => {
    const { code } = await popupLink()
    const { page } = await visitor()
    await page.goto(`/${code}`)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.waitForURL(destination)
    await page.goto(`/${code}`, { waitUntil: 'commit' })
    await page.waitForURL(destination)
    await page.goBack()
    expect(page.url()).not.toContain(code)
    // Another tab is the same session.
    const tab = await page.context().newPage()
    await tab.goto(`/${code}`, { waitUntil: 'commit' })
    await tab.waitForURL(destination)
    const [cookie] = await page.context().cookies(server.url)
    expect(cookie).toMatchObject({ name: 'hoplet_popups', expires: -1, sameSite: 'Strict' })
    await page.context().close()
    // A new session, as after closing the browser, shows it again.
    const other = await visitor()
    await other.page.goto(`/${code}`)
    await other.page.getByRole('dialog').waitFor()
    await other.page.context().close()
  })

  it('waits for the delay that the owner set', async () => {
    const { code } = await popupLink({ trigger_delay: 1, trigger_delay_enabled: true })
    const { page } = await visitor()
    await page.clock.install({ time: '2026-01-01T08:00:00Z' })
    await page.clock.pauseAt('2026-01-01T09:00:00Z')
    await page.goto(`/${code}`)
    const dialog = page.getByRole('dialog')
    await page.clock.runFor(990)
    expect(await dialog.isVisible()).toBe(false)
    await page.clock.runFor(20)
    await dialog.waitFor()
    await page.context().close()
  })

  it.each(widths)(
    'has the position and the size that the owner chose, at %i px',
    { tags: ['extended'] },
    async (width) => {
      const { page } = await visitor({ width })
      const height = 900
      const description = 'A line of words that fills some room. '.repeat(12)
      const sizes = { small: 300, medium: 400, large: 500, 'extra-large': 600, 'full-width': 1152 }
      for (const [size_preset, wide] of Object.entries(sizes)) {
        const { code } = await popupLink({ size_preset, description })
        await page.goto(`/${code}`)
        await page.getByRole('dialog').waitFor()
        const box = await page.locator('.hp-popup').boundingBox()
        expect([size_preset, Math.round(box?.width ?? 0)]).toEqual([
          size_preset,
          Math.min(wide, width - 32, size_preset === 'full-width' ? width * 0.9 : wide),
        ])
      }
      for (const [size_preset, tall] of Object.entries({ compact: 400, tall: 600 })) {
        const { code } = await popupLink({ size_preset, description: description.slice(0, 490) })
        await page.goto(`/${code}`)
        await page.getByRole('dialog').waitFor()
        expect((await page.locator('.hp-popup-card').boundingBox())?.height).toBeCloseTo(tall, 0)
      }
      for (const position of ['center', 'top', 'bottom', 'bottom-right', 'bottom-left']) {
        const { code } = await popupLink({ position, size_preset: 'small' })
        await page.goto(`/${code}`)
        await page.getByRole('dialog').waitFor()
        await page.waitForFunction(() => document.getAnimations().length === 0)
        const box = await page.locator('.hp-popup').boundingBox()
        const { x, y, right, bottom } = {
          x: box?.x ?? 0,
          y: box?.y ?? 0,
          right: width - (box?.x ?? 0) - (box?.width ?? 0),
          bottom: height - (box?.y ?? 0) - (box?.height ?? 0),
        }
        const isInTheMiddle = Math.abs(x - right) < 2
        const expected = {
          center: isInTheMiddle && Math.abs(y - bottom) < 2,
          top: isInTheMiddle && y === 16,
          bottom: isInTheMiddle && bottom === 16,
          'bottom-right': right === 16 && bottom === 16,
          'bottom-left': x === 16 && bottom === 16,
        }[position]
        expect([position, expected]).toEqual([position, true])
        const isModal = await page.evaluate(
          () => document.querySelector('.hp-popup:modal') !== null,
        )
        expect([position, isModal]).toEqual([position, position === 'center'])
      }
      await page.context().close()
    },
  )

  it('sends the email address and nothing else to its owner', async () => {
    const { code } = await popupLink({ collect_email: true })
    const { page, asked } = await visitor()
    await page.goto(`/${code}`)
    await page.getByText('Your email address is sent to shop.example').waitFor()
    await page.getByRole('button', { name: 'Shop now' }).click()
    await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(true)
    await page.getByLabel('Email address').fill('me@example.com')
    await page.keyboard.press('Enter')
    // The visitor reads it before the page goes on.
    await page.getByText('Thank you. Your email address was sent to shop.example.').waitFor()
    await page.waitForURL(destination)
    await expect.poll(() => asked.includes(`POST ${shop} email=me%40example.com`)).toBe(true)
    await page.context().close()
  })

  it('a popup that fails in any of 4 ways lets the visitor go on', async () => {
    const breakages = [
      () =>
        (HTMLDialogElement.prototype.showModal = () => {
          throw new Error('no')
        }),
      () => (HTMLDialogElement.prototype.showModal = () => {}),
      () =>
        Object.defineProperty(HTMLElement.prototype, 'dataset', {
          get() {
            throw new Error('no')
          },
        }),
      () =>
        Object.defineProperty(window, 'setTimeout', {
          value: () => {
            throw new Error('no')
          },
        }),
    ]
    for (const breakage of breakages) {
      const { code } = await popupLink()
      const { page } = await visitor()
      await page.addInitScript(breakage)
      await page.goto(`/${code}`, { waitUntil: 'commit' })
      await page.waitForURL(destination, { timeout: 240_000 })
      await page.context().close()
    }
  })

  it(
    'works without a picture that fails to load, and without storage',
    { tags: ['extended'] },
    async () => {
      const { code } = await popupLink({ image_url: `/media/${'0'.repeat(64)}.webp` })
      const { page } = await visitor()
      await page.addInitScript(() => {
        Object.defineProperty(document, 'cookie', {
          get: () => '',
          set() {
            throw new Error('no')
          },
        })
      })
      await page.goto(`/${code}`)
      await page.getByRole('dialog').waitFor()
      await expect.poll(() => page.locator('.hp-popup-image').count()).toBe(0)
      await page.getByRole('button', { name: 'Close' }).click()
      await page.waitForURL(destination)
      await page.context().close()
    },
  )
})

const fullBio = () =>
  plantBio(server.sql, {
    columns: { title: 'maya', description: 'Pots and plants' },
    links: ['First', 'Second', 'Third', 'Fourth'].map((title) => [title, destination]),
    social: [
      ['github', 'https://github.com/maya'],
      ['email', 'mailto:maya@example.com'],
    ],
  })

describe('a bio page', () => {
  it.each(widths)(
    'shows everything, and its share dialog copies the address, at %i px',
    async (width) => {
      const { slug } = await fullBio()
      const { page, asked } = await visitor({ width })
      await page.goto(`/${slug}`)
      await page.getByRole('heading', { level: 1, name: '@maya' }).waitFor()
      await expect
        .poll(() => page.evaluate(() => document.scrollingElement?.scrollWidth))
        .toBe(width)
      expect(await page.title()).toBe('@maya · Hoplet')
      const card = await page.locator('.hp-bio-card').boundingBox()
      expect(card?.width).toBeLessThanOrEqual(480)
      // A phone that shows the page does not need its code, but hands it on.
      const code = page.getByRole('img', { name: `QR code of ${server.url}/${slug}` })
      await expect.poll(() => code.count()).toBe(width < 768 ? 0 : 1)
      await expectAccessible(page)

      await page.getByRole('button', { name: 'Share' }).click()
      const share = page.getByRole('dialog', { name: 'Share this page' })
      await share.waitFor()
      await expect
        .poll(() => share.getByRole('img', { name: /^QR code/ }).count())
        .toBe(width < 768 ? 1 : 0)
      await expectAccessible(page)
      const places = ['X', 'Facebook', 'WhatsApp', 'LinkedIn', 'Snapchat']
      for (const place of places) {
        const href = await share
          .getByRole('link', { name: place, exact: true })
          .getAttribute('href')
        expect(decodeURIComponent(href ?? '')).toContain(`${server.url}/${slug}`)
      }
      const messenger = share.getByRole('link', { name: 'Messenger', exact: true })
      await expect
        .poll(() => messenger.getAttribute('href'))
        .toBe('https://www.facebook.com/messages/')
      await share.getByRole('button', { name: 'Copy Link' }).click()
      await share.getByRole('button', { name: 'Copied!' }).waitFor()
      await expect
        .poll(() => page.evaluate(() => navigator.clipboard.readText()))
        .toBe(`${server.url}/${slug}`)
      await expect
        .poll(() => share.getByRole('link', { name: 'Sign up free' }).getAttribute('href'))
        .toBe('/auth')
      await expect
        .poll(() => share.getByRole('link', { name: 'Find out more' }).getAttribute('href'))
        .toBe('/')
      await page.keyboard.press('Escape')
      await share.waitFor({ state: 'hidden' })
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.textContent))
        .toBe('Share')
      // No request went to another host.
      expect(asked).toEqual([])
      await expectNewTab(page, slug)
      await page.context().close()
    },
  )

  it(
    'is shared to Messenger: its app on a phone, elsewhere its site with the link copied',
    { tags: ['extended'] },
    async () => {
      const { slug } = await fullBio()
      const phone = await browser.newPage({ baseURL: server.url, hasTouch: true, isMobile: true })
      await phone.goto(`/${slug}`)
      await phone.getByRole('button', { name: 'Share' }).click()
      const messenger = { name: 'Messenger', exact: true }
      await expect
        .poll(() => phone.getByRole('link', messenger).getAttribute('href'))
        .toBe(`fb-messenger://share/?link=${encodeURIComponent(`${server.url}/${slug}`)}`)
      await phone.context().close()

      const { page, asked } = await visitor()
      await page.goto(`/${slug}`)
      await page.getByRole('button', { name: 'Share' }).click()
      const [tab] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('link', messenger).click(),
      ])
      await tab.waitForURL('https://www.facebook.com/messages/')
      await page.getByText('Link copied: paste it into your message').waitFor()
      await page.bringToFront()
      await expect
        .poll(() => page.evaluate(() => navigator.clipboard.readText()))
        .toBe(`${server.url}/${slug}`)
      expect(asked).toEqual(['GET https://www.facebook.com/messages/'])
      await page.context().close()
    },
  )

  it('shows its popup once, with the page behind it', { tags: ['extended'] }, async () => {
    const { slug } = await plantBio(server.sql, { popup: { position: 'bottom-right' } })
    const { page } = await visitor()
    await page.goto(`/${slug}`)
    await page.getByRole('dialog', { name: 'Ten percent off' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(page.url()).toBe(`${server.url}/${slug}`)
    await page.reload()
    await page.getByText('No links added yet.').waitFor()
    await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(false)
    await page.context().close()
  })

  it(
    'says thank you after an email address was given, and stays',
    { tags: ['extended'] },
    async () => {
      const { slug } = await plantBio(server.sql, { popup: { collect_email: true, cta_url: shop } })
      const { page } = await visitor({ width: 360 })
      await page.goto(`/${slug}`)
      await page.getByLabel('Email address').fill('me@example.com')
      await page.keyboard.press('Enter')
      const thanks = page.getByText('Thank you. Your email address was sent to shop.example.')
      await thanks.waitFor()
      await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(false)
      await expectAccessible(page)
      expect(page.url()).toBe(`${server.url}/${slug}`)
      // It leaves by itself.
      await thanks.waitFor({ state: 'detached' })
      await page.context().close()
    },
  )

  it(
    'runs none of 60 scripts that an owner wrote into every text',
    { tags: ['extended'] },
    async () => {
      const { page } = await visitor()
      const alarms: string[] = []
      page.on('dialog', (dialog) => {
        alarms.push(dialog.message())
        void dialog.dismiss()
      })
      await page.setContent(scriptInjections.slice(0, 30).join(''))
      await expect.poll(() => alarms.length, { timeout: 240_000 }).toBeGreaterThan(0)
      await page.context().close()
      alarms.length = 0

      const { page: parser } = await visitor()
      const { page: safe } = await visitor()
      safe.on('dialog', (dialog) => {
        alarms.push(dialog.message())
        void dialog.dismiss()
      })
      safe.on('console', (message) => alarms.push(message.text()))
      const harmless = await plantTexts('x')
      const { elements: bioElements } = await parse(parser, harmless.slug)
      const { elements: linkElements } = await parse(parser, harmless.code)
      for (const [i, injection] of scriptInjections.entries()) {
        const names = await plantTexts(injection)
        const description = injection.replace(/\r\n?/g, '\n')
        // Other texts are stored without leading and trailing whitespace.
        const text = description.trim()
        const bio = await parse(parser, names.slug)
        expect(bio.elements).toEqual(bioElements)
        const button = injection.slice(0, 50).replace(/\r\n?/g, '\n').trim()
        expect(bio.texts).toEqual([`@${text}`, description, text, text, text, button])
        const link = await parse(parser, names.code)
        expect(link.elements).toEqual(linkElements)
        expect(link.texts).toEqual(['Redirecting...', text, text, button])
        // Parsing runs nothing, so every sixth is opened too.
        if (i % 6 > 0) continue
        for (const name of [names.code, names.slug]) {
          await safe.context().clearCookies()
          await safe.goto(`/${name}`)
          await expect.poll(() => safe.locator('.hp-popup-title').textContent()).toBe(text)
        }
      }
      expect(alarms).toEqual([])
      await parser.context().close()
      await safe.context().close()
    },
  )
})

/** A bio page and a popup link with this text wherever an owner can write one. */
async function plantTexts(text: string): Promise<{ slug: string; code: string }> {
  const popup = { title: text, description: text, cta_text: text.slice(0, 50), cta_url: shop }
  const { slug } = await plantBio(server.sql, {
    columns: { title: text, description: text },
    links: [[text, destination]],
    popup,
  })
  const { code } = await plantPopupLink(server.sql, popup, destination)
  return { slug, code }
}

/** The elements of a page with their attributes' names, and the owner's texts, as the browser's own parser reads them. */
async function parse(page: Page, name: string): Promise<{ elements: string[]; texts: string[] }> {
  const html = await (await fetch(`${server.url}/${name}`)).text()
  return page.evaluate((source) => {
    const parsed = new DOMParser().parseFromString(source, 'text/html')
    return {
      elements: [...parsed.querySelectorAll('*')].map((element) =>
        [element.localName, ...element.getAttributeNames()].join(' '),
      ),
      texts: [
        ...parsed.querySelectorAll(
          'h1, .hp-bio-description, .hp-bio-link, .hp-popup-title, .hp-popup-description, .hp-popup-button',
        ),
      ].map((element) => element.textContent ?? ''),
    }
  }, html)
}

describe('the demo page', () => {
  it.each(widths)(
    'shows a sample that is labeled as one, at %i px',
    { tags: ['extended'] },
    async (width) => {
      const { page } = await visitor({ width })
      await page.goto('/demo')
      await page.getByText('Demo Page - Not the real profile').waitFor()
      await page.getByRole('button', { name: 'Share' }).click()
      await page.getByText(`${server.url}/demo`).waitFor()
      await page.keyboard.press('Escape')
      const code = page.getByRole('img', { name: `QR code of ${server.url}/demo` })
      await expect.poll(() => code.count()).toBe(width < 768 ? 0 : 1)
      await expectAccessible(page)
      await page.context().close()
    },
  )
})

describe('without JavaScript', () => {
  async function plain(width: number): Promise<Page> {
    const context = await browser.newContext({
      userAgent,
      baseURL: server.url,
      javaScriptEnabled: false,
      viewport: { width, height: 900 },
    })
    await answerElsewhere(context)
    return context.newPage()
  }

  it.each(widths)(
    'a popup link shows its popup in the page and a link on, at %i px',
    async (width) => {
      const { code } = await popupLink({ description: 'Today only' })
      const page = await plain(width)
      await page.goto(`/${code}`)
      await page.getByText('Today only').waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Close' }).isVisible()).toBe(false)
      await page.getByRole('link', { name: 'Continue to destination.example' }).click()
      await page.waitForURL(destination)
      await page.context().close()
    },
  )

  it.each(widths)(
    'a bio page shows everything and opens its share dialog, at %i px',
    async (width) => {
      const { slug } = await fullBio()
      const page = await plain(width)
      await page.goto(`/${slug}`)
      for (const text of ['@maya', 'Pots and plants', 'First', 'Fourth', 'Join @maya']) {
        await expect
          .poll(() => page.getByText(text, { exact: true }).first().isVisible())
          .toBe(true)
      }
      await page.getByRole('button', { name: 'Share' }).click()
      const share = page.locator('#hp-share')
      await share.getByText(`${server.url}/${slug}`).waitFor()
      await expect.poll(() => share.getByText('Copy Link').isVisible()).toBe(false)
      await share.getByRole('button', { name: 'Close' }).click()
      await share.waitFor({ state: 'hidden' })
      await expectNewTab(page, slug)
      await page.context().close()
    },
  )
})
