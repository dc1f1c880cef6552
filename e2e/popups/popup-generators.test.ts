/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { describe, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { expectNotice, forgive } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { failing, field, openGenerator, openParts, preview } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

const noticeCount = (page: Page, title: string) =>
  page.locator('[data-sonner-toast]').filter({ hasText: title }).count()

const red = Object.assign(new PNG({ width: 8, height: 8 }), {
  data: Buffer.from(Array.from({ length: 64 }, () => [200, 40, 20, 255]).flat()),
})
const picture = PNG.sync.write(red)

describe('the generators', () => {
  const cards = [
    {
      prompt: 'Describe your popup',
      button: 'Generate Content',
      missing: 'Please enter a description',
      done: 'Content generated!',
      failed: 'Failed to generate content',
      path: '**/functions/v1/generate-popup-content',
    },
    {
      prompt: 'Describe your design vision',
      button: 'Generate Design',
      missing: 'Please describe your design vision',
      done: 'Design generated!',
      failed: 'Failed to generate design',
      path: '**/functions/v1/generate-popup-content',
    },
    {
      prompt: 'Describe the image',
      button: 'Generate Image',
      missing: 'Please describe the image you want',
      done: 'Image generated!',
      failed: 'Failed to generate image',
      path: '**/functions/v1/generate-popup-image',
    },
  ]

  it(
    'fill the form with fields of the server and nothing else',
    { tags: ['extended'] },
    async () => {
      const user = await makeUser(server)
      const page = await openGenerator(browser, server, user)
      await openParts(page)
      await field(page, 'Button URL').fill('https://example.com/typed')
      const colors = () =>
        Promise.all(
          ['Background color', 'Button color'].map((name) => field(page, name).inputValue()),
        )
      const before = await colors()
      for (const { prompt, button, done } of cards) {
        await field(page, prompt).fill('A spring sale for a flower shop, green and calm')
        await page.getByRole('button', { name: button }).click()
        await expectNotice(page, done)
        await expect.poll(() => field(page, prompt).inputValue()).toContain('flower shop')
      }
      const title = await field(page, 'Title *').inputValue()
      expect(title.length).toBeGreaterThan(0)
      expect(title.length).toBeLessThanOrEqual(60)
      expect((await field(page, 'Description').inputValue()).length).toBeLessThanOrEqual(120)
      expect((await field(page, 'Button Text *').inputValue()).length).toBeLessThanOrEqual(20)
      expect(await colors()).not.toEqual(before)
      await expect
        .poll(() => field(page, 'Button URL').inputValue())
        .toBe('https://example.com/typed')
      await expect
        .poll(() => preview(page).locator('img').getAttribute('src'))
        .toMatch(/^\/media\//)
      await page.getByRole('button', { name: 'Create Popup' }).click()
      await expectNotice(page, 'Popup created!')
      const [row] = await server.sql('select title, image_url from app.popups where user_id = $1', [
        user.id,
      ])
      expect(row).toEqual({ title, image_url: expect.stringMatching(/^\/media\//) })
      await page.context().close()
    },
  )

  it('ask for a description, and keep it when they fail', async () => {
    const page = await openGenerator(browser, server)
    await openParts(page)
    for (const { prompt, button, missing, failed, path } of cards) {
      await page.getByRole('button', { name: button }).click()
      await expectNotice(page, missing)
      await expect
        .poll(() => field(page, prompt).evaluate((element) => element === document.activeElement))
        .toBe(true)
      await page.route(path, failing)
      await field(page, prompt).fill('Something lovely')
      await page.getByRole('button', { name: button }).click()
      await expectNotice(page, failed)
      await expect.poll(() => field(page, prompt).inputValue()).toBe('Something lovely')
      await page.unroute(path)
    }
    forgive(/status of 500/)
    await page.context().close()
  })

  it('show that they are at work, and give the server’s reason for a refusal', async () => {
    const page = await openGenerator(browser, server)
    await openParts(page)
    await page.route('**/functions/v1/generate-popup-content', async (route) => {
      await new Promise((done) => setTimeout(done, 400))
      await route.fulfill({ status: 429, json: { error: 'That was the last one for today.' } })
    })
    await field(page, 'Describe your popup').fill('A sale')
    await page.getByRole('button', { name: 'Generate Content' }).click()
    await page.getByRole('button', { name: 'Generating...' }).waitFor()
    await expectNotice(page, 'Failed to generate content', 'That was the last one for today.')
    await page.context().close()
  })

  it('let 20 hostile answers change nothing but the fields they are for', async () => {
    const page = await openGenerator(browser, server)
    await openParts(page)
    await field(page, 'Title *').fill('Mine')
    const good = { title: 'A', description: 'B', ctaText: 'C' }
    const hostile = [
      '',
      'I cannot help with that.',
      '{',
      '}{',
      '[]',
      'null',
      '{"title":',
      JSON.stringify({ ...good, title: 'x'.repeat(61) }),
      JSON.stringify({ ...good, description: 'x'.repeat(121) }),
      JSON.stringify({ ...good, ctaText: 'x'.repeat(21) }),
      JSON.stringify({ ...good, title: '' }),
      JSON.stringify({ ...good, title: ' '.repeat(9) }),
      JSON.stringify({ ...good, title: { toString: 'x' } }),
      JSON.stringify({ ...good, title: ['x'] }),
      JSON.stringify({ ...good, ctaText: 7 }),
      JSON.stringify({ __proto__: good }),
      JSON.stringify([good, good]).replace('},{', '}'),
      JSON.stringify({ title: 'A', ctaText: 'C' }),
      JSON.stringify({ ...good, padding: 'x'.repeat(30_000) }),
      JSON.stringify(JSON.stringify(good)),
    ]
    let answer: unknown = ''
    await page.route('**/functions/v1/generate-popup-content', (route) =>
      route.fulfill({ json: { content: answer } }),
    )
    await field(page, 'Describe your popup').fill('Anything')
    for (answer of [...hostile, 42, null, { title: 'A' }]) {
      await page.getByRole('button', { name: 'Generate Content' }).click()
      await expectNotice(page, 'Failed to parse AI response')
      await expect.poll(() => field(page, 'Title *').inputValue()).toBe('Mine')
      expect(await noticeCount(page, 'Content generated!')).toBe(0)
      await page.getByRole('button', { name: 'Close toast' }).first().click()
      await expect.poll(() => noticeCount(page, 'Failed to parse AI response')).toBe(0)
    }

    // The control: an answer with the right fields comes through, as text, without smuggled parts.
    answer = `Sure! ${JSON.stringify({
      ...good,
      title: '<img src=x onerror=alert(1)>',
      cta_url: 'https://evil.example',
      ctaUrl: 'https://evil.example',
      backgroundColor: '#000000',
    })}`
    await page.getByRole('button', { name: 'Generate Content' }).click()
    await expectNotice(page, 'Content generated!')
    await expect
      .poll(() => field(page, 'Title *').inputValue())
      .toBe('<img src=x onerror=alert(1)>')
    await expect.poll(() => field(page, 'Button URL').inputValue()).toBe('')
    await expect.poll(() => field(page, 'Background color').inputValue()).toBe('#ffffff')
    await expect.poll(() => preview(page).locator('img').count()).toBe(0)
    await page.context().close()
  })

  it('accept no design with an invalid color, and no picture from another site', async () => {
    const page = await openGenerator(browser, server)
    await openParts(page)
    await page.route('**/functions/v1/**', (route) =>
      route.fulfill({
        json: route.request().url().endsWith('image')
          ? { imageUrl: 'https://tracker.example/pixel.png' }
          : {
              content: JSON.stringify({
                backgroundColor: 'url(//tracker.example)',
                textColor: '#000000',
                buttonColor: '#000000',
                buttonTextColor: '#ffffff',
                accentColor: '#ffffff',
                borderRadius: 8,
                fontStyle: 'modern',
                shadowStyle: 'soft',
                size: 'large',
              }),
            },
      }),
    )
    await field(page, 'Describe your design vision').fill('Dark')
    await page.getByRole('button', { name: 'Generate Design' }).click()
    await expectNotice(page, 'Failed to parse AI response')
    await expect.poll(() => field(page, 'Background color').inputValue()).toBe('#ffffff')
    await field(page, 'Describe the image').fill('A cat')
    await page.getByRole('button', { name: 'Generate Image' }).click()
    await expectNotice(page, 'Failed to generate image')
    await expect.poll(() => preview(page).locator('img').count()).toBe(0)
    await page.context().close()
  })
})

describe('an uploaded picture', () => {
  it('is uploaded, shown, removed, and refused when it is not a picture', async () => {
    const page = await openGenerator(browser, server)
    const file = page.getByLabel('Picture file')
    await file.setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: picture })
    await expectNotice(page, 'Image uploaded!')
    const shown = preview(page).locator('img')
    await expect.poll(() => shown.getAttribute('src')).toMatch(/^\/media\//)
    await expect
      .poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth))
      .toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => shown.count()).toBe(0)

    await file.setInputFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('x') })
    await expectNotice(page, 'Failed to upload image', 'PNG, JPEG or WebP')
    await page.reload()
    const huge = Buffer.alloc(5 * 1024 * 1024 + 1)
    await file.setInputFiles({ name: 'big.png', mimeType: 'image/png', buffer: huge })
    await expectNotice(page, 'Failed to upload image', 'at most 5 MB')
    await page.reload()
    await field(page, 'Title *').fill('Still here')
    const text = Buffer.from('this only says that it is a picture')
    await file.setInputFiles({ name: 'no.png', mimeType: 'image/png', buffer: text })
    await expectNotice(page, 'Failed to upload image')
    await expect.poll(() => field(page, 'Title *').inputValue()).toBe('Still here')
    await expect.poll(() => shown.count()).toBe(0)
    await page.context().close()
  })
})
