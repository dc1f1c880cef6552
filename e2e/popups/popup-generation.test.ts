/** @module-tag extended */
import { randomBytes } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type FakeProvider, message, startProvider, wellBehaved } from '#test/functions/provider.ts'
import { expectNotice, forgive } from '../browser.ts'
import { type BuiltServer, startBuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { field, openGenerator, openParts } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let browser: Browser
let provider: FakeProvider
/** Without an AI: drafts. */
let plain: BuiltServer
/** With a provider, which may be hostile. */
let provided: BuiltServer

setStage((stage) => ({ server: plain, browser } = stage))

beforeAll(async () => {
  provider = await startProvider()
  provided = await startBuiltServer({
    RATE_LIMITS: 'off',
    AI_BASE_URL: provider.baseUrl,
    AI_API_KEY: 'a-key',
    AI_TEXT_MODEL: 'some-text',
    AI_IMAGE_MODEL: 'some-image',
    AI_DAILY_PER_PERSON: '3',
  })
})
afterAll(async () => {
  await provided?.close()
  await provider?.close()
})
afterEach(() => {
  provider.say = wellBehaved
})

async function ask(page: Page, label: string, prompt: string, action: string): Promise<void> {
  await page.getByLabel(label).fill(prompt)
  await page.getByRole('button', { name: action }).click()
}

const titleField = (page: Page) => page.getByLabel(/^Title/)
const picture = (page: Page) => page.locator('img[src^="/media/"]').first()

describe('without a provider', () => {
  it('a person describes a popup, and gets text, colors and a picture to save', async () => {
    const page = await openGenerator(browser, plain)
    const hints = page.getByText('Drafts without AI')
    // One for the offer, one for each part.
    await expect.poll(() => hints.count()).toBe(4)
    await openParts(page)
    await ask(
      page,
      'Describe your popup',
      '20% off handmade candles until Sunday',
      'Generate Content',
    )
    await expectNotice(page, 'Content generated!')
    await expect
      .poll(() => titleField(page).inputValue())
      .toBe('20% off handmade candles until Sunday')

    await ask(
      page,
      'Describe your design vision',
      'white background with pale yellow text, button orange',
      'Generate Design',
    )
    await expectNotice(page, 'Design generated!')
    await expect.poll(() => field(page, 'Button color').inputValue()).toBe('#f77f00')
    await page.getByText('Text color changed for contrast').waitFor()
    await expect
      .poll(() => titleField(page).inputValue())
      .toBe('20% off handmade candles until Sunday')

    await ask(page, 'Describe the image', 'candles', 'Generate Image')
    await expectNotice(page, 'Image generated!')
    await picture(page).waitFor()

    await page.getByRole('button', { name: /^Create/ }).click()
    await page.waitForURL('**/my-popups')
    const rows = await plain.sql<{ image_url: string; background_color: string }>(
      'select image_url, background_color from app.popups order by created_at desc limit 1',
    )
    expect(rows).toEqual([
      {
        image_url: expect.stringMatching(/^\/media\/[0-9a-f]{64}\.webp$/),
        background_color: '#ffffff',
      },
    ])
    await page.context().close()
  })

  it('a look that is not understood changes nothing, and says so', async () => {
    const page = await openGenerator(browser, plain)
    const note = page.getByText(/^Look unchanged/)
    const fields = ['Background color', 'Button color', 'Text color'].map((name) =>
      field(page, name),
    )
    const colors = () => Promise.all(fields.map((each) => each.inputValue()))
    const before = await colors()
    await openParts(page)
    await ask(page, 'Describe your design vision', 'etwas Besonderes', 'Generate Design')
    await note.waitFor()
    expect(await colors()).toEqual(before)
    expect(await page.getByRole('button', { name: 'Undo AI Design' }).count()).toBe(0)
    expect(await page.getByText('Design generated!').count()).toBe(0)
    await look(page, 'popup-design-not-understood')

    await ask(
      page,
      'Describe your design vision',
      'dunkelblauer Hintergrund, weißer Knopf, eckig',
      'Generate Design',
    )
    await expectNotice(page, 'Design generated!')
    await expect.poll(colors).toEqual(['#0e2b60', '#ffffff', '#ffffff'])
    expect(await note.count()).toBe(0)
    await look(page, 'popup-design-understood')
    await page.context().close()
  })

  it('the quick draft of a description without a look keeps the look', async () => {
    const page = await openGenerator(browser, plain)
    const color = () => field(page, 'Background color').inputValue()
    const before = await color()
    await ask(page, 'Your offer', 'Join our Discord', 'Quick draft')
    await expectNotice(page, 'Draft ready')
    await page.getByText(/^Look unchanged/).waitFor()
    expect(await color()).toBe(before)
    await page.context().close()
  })

  it('Undo brings back the fields before each generation, typed ones included', async () => {
    const page = await openGenerator(browser, plain)
    const typed = { 'Title *': 'My title', Description: 'My text', 'Button Text *': 'My button' }
    for (const [label, text] of Object.entries(typed)) await field(page, label).fill(text)
    const collects = page.getByLabel(/^Collect Email Address/)
    const color = () => field(page, 'Background color').inputValue()
    const undo = (card: string) => page.getByRole('button', { name: `Undo ${card}` })
    await openParts(page)
    await expect.poll(() => undo('AI Content').count()).toBe(0)

    await ask(page, 'Describe your popup', 'newsletter', 'Generate Content')
    await expectNotice(page, 'Content generated!')
    await expect.poll(() => collects.isChecked()).toBe(true)
    await page.getByText('Turned on email collection').waitFor()
    await ask(page, 'Describe your design vision', 'black and gold', 'Generate Design')
    await expectNotice(page, 'Design generated!')
    expect(await color()).toBe('#000000')
    await ask(page, 'Describe the image', 'a dog', 'Generate Image')
    await expectNotice(page, 'Image generated!')
    await picture(page).waitFor()

    await look(page, 'popup-generator-drafts')
    await undo('AI Content').click()
    for (const [label, text] of Object.entries(typed)) {
      await expect.poll(() => field(page, label).inputValue()).toBe(text)
    }
    await expect.poll(() => collects.isChecked()).toBe(false)
    await expect.poll(() => page.getByText('Turned on email collection').count()).toBe(0)
    expect(await color()).toBe('#000000')
    await undo('AI Design').click()
    expect(await color()).toBe('#ffffff')
    await undo('AI Image').click()
    await expect.poll(() => picture(page).count()).toBe(0)
    await expect.poll(() => undo('AI').count()).toBe(0)
    // The description stays, for another try.
    await expect.poll(() => page.getByLabel('Describe your popup').inputValue()).toBe('newsletter')
    await page.context().close()
  })

  it('Collect Email goes off again with the next text, unless the person turned it on', async () => {
    const page = await openGenerator(browser, plain)
    const collects = page.getByLabel(/^Collect Email Address/)
    await openParts(page)
    await ask(page, 'Describe your popup', 'newsletter', 'Generate Content')
    await expect.poll(() => collects.isChecked()).toBe(true)
    await ask(page, 'Describe your popup', '20% off our flower shop', 'Generate Content')
    await expect.poll(() => titleField(page).inputValue()).toBe('20% off our flower shop')
    await expect.poll(() => collects.isChecked()).toBe(false)
    await collects.check()
    await ask(page, 'Describe your popup', 'Join our Discord', 'Generate Content')
    await expect.poll(() => titleField(page).inputValue()).toBe('Join our Discord')
    await expect.poll(() => collects.isChecked()).toBe(true)
    await page.context().close()
  })

  it('a person uploads a picture for a popup', async () => {
    const page = await openGenerator(browser, plain)
    const raw = { width: 20, height: 20, channels: 3 } as const
    const buffer = await sharp(randomBytes(1_200), { raw }).jpeg().toBuffer()
    const file = page.locator('input[type=file]')
    await file.setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer })
    await expectNotice(page, 'Image uploaded!')
    const shown = await picture(page).evaluate((image: HTMLImageElement) =>
      image.decode().then(() => image.naturalWidth),
    )
    expect(shown).toBe(20)

    // A photo of a phone: 24 megapixels, turned by its metadata, and more than 5 MB.
    const photo = { width: 5_712, height: 4_284, channels: 3 } as const
    const noise = await sharp(randomBytes(1_428 * 1_071 * 3), {
      raw: { width: 1_428, height: 1_071, channels: 3 },
    })
      .resize(photo.width, photo.height)
      .jpeg({ quality: 98 })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    expect(noise.length).toBeGreaterThan(5 * 1024 * 1024)
    await page.reload()
    await file.setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: noise })
    await expectNotice(page, 'Image uploaded!')
    const sides = await picture(page).evaluate((image: HTMLImageElement) =>
      image.decode().then(() => [image.naturalWidth, image.naturalHeight]),
    )
    expect(sides).toEqual([1_800, 2_400])

    await file.setInputFiles({
      name: 'no.png',
      mimeType: 'image/png',
      buffer: Buffer.from('<svg/>'),
    })
    await expectNotice(page, 'Failed to upload image', 'Please upload a PNG, JPEG or WebP image')
    await page.context().close()
  })
})

