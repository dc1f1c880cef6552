/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { failing, field, makePopup, openGenerator, preview, saveBioPage } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

const offer = (page: Page) => page.getByRole('region', { name: 'Or describe it' })
const made = (page: Page) => page.getByRole('list', { name: 'What was made' }).getByRole('listitem')
const isFocused = (page: Page, name: string) =>
  field(page, name).evaluate((element) => element === document.activeElement)

describe('one description of an offer', () => {
  it('fills in words, look and picture together, and Undo brings the former fields back', async () => {
    const page = await openGenerator(browser, server)
    await field(page, 'Title *').fill('My own words')
    await field(page, 'Button color').fill('#123456')
    await offer(page).getByRole('button', { name: 'Quick draft' }).click()
    await offer(page).getByText('Please describe your offer').waitFor()
    const prompt = offer(page).getByRole('textbox')
    await expect
      .poll(() => prompt.evaluate((element) => element === document.activeElement))
      .toBe(true)

    await prompt.fill('20% off handmade candles until Sunday, black and gold')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => made(page).getByText('done').count()).toBe(3)
    await expectNotice(page, 'Draft ready')
    await expect
      .poll(() => field(page, 'Title *').inputValue())
      .toBe('20% off handmade candles until Sunday')
    await expect.poll(() => field(page, 'Background color').inputValue()).toBe('#000000')
    await preview(page).locator('img[src^="/media/"]').waitFor()
    // Another try keeps the description.
    await expect.poll(() => offer(page).getByRole('button', { name: 'Try again' }).count()).toBe(1)
    await expect.poll(() => prompt.inputValue()).toContain('candles')

    await offer(page).getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => field(page, 'Title *').inputValue()).toBe('My own words')
    await expect.poll(() => field(page, 'Button color').inputValue()).toBe('#123456')
    await expect.poll(() => preview(page).locator('img').count()).toBe(0)
    await page.context().close()
  })

  it('says which part failed and why, keeps the others, and tries that part again alone', async () => {
    const page = await openGenerator(browser, server)
    await page.route('**/functions/v1/generate-popup-image', (route) =>
      route.fulfill({ status: 429, json: { error: 'That was the last one for today.' } }),
    )
    await offer(page).getByRole('textbox').fill('A newsletter about tulips')
    await offer(page).getByRole('button', { name: 'Quick draft' }).click()
    await offer(page)
      .getByText('Failed to generate image: That was the last one for today.')
      .waitFor()
    await expect.poll(() => made(page).getByText('on its way').count()).toBe(0)
    await expect.poll(() => field(page, 'Title *').inputValue()).not.toBe('')
    const title = 'Changed meanwhile'
    await field(page, 'Title *').fill(title)

    await page.unroute('**/functions/v1/generate-popup-image')
    await offer(page).getByRole('button', { name: 'Try again: Picture' }).click()
    await preview(page).locator('img[src^="/media/"]').waitFor()
    await expect.poll(() => field(page, 'Title *').inputValue()).toBe(title)

    // Undo takes back the words of the first try too.
    await offer(page).getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => field(page, 'Title *').inputValue()).toBe('')
    await expect.poll(() => preview(page).locator('img').count()).toBe(0)
    await page.context().close()
  })
})

it(
  'a new popup takes the colors of the bio page at one press, in an editor that fits two windows',
  { tags: ['gate'] },
  async () => {
    const user = await makeUser(server)
    await saveBioPage(server, user, {
      slug: 'matched-page',
      title: 'Ada',
      theme_primary: '207 90% 36%',
      theme_background: '0 0% 100%',
      theme_text: '0 0% 0%',
    })
    const page = await openGenerator(browser, server, user)
    const colors = () =>
      Promise.all(['Text color', 'Button color'].map((name) => field(page, name).inputValue()))
    await page.getByRole('button', { name: 'Match my page' }).click()
    await expect.poll(colors).toEqual(['#000000', '#0964ae'])
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(
      1_700,
    )
    await page.getByRole('button', { name: 'Undo the page’s colors' }).click()
    await expect.poll(colors).toEqual(['#1a1a1a', '#3b82f6'])
    await page.context().close()
  },
)

