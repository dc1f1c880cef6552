/** @module-tag extended */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { looks } from '#domain/bio/looks.ts'
import { platforms } from '#domain/bio/platforms.ts'
import { defaultTheme, themePresets } from '#domain/bio/themes.ts'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { plantOwner } from '#test/visits/plant.ts'
import { expectAccessible, widthsOf } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
const paths: Record<string, string> = { demo: '/demo', missing: '/404' }
const positions = ['center', 'top', 'bottom', 'bottom-right', 'bottom-left']
const sizes = ['medium', 'small', 'full-width', 'compact', 'tall']

setStage(async (stage) => {
  ;({ server, browser } = stage)
  const bio = await plantBio(server.sql, {
    columns: { title: 'maya', description: 'Pots and plants' },
    links: ['First', 'Second', 'Third'].map((title) => [title, 'https://example.com/']),
    social: [['github', 'https://github.com/maya']],
  })
  for (const [i, { id, colors }] of looks.entries()) {
    const theme = colors ?? themePresets[i % themePresets.length] ?? defaultTheme
    const { slug } = await plantBio(server.sql, {
      columns: {
        title: i % 2 === 0 ? 'Maya Fields' : 'x'.repeat(60),
        description: 'Pots and plants, and a longer line about the next evening at the kiln.',
        look: id,
        theme_primary: theme.primary,
        theme_background: theme.background,
        theme_text: theme.text,
      },
      links: ['First', 'Second', 'Third', 'w'.repeat(200)].map((title) => [
        title,
        'https://example.com/',
      ]),
      social: platforms.slice(0, 13).map(({ id: platform }) => [platform, 'https://example.com/']),
    })
    paths[`look ${id}`] = `/${slug}`
  }
  const popup = { description: 'Today only.', cta_url: 'https://shop.example/' }
  const bioWithPopup = await plantBio(server.sql, { popup: { ...popup, position: 'bottom-right' } })
  Object.assign(paths, { bio: `/${bio.slug}`, 'bio with a popup': `/${bioWithPopup.slug}` })
  for (const [i, position] of positions.entries()) {
    const columns = { ...popup, position, size_preset: sizes[i], collect_email: i % 2 === 1 }
    paths[`popup ${position}`] = `/${(await plantPopupLink(server.sql, columns)).code}`
  }
  await server.sql(
    'alter table app.shortened_urls drop constraint shortened_urls_destination, disable trigger check_destination',
  )
  await server.sql(
    `insert into app.shortened_urls (user_id, short_code, original_url) values ($1, 'gone-bad', 'javascript:x')`,
    [await plantOwner(server.sql)],
  )
  paths['gone'] = '/gone-bad'
})

const pages = [
  'bio',
  'bio with a popup',
  'demo',
  'missing',
  'gone',
  ...positions.map((position) => `popup ${position}`),
]
const looksOfBioPages = looks.map(({ id }) => `look ${id}`)

/** Checks that nothing reaches beyond the page, and that the popup covers no text of the page. */
async function expectUpright(page: Page, width: number): Promise<void> {
  const found = await page.evaluate(() => {
    const main = document.querySelector('main')?.getBoundingClientRect()
    const popup = document.querySelector('.hp-popup')
    const isInPage = popup !== null && getComputedStyle(popup).position === 'static'
    const card = isInPage ? popup.getBoundingClientRect() : undefined
    const texts = [...document.querySelectorAll('h1, .hp-way-text, .hp-way-on, .hp-report a')]
    const covered = texts.filter((text) => {
      const box = text.getBoundingClientRect()
      return card && box.bottom > card.top + 1 && box.top < card.bottom - 1
    })
    return {
      wide: document.scrollingElement?.scrollWidth,
      main: main?.width,
      covered: covered.map((each) => each.textContent),
    }
  })
  expect(found).toEqual({ wide: width, main: width, covered: [] })
}

/** Shows the page as without JavaScript in a browser that has it, because axe needs JavaScript. */
async function takeScriptsAway(context: BrowserContext): Promise<void> {
  await context.route(`${server.url}/**`, async (route) => {
    const response = await route.fetch()
    const body = await response.text()
    await route.fulfill({
      response,
      body: body.replace(/<script>[^]*<\/script>/, '').replaceAll(/<\/?noscript>/g, ''),
    })
  })
}

async function expectGood(page: Page, name: string, width: number): Promise<void> {
  await expectUpright(page, width)
  await expectAccessible(page).catch((error: unknown) => {
    throw new Error(name, { cause: error })
  })
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of widthsOf(colorScheme)) {
    const settings = { colorScheme, viewport: { width, height: 900 } }
    describe(`in ${colorScheme}, ${width} px wide`, () => {
      it('each page is accessible with JavaScript', async () => {
        const page = await browser.newPage({ baseURL: server.url, ...settings })
        for (const name of [...pages, ...looksOfBioPages]) {
          await page.goto(paths[name] ?? '')
          if (name.includes('popup')) {
            await page.getByRole('dialog').waitFor()
            await page.waitForFunction(() => document.getAnimations().length === 0)
          }
          await expectGood(page, name, width)
        }
        await page.context().close()
      })

      it('each page fits and is accessible without JavaScript', async () => {
        const page = await browser.newPage({ baseURL: server.url, ...settings })
        await takeScriptsAway(page.context())
        const scriptless = { baseURL: server.url, ...settings, javaScriptEnabled: false }
        const really = await browser.newPage(scriptless)
        for (const name of pages) {
          for (const each of [really, page]) {
            await each.goto(paths[name] ?? '')
            if (name.includes('popup')) await each.getByText('Ten percent off').waitFor()
          }
          await expectUpright(really, width)
          await expectGood(page, name, width)
        }
        await page.context().close()
        await really.context().close()
      })
    })
  }
}