describe('with a provider', () => {
  it('no card says that an AI is missing', async () => {
    const page = await openGenerator(browser, provided)
    const answered = page.waitForResponse('**/functions/v1/ai-status')
    await page.reload()
    expect((await answered).ok()).toBe(true)
    await page.waitForLoadState('networkidle')
    await expect.poll(() => page.getByText('without AI').count()).toBe(0)
    await page.context().close()
  })

  it('its output is always shown as text', async () => {
    const title = '<img src=x onerror=alert(1)>'
    provider.say = () => ({
      body: message(
        JSON.stringify({
          title,
          description: '<script>alert(1)</script>',
          ctaText: 'Go',
          cta_url: 'https://evil.example/',
        }),
      ),
    })
    const page = await openGenerator(browser, provided)
    page.on('dialog', () => expect.unreachable('a script ran'))
    await openParts(page)
    await ask(page, 'Describe your popup', 'anything', 'Generate Content')
    await expectNotice(page, 'Content generated!')
    await expect.poll(() => titleField(page).inputValue()).toBe(title)
    await expect.poll(() => page.getByText(title).first().isVisible()).toBe(true)
    await expect.poll(() => page.getByLabel(/^Button URL/).inputValue()).toBe('')
    await page.context().close()
  })

  it('an unreadable answer and a failing provider leave the input', async () => {
    const page = await openGenerator(browser, provided)
    await titleField(page).fill('My own words')
    await openParts(page)
    provider.say = () => ({ body: message('Sorry, no.') })
    await ask(page, 'Describe your popup', 'anything', 'Generate Content')
    await expectNotice(page, 'Failed to parse AI response')
    provider.say = () => ({ status: 400, body: {} })
    await ask(page, 'Describe your design vision', 'anything', 'Generate Design')
    await expectNotice(page, 'Failed to generate design')
    await ask(page, 'Describe the image', 'anything', 'Generate Image')
    await expectNotice(page, 'Failed to generate image')
    await expect.poll(() => titleField(page).inputValue()).toBe('My own words')
    await expect.poll(() => page.getByLabel('Describe the image').inputValue()).toBe('anything')
    // The browser itself reports each 502 that the screens show.
    forgive(/status of 502/)
    await page.context().close()
  })

  it('the daily limit of generations is shown', async () => {
    const page = await openGenerator(browser, provided)
    await openParts(page)
    for (let i = 0; i < 3; i++) {
      const answer = page.waitForResponse(/\/functions\/v1\//)
      await ask(page, 'Describe the image', 'bread', 'Generate Image')
      expect((await answer).status()).toBe(200)
    }
    await ask(page, 'Describe the image', 'bread', 'Generate Image')
    await expectNotice(
      page,
      'Failed to generate image',
      "You've reached your daily limit of 3 AI generations.",
    )
    await page.context().close()
  })
})