describe('a template', () => {
  it('a template is a whole popup at one press, and Undo brings replaced fields back', async () => {
    const page = await openGenerator(browser, server)
    const gallery = page.getByRole('region', { name: 'Start from a template' })
    await expect.poll(() => gallery.getByRole('button').count()).toBeGreaterThanOrEqual(6)
    await field(page, 'Title *').fill('Mine')
    await field(page, 'Button URL').fill('https://example.com/mine')
    await gallery.getByRole('button', { name: 'Newsletter' }).click()
    const title = await field(page, 'Title *').inputValue()
    expect(title).not.toBe('Mine')
    await expect.poll(() => field(page, 'Button URL').inputValue()).toBe('https://example.com/mine')
    await expect.poll(() => page.getByLabel('Collect Email Address').isChecked()).toBe(true)
    await preview(page).getByText(title).waitFor()
    await gallery.getByRole('button', { name: 'Undo the template' }).click()
    await expect.poll(() => field(page, 'Title *').inputValue()).toBe('Mine')
    await expect.poll(() => page.getByLabel('Collect Email Address').isChecked()).toBe(false)
    await page.context().close()
  })
})

describe('the preview', () => {
  it('leads from a pressed text, button or picture to its field', async () => {
    const page = await openGenerator(browser, server)
    for (const [part, name] of [
      ['.hp-popup-title', 'Title *'],
      ['.hp-popup-description', 'Description'],
      ['.hp-popup-button', 'Button Text *'],
    ] as const) {
      const box = await preview(page).locator(part).boundingBox()
      await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 8)
      await expect.poll(() => isFocused(page, name)).toBe(true)
    }
    await page.context().close()
  })

  it('shows a phone and a desktop, and the lines of the visitor', async () => {
    const user = await makeUser(server)
    const columns = {
      title: 'Everything in the shop costs a fifth less until Sunday evening',
      description:
        'Come by, have a look around, and take somebody along who likes pots as much as you do.',
      cta_url: 'https://shop.example/',
    }
    const id = await makePopup(server, user, columns)
    const link = await makeLink(server, user, {})
    await server.sql(
      'update app.shortened_urls set show_popup = true, popup_id = $1 where short_code = $2',
      [id, link.short_code],
    )
    const measure = (page: Page, scope: string) =>
      page.locator(scope).evaluate((root) =>
        ['.hp-popup-title', '.hp-popup-description', '.hp-popup-button', '.hp-popup-card'].map(
          (part) => {
            const box = root.querySelector(part)?.getBoundingClientRect()
            return [part, Math.round(box?.width ?? 0), Math.round(box?.height ?? 0)]
          },
        ),
      )
    const page = await openPage(browser, server.url, { user })
    await page.goto(`/popup-generator?edit=${id}`)
    await preview(page).getByText(columns.title).waitFor()
    // The mark comes with the plan.
    await preview(page).getByText('Made with').waitFor()
    const drawn = await measure(page, '.hp-popup-window >> visible=true')
    await preview(page).getByRole('button', { name: 'Desktop' }).click()
    await expect
      .poll(async () => {
        const box = await page.locator('.hp-popup-window >> visible=true').boundingBox()
        return (box?.width ?? 0) / (box?.height ?? 1)
      })
      .toBeCloseTo(1280 / 800, 1)

    const visitor = await openPage(browser, server.url, { width: 360 })
    await visitor.setViewportSize({ width: 360, height: 640 })
    await visitor.goto(`/${link.short_code}`)
    await visitor.getByRole('dialog').waitFor()
    await visitor.waitForFunction(() => document.getAnimations().length === 0)
    expect(drawn).toEqual(await measure(visitor, 'dialog.hp-popup'))
    await page.context().close()
    await visitor.context().close()
  })

  it('is always in sight on a phone: small at the bottom, whole after a press', async () => {
    const page = await openPage(browser, server.url, { user: await makeUser(server), width: 360 })
    await page.setViewportSize({ width: 360, height: 780 })
    await page.goto('/popup-generator')
    const small = page.getByRole('button', { name: 'Show the preview' })
    await small.waitFor()
    for (const name of ['Title *', 'Button color']) {
      await field(page, name).focus()
      const box = await small.boundingBox()
      expect([box?.width, (box?.y ?? 0) + (box?.height ?? 0) < 780 - 56]).toEqual([96, true])
    }
    await small.click()
    const dialog = page.getByRole('dialog', { name: 'Preview' })
    await expectAccessible(page)
    const box = await dialog.locator('.hp-popup-title').boundingBox()
    await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 8)
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => isFocused(page, 'Title *')).toBe(true)
    await page.context().close()
  })
})

