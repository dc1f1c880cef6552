/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { expectStored } from '../analytics-stage.ts'
import { expectAccessible, forgive, openPage, widthsOf } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
let user: TestUser
/** Her plan shows clicks. */
let paying: TestUser

setStage(async (stage) => {
  ;({ server, browser } = stage)
  user = await makeUser(server)
  await makeLink(server, user, {
    short_code: 'spring-menu',
    original_url: 'https://example.com/menus/spring',
  })
  await makeLink(server, user)
  paying = await makeUser(server, { plan: 'pro' })
  await makeLink(server, paying, { short_code: 'clicked-menu' })
  await visit(server.url, '/clicked-menu', { headers: { referer: 'https://news.example/' } })
  await expectStored(server, paying, 1)
})

const screens: {
  name: string
  path: string
  ready: string
  signedIn: boolean
  pays?: boolean
}[] = [
  { name: 'Home', path: '/', ready: 'Shorten your URLs instantly', signedIn: false },
  { name: 'Home, signed in', path: '/', ready: 'Free plan', signedIn: true },
  { name: 'Auth', path: '/auth', ready: 'Password', signedIn: false },
  { name: 'My Links', path: '/dashboard', ready: 'spring-menu', signedIn: true },
  { name: 'Analytics', path: '/analytics', ready: 'clicked-menu', signedIn: true, pays: true },
  {
    name: 'The page of a link with clicks',
    path: '/links/clicked-menu',
    ready: 'news.example',
    signedIn: true,
    pays: true,
  },
  {
    name: 'Missing codes',
    path: '/dashboard/missing-codes',
    ready: 'No visits to missing codes',
    signedIn: true,
    pays: true,
  },
  {
    name: 'Health of destinations',
    path: '/dashboard/health',
    ready: 'No problems found',
    signedIn: true,
  },
  { name: 'QR codes', path: '/qr?link=spring-menu', ready: 'Scans from', signedIn: true },
  { name: '404 of the app', path: '/404', ready: 'Oops! Page not found', signedIn: false },
  {
    name: '404 of the server',
    path: '/no/such/page',
    ready: 'Oops! Page not found',
    signedIn: false,
  },
]

for (const theme of ['light', 'dark'] as const) {
  for (const width of widthsOf(theme)) {
    describe(`${theme}, ${width} px wide`, () => {
      for (const screen of screens) {
        it(`${screen.name} is accessible and does not scroll sideways`, async () => {
          const page = await openPage(browser, server.url, {
            theme,
            width,
            ...(screen.signedIn && { user: screen.pays === true ? paying : user }),
          })
          await page.goto(screen.path)
          await page.getByText(screen.ready).first().waitFor()
          await page.waitForTimeout(400)
          await expectAccessible(page)
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          )
          expect(overflow).toBeLessThanOrEqual(0)
          await page.context().close()
        })
      }
    })
  }
}

it('the fields of the shortener stay inside their card on a phone, and the first is there at once', async () => {
  const page = await openPage(browser, server.url, { width: 360 })
  await page.goto('/')
  const first = await page.getByLabel('Long URL').boundingBox()
  expect((first?.y ?? 0) + (first?.height ?? 0)).toBeLessThan(300)
  for (const label of ['Long URL', 'Custom code']) {
    const field = await page.getByLabel(label).boundingBox()
    const card = await page.locator('form').boundingBox()
    if (field === null || card === null) throw new Error('not on the screen')
    expect(field.x + field.width).toBeLessThan(card.x + card.width)
  }
  await page.context().close()
})

it('Home shows its products, whole at 320 px, and the ways on at its end', async () => {
  const html = await (await fetch(server.url)).text()
  expect(html).toContain('One link, all the way')
  expect(html).not.toContain(' style=')
  const page = await openPage(browser, server.url, { width: 320 })
  await page.goto('/')
  const strip = page.getByRole('region', { name: 'One link, all the way' })
  await page
    .getByRole('region', { name: 'Yours, on your machine' })
    .getByText('npm start')
    .waitFor()
  for (const words of ['Rules by country', 'A/B splits', 'API', 'agents'])
    await strip.getByText(words).first().waitFor()
  // The product's own strengths come before the cards that any shortener has.
  const tops = await Promise.all(
    ['Yours, on your machine', 'One link, all the way', 'Features'].map(
      async (name) => (await page.getByRole('region', { name }).boundingBox())?.y,
    ),
  )
  expect(tops).toEqual(tops.toSorted((a, b) => (a ?? 0) - (b ?? 0)))
  for (const drawing of await strip.getByRole('figure').all()) {
    await drawing.scrollIntoViewIfNeeded()
    const cut = await drawing.evaluate((element) =>
      [element, ...element.querySelectorAll('*')].some(
        (part) =>
          part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== 'inline',
      ),
    )
    expect(cut).toBe(false)
  }
  const picture = page.locator('main img[src="/example-qr.svg"]').last()
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0)
  const ways = page.getByRole('contentinfo').getByRole('link')
  await expect
    .poll(() => ways.allTextContents())
    .toEqual(['Demo', 'Pricing', 'Docs', 'Sign In', 'Sign Up'])
  await expectAccessible(page)
  await page.context().close()
})

it('the tag on Home fills in with the form', async () => {
  const page = await openPage(browser, server.url, { width: 360 })
  await page.goto('/')
  const tag = page.locator('main').getByText('Free, and ready in a second').last().locator('../..')
  await tag.getByText('spring-menu').waitFor()
  await page.getByLabel('Long URL').fill('harbour.example/winter-list')
  await page.getByText('https:// will be added').waitFor()
  await tag.getByText('random code').waitFor()
  await page.getByLabel('Custom code').fill('winter')
  await tag.getByText('winter', { exact: true }).waitFor()
  await tag.getByText('→ harbour.example/winter-list').waitFor()
  await page.context().close()
})

describe('the theme', () => {
  it('starts light, follows the toggle, and is kept under the key theme', async () => {
    const page = await openPage(browser, server.url, { theme: 'light' })
    await page.goto('/')
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains('dark'))
    expect(await isDark()).toBe(false)
    for (const [choice, dark] of [
      ['Dark', true],
      ['Light', false],
    ] as const) {
      await page.getByRole('button', { name: /theme/i }).click()
      await page.getByText(choice, { exact: true }).click()
      expect(await isDark()).toBe(dark)
      await expect
        .poll(() => page.evaluate(() => localStorage.getItem('theme')))
        .toBe(choice.toLowerCase())
      await page.reload()
      expect(await isDark()).toBe(dark)
    }
    await page.getByRole('button', { name: /theme/i }).click()
    await page.getByText('System', { exact: true }).click()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(isDark).toBe(true)
    await page.context().close()
  })
})

describe('the address of the server', () => {
  it('comes from the configuration: no Host header reaches a page', async () => {
    for (const path of ['/', '/auth', '/dashboard', '/404', '/nothing-here', '/no/such/page']) {
      const response = await fetch(`${server.url}${path}`, {
        headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
      })
      expect(await response.text()).not.toContain('evil.example')
    }
  })
})

describe('a page of the app', () => {
  it('runs no script that was written into it', async () => {
    const page = await openPage(browser, server.url)
    await page.goto('/')
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script')
      script.textContent = 'window.injected = true'
      document.body.append(script)
      return 'injected' in window
    })
    expect(ran).toBe(false)
    forgive(/Content Security Policy/)
    await page.context().close()
  })
})