describe('by keyboard alone, on a phone', () => {
  it('a person makes a popup, and uses it on a link and on the bio page', async () => {
    const user = await makeUser(server)
    await makeLink(server, user, { short_code: 'by-keys' })
    await makeLink(server, user, { short_code: 'not-this' })
    await saveBioPage(server, user, { slug: 'keys-page', title: 'Ada' })
    const page = await openPage(browser, server.url, { user, width: 360 })
    await page.goto('/popup-generator')
    await field(page, 'Title *').focus()
    await page.keyboard.type('Typed with ten fingers')
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Popup created!')
    await page.waitForURL('**/my-popups')
    const dialog = page.getByRole('dialog', { name: 'Add to links' })
    await dialog.getByRole('checkbox').nth(2).waitFor()
    await expectAccessible(page)
    await expect
      .poll(() =>
        dialog.getByLabel('Find a link').evaluate((element) => element === document.activeElement),
      )
      .toBe(true)
    await page.keyboard.type('by-k')
    await expect.poll(() => dialog.getByRole('checkbox').count()).toBe(2)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Space')
    await dialog.getByRole('button', { name: 'Save' }).focus()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    const card = page.getByRole('article', { name: 'Typed with ten fingers' })
    await card.getByText('Used by 1 link and your bio page').waitFor()
    const rows = await server.sql(
      `select s.short_code, s.popup_id is not null as shows from app.shortened_urls s where user_id = $1 order by 1`,
      [user.id],
    )
    expect(rows).toEqual([
      { short_code: 'by-keys', shows: true },
      { short_code: 'not-this', shows: false },
    ])
    // A reload does not ask again.
    await page.reload()
    await card.waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
    await page.context().close()
  })
})

describe('the place of a popup', () => {
  it('is not lost when saving it fails, and leaves other people’s choices', async () => {
    const user = await makeUser(server)
    const [mine, other] = [
      await makePopup(server, user, { title: 'Mine' }),
      await makePopup(server, user, { title: 'Other' }),
    ]
    for (const [code, popup] of [
      ['shows-mine', mine],
      ['shows-other', other],
    ] as const) {
      await makeLink(server, user, { short_code: code })
      await server.sql(
        'update app.shortened_urls set show_popup = true, popup_id = $1 where short_code = $2',
        [popup, code],
      )
    }
    const page = await openPage(browser, server.url, { user })
    await page.goto('/my-popups')
    await page.getByRole('button', { name: 'Add to links: Mine' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add to links' })
    await dialog.getByText('You have no bio page yet.').waitFor()
    await dialog.getByText('shows “Other”').waitFor()
    await expect.poll(() => dialog.getByLabel('/shows-mine').isChecked()).toBe(true)
    await dialog.getByLabel('/shows-mine').uncheck()
    await page.route('**/rest/v1/shortened_urls*', failing)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expectNotice(page, 'Failed to save where the popup is used')
    await page.unroute('**/rest/v1/shortened_urls*')
    await expect.poll(() => dialog.getByLabel('/shows-mine').isChecked()).toBe(false)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('article', { name: 'Mine' }).getByText('Not used yet').waitFor()
    await page.getByRole('article', { name: 'Other' }).getByText('Used by 1 link').waitFor()
    forgive(/status of 500/)
    await page.context().close()
  })
})
