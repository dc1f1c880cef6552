import type { Browser, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { newPicture } from '#test/media/uploads.ts'
import { expectAccessible, expectNotice, forgive, openPage, widthsOf } from './browser.ts'
import type { BuiltServer } from './built-server.ts'
import { pressInMenu } from './menus.ts'
import { setStage } from './stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

interface Stored {
  slug: string
  title: string
  description: string | null
  popup_id: string | null
  theme: string
  links: string[] | null
  social: string[] | null
}

async function storedPage(user: TestUser): Promise<Stored | undefined> {
  const [page] = await server.sql<Stored>(
    `select slug, title, description, popup_id, concat_ws(' | ', theme_primary, theme_background, theme_text) as theme,
       (select array_agg(l.title || ' ' || l.url order by link_order) from app.bio_links l where l.bio_page_id = p.id) as links,
       (select array_agg(s.platform || ' ' || s.url order by display_order) from app.bio_social_links s where s.bio_page_id = p.id) as social
     from app.bio_pages p where user_id = $1`,
    [user.id],
  )
  return page
}

let made = 0

/** A page with these links, saved as another client would. */
async function makeBioPage(user: TestUser, titles: string[]): Promise<string> {
  const slug = `page-${++made}`
  const response = await fetch(`${server.url}/rest/v1/rpc/save_bio_page`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      page: { slug, title: 'Ada' },
      links: titles.map((title) => ({
        title,
        url: `https://example.com/${encodeURIComponent(title)}`,
      })),
      social_links: [{ platform: 'github', url: 'https://github.com/ada' }],
    }),
  })
  expect(response.status).toBe(200)
  return slug
}

async function openEditor(
  user: TestUser,
  visit: { width?: number; theme?: 'light' | 'dark' } = {},
) {
  const page = await openPage(browser, server.url, { user, ...visit })
  await page.goto('/bio-link')
  await page.getByRole('heading', { name: 'Bio Link', level: 1 }).waitFor()
  return page
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
const linkRows = (page: Page) =>
  page.getByRole('region', { name: 'Links', exact: true }).locator('li[data-row]')
/** Answers the card of the first visit, which opens the editor. */
async function namePage(page: Page, name: string, slug?: string): Promise<void> {
  await page.getByLabel('Your name').fill(name)
  if (slug !== undefined) await page.getByLabel('Address').fill(slug)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Page Settings' }).waitFor()
}
/** Presses the button that unfolds a row. */
const unfold = (page: Page, title: string) =>
  linkRows(page).filter({ hasText: title }).locator('button[aria-expanded]').click()
const titles = (page: Page) =>
  linkRows(page).evaluateAll((rows) =>
    rows.map((row) => row.querySelector('button[aria-expanded] [dir]')?.textContent ?? ''),
  )
/** Narrow screens show one part of the editor at a time. */
async function openPart(page: Page, name: 'Edit' | 'Look' | 'Preview'): Promise<void> {
  const tab = page.getByRole('button', { name, exact: true })
  if (await tab.isVisible()) await tab.click()
}
async function choose(page: Page, row: number, option: 'Move up' | 'Move down' | 'Remove') {
  await pressInMenu(
    page.getByRole('button', { name: `Options of link ${row}`, exact: true }),
    page.getByRole('button', { name: `${option} link ${row}`, exact: true }),
  )
}
const isFocused = (locator: Locator) =>
  locator.evaluate((element) => element === document.activeElement)

for (const width of [360, 1280]) {
  const tags = width === 360 ? [] : ['extended' as const]
  it(`a person makes a bio page from nothing, ${width} px wide`, { tags }, async () => {
    const user = await makeUser(server)
    const page = await openEditor(user, { width })
    await page.getByLabel('Your name').fill('Ada Lovelacé')
    const address = page.getByLabel('Address')
    await expect.poll(() => address.inputValue()).toBe('ada-lovelace')
    await address.fill('')
    await address.pressSequentially(`My Page! ${width}/É`)
    await expect.poll(() => address.inputValue()).toBe(`mypage${width}`)
    await page.getByRole('main').getByText('Available', { exact: true }).waitFor()
    await page.getByText('3-30 characters').waitFor()
    await page.getByText('You can’t change this later.').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('No links added yet.').first().waitFor()
    await page.getByLabel('Title', { exact: true }).fill('Ada Lovelace')
    await page.getByLabel('Description').fill('Notes on the engine')
    await openPart(page, 'Look')
    await page.getByRole('heading', { name: 'Look', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Ocean Blue' }).click()
    await expectNotice(page, 'Theme applied', 'Ocean Blue theme selected')
    await openPart(page, 'Edit')
    await page.getByRole('button', { name: 'Add GitHub' }).click()
    await page.keyboard.type('https://github.com/ada')
    await page.getByRole('button', { name: 'Add Email' }).click()
    await page.keyboard.type('ada@example.com')
    await page.getByRole('button', { name: 'Add YouTube' }).click()
    await page.getByRole('button', { name: 'Add Link', exact: true }).click()
    await page.keyboard.type('My shop')
    await page.keyboard.press('Enter')
    await page.keyboard.type('HTTPS://Shop.example')
    await page.keyboard.press('Enter')
    await expect.poll(() => linkRows(page).count()).toBe(2)
    await openPart(page, 'Preview')
    const preview = page.getByRole('region', { name: 'Live Preview' })
    await preview.getByText('@Ada Lovelace', { exact: true }).first().waitFor()
    await preview.getByText('My shop').waitFor()
    await save(page)
    await expectNotice(page, 'Success', 'Bio page saved successfully!')
    expect(await storedPage(user)).toEqual({
      slug: `mypage${width}`,
      title: 'Ada Lovelace',
      description: 'Notes on the engine',
      popup_id: null,
      theme: '207 90% 36% | 203 70% 96% | 212 60% 15%',
      links: ['My shop https://shop.example/'],
      social: ['github https://github.com/ada', 'email mailto:ada@example.com'],
    })
    const sheet = page.getByRole('dialog', { name: 'Your page is live' })
    await sheet.getByText(new RegExp(`^\\S+/mypage${width}$`)).waitFor()
    await sheet.getByRole('button', { name: 'Copy' }).click()
    await expectNotice(page, 'Copied!', 'Link copied to clipboard')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `${server.url}/mypage${width}`,
    )
    await sheet.getByRole('button', { name: 'Close' }).click()
    await openPart(page, 'Edit')
    await expect.poll(() => page.getByLabel('Slug').getAttribute('readonly')).not.toBeNull()
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Preview' }).click(),
    ])
    await opened.waitForURL(`**/mypage${width}`)
    await opened.getByRole('heading', { name: '@Ada Lovelace' }).waitFor()
    await expect.poll(() => opened.getByRole('link', { name: 'My shop' }).count()).toBe(1)
    await opened.close()
    await page.reload()
    await page.getByRole('button', { name: 'Email ada@example.com' }).click()
    await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe('ada@example.com')
    await page.context().close()
  })
}

describe('the rows of the links', { tags: ['extended'] }, () => {
  it('are put in order, hidden and edited by keyboard alone, 360 px wide', async () => {
    const user = await makeUser(server)
    const slug = await makeBioPage(user, ['one', 'two', 'three'])
    const page = await openEditor(user, { width: 360 })
    const handle = (row: number) => page.getByRole('button', { name: `Move link ${row}` })
    await handle(3).focus()
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => titles(page)).toEqual(['one', 'three', 'two'])
    await page.getByText('three is now link 2 of 3').waitFor()
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => titles(page)).toEqual(['three', 'one', 'two'])
    expect(await isFocused(handle(1))).toBe(true)
    // At the top nothing more happens, and the focus still stays.
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => titles(page)).toEqual(['three', 'one', 'two'])
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => titles(page)).toEqual(['one', 'three', 'two'])
    // From the handle: the row, its switch, its options.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByLabel('Link title').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await expect
      .poll(() => page.getByRole('switch', { name: 'Show three' }).isChecked())
      .toBe(false)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('3')
    await expect.poll(() => titles(page)).toEqual(['one', '3', 'two'])
    const before = await server.sql('select id from app.bio_links order by id')
    await page.keyboard.press('Control+Enter')
    await expectNotice(page, 'Success')
    expect((await storedPage(user))?.links).toEqual([
      'one https://example.com/one',
      '3 https://example.com/three',
      'two https://example.com/two',
    ])
    expect(await server.sql('select id from app.bio_links order by id')).toEqual(before)
    await page.goto(`/${slug}`)
    await expect
      .poll(() => page.getByRole('list', { name: 'Links', exact: true }).innerText())
      .toMatch(/^one\s+two$/)
    await page.context().close()
  })

  for (const width of [360, 1280]) {
    it(`are put in order by dragging, ${width} px wide`, async () => {
      const user = await makeUser(server)
      await makeBioPage(user, ['one', 'two', 'three'])
      const page = await openEditor(user, { width })
      const row = (title: string) => linkRows(page).filter({ hasText: title })
      const handle = await row('one').locator('[data-handle]').boundingBox()
      const target = await row('three').boundingBox()
      if (!handle || !target) throw new Error('both are on the screen')
      expect(target.height).toBeLessThanOrEqual(58)
      await page.mouse.move(handle.x + 10, handle.y + 10)
      await page.mouse.down()
      await page.mouse.move(handle.x + 10, target.y + target.height - 10, { steps: 15 })
      await page.mouse.up()
      await expect.poll(() => titles(page)).toEqual(['two', 'three', 'one'])
      await page.getByText('one is now link 3 of 3').waitFor()
      await page.mouse.move(handle.x, handle.y)
      await expect.poll(() => titles(page)).toEqual(['two', 'three', 'one'])
      await page.context().close()
    })
  }

  it('are moved and removed from their menus: the focus stays, and a removal can be undone', async () => {
    const user = await makeUser(server)
    await makeBioPage(user, ['one', 'two', 'three'])
    const page = await openEditor(user)
    await choose(page, 3, 'Move up')
    await expect.poll(() => titles(page)).toEqual(['one', 'three', 'two'])
    await choose(page, 1, 'Remove')
    await expect.poll(() => titles(page)).toEqual(['three', 'two'])
    const next = page.getByRole('button', { name: 'Options of link 1', exact: true })
    await expect.poll(() => isFocused(next)).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => titles(page)).toEqual(['one', 'three', 'two'])
    await choose(page, 1, 'Remove')
    await pressInMenu(
      page.getByRole('button', { name: 'Options of social link 1' }),
      page.getByRole('button', { name: 'Remove social link 1' }),
    )
    await save(page)
    await expectNotice(page, 'Success')
    expect(await storedPage(user)).toMatchObject({
      links: ['three https://example.com/three', 'two https://example.com/two'],
      social: null,
    })
    await page.context().close()
  })
})

describe('the links of a new page', { tags: ['extended'] }, () => {
  it('are pasted as lines, and the page is shared two presses after the save', async () => {
    const user = await makeUser(server)
    const page = await openEditor(user)
    const address = `shared-${user.id.slice(0, 8)}`
    await page.getByText('3-30 characters').waitFor()
    await expectAccessible(page)
    await namePage(page, 'Ada', address)
    await page.getByRole('button', { name: 'Add Link', exact: true }).click()
    await page.evaluate(() =>
      navigator.clipboard.writeText(
        'My shop https://shop.example/\nhttps://www.slides.example/talk\nNews\nletters.example/n',
      ),
    )
    await page.keyboard.press('ControlOrMeta+v')
    await expect.poll(() => titles(page)).toEqual(['My shop', 'slides.example', 'News'])
    await page.getByRole('button', { name: 'Add another link' }).click()
    await page.keyboard.type('Last')
    await unfold(page, 'My shop')
    // One row is open at a time.
    await expect.poll(() => page.getByLabel('Link title').count()).toBe(1)
    let presses = 0
    const press = async (element: Locator) => {
      presses += 1
      await element.click()
    }
    await press(page.getByRole('button', { name: 'Save', exact: true }))
    const sheet = page.getByRole('dialog', { name: 'Your page is live' })
    await sheet.getByRole('img', { name: /QR code of/ }).waitFor()
    await expectAccessible(page)
    const opened = page.context().waitForEvent('page')
    await press(sheet.getByRole('link', { name: 'WhatsApp' }))
    await (await opened).close()
    expect(presses).toBeLessThanOrEqual(2)
    expect((await storedPage(user))?.links).toEqual([
      'My shop https://shop.example/',
      'slides.example https://www.slides.example/talk',
      'News https://letters.example/n',
    ])
    await page.keyboard.press('Escape')
    await page.getByRole('main').getByRole('button', { name: 'Copy', exact: true }).click()
    await expectNotice(page, 'Copied!', 'Link copied to clipboard')
    // A later save opens no sheet.
    await page.getByLabel('Description').fill('Later')
    await save(page)
    await expect.poll(() => page.getByText('Unsaved changes').count()).toBe(0)
    expect(await sheet.isVisible()).toBe(false)
    await page.context().close()
  })
})

it(
  'the list has headers, dividers, and links with a picture and a time',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    const slug = await makeBioPage(user, ['one', 'two'])
    const page = await openEditor(user)
    await page.getByRole('button', { name: 'Header', exact: true }).click()
    await page.keyboard.type('My shops')
    await page.getByRole('button', { name: 'Divider', exact: true }).click()
    await choose(page, 3, 'Move up')
    await unfold(page, 'one')
    await page.getByText('Picture and schedule').click()
    const picture = { name: 'shop.png', mimeType: 'image/png', buffer: await newPicture(90, 60) }
    await page
      .getByRole('group', { name: 'Link picture' })
      .getByLabel('Picture file')
      .setInputFiles(picture)
    await expectNotice(page, 'Image uploaded!')
    await unfold(page, 'two')
    await page.getByText('Picture and schedule').click()
    await page.getByLabel('Start', { exact: true }).fill('2090-01-02T08:00')
    await page.getByLabel('End', { exact: true }).fill('2090-01-01T08:00')
    await save(page)
    await expectNotice(page, 'Validation Error', 'The end must be after the start')
    await page.getByLabel('End', { exact: true }).fill('2090-02-01T08:00')
    await page.getByText('Scheduled · example.com').waitFor()
    await expectAccessible(page)
    await save(page)
    await expectNotice(page, 'Success')
    await page.goto(`/${slug}`)
    const list = page.getByRole('list', { name: 'Links', exact: true })
    await list.getByRole('heading', { name: 'My shops' }).waitFor()
    expect(await list.getByRole('link').allInnerTexts()).toEqual(['one'])
    expect(await list.getByRole('separator').count()).toBe(1)
    const shown = list.getByRole('link', { name: 'one' }).locator('img')
    expect(
      await shown.evaluate(async (image: HTMLImageElement) => {
        await image.decode()
        return image.naturalWidth
      }),
    ).toBeGreaterThan(0)
    await expectAccessible(page)
    await page.context().close()
  },
)

it(
  'the schedule stays open when it is emptied, and a picture arrives in a row that was folded meanwhile',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    await makeBioPage(user, ['one'])
    const page = await openEditor(user)
    await unfold(page, 'one')
    await page.getByText('Picture and schedule').click()
    const start = page.getByLabel('Start', { exact: true })
    await start.fill('2090-01-02T08:00')
    await page.getByText('Scheduled · example.com').waitFor()
    await start.fill('')
    await page.getByText('Scheduled · example.com').waitFor({ state: 'detached' })
    expect(await start.isVisible()).toBe(true)

    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/media/uploads', async (route) => {
      await answered
      await route.continue()
    })
    const group = page.getByRole('group', { name: 'Link picture' })
    await group.getByLabel('Picture file').setInputFiles({
      name: 'shop.png',
      mimeType: 'image/png',
      buffer: await newPicture(90, 60),
    })
    await group.getByText('Uploading...').waitFor()
    await unfold(page, 'one')
    await group.waitFor({ state: 'detached' })
    answer()
    await expectNotice(page, 'Image uploaded!')
    await unfold(page, 'one')
    await group.getByRole('button', { name: 'Change picture' }).waitFor()
    await page.context().close()
  },
)

it('a page has the font of its look', { tags: ['extended'] }, async () => {
  const user = await makeUser(server)
  const slug = await makeBioPage(user, ['one'])
  await server.sql(`update app.bio_pages set look = 'terminal' where slug = $1`, [slug])
  const page = await openPage(browser, server.url)
  await page.goto(`/${slug}`)
  const loaded = () =>
    page.evaluate(async () => {
      await document.fonts.ready
      return [...document.fonts].map(({ family, status }) => [family, status])
    })
  // Where it came too late the first time, it is there now.
  await page.reload()
  expect(await loaded()).toEqual([['hp-mono', 'loaded']])
  const [font] = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap(({ name }) => (name.endsWith('.woff2') ? [name] : [])),
  )
  const response = await fetch(font ?? '')
  expect(response.headers.get('cache-control')).toContain('immutable')
  await page.context().close()
})

describe('errors of the bio editor', { tags: ['extended'] }, () => {
  it('slug and title are required, and the first empty field gets the focus', async () => {
    const user = await makeUser(server)
    const page = await openEditor(user)
    await page.getByRole('button', { name: 'Continue' }).click()
    await expectNotice(page, 'Please fill in slug and title')
    await expect.poll(() => isFocused(page.getByLabel('Your name'))).toBe(true)
    await namePage(page, 'Ada')
    await page.getByLabel('Slug').fill('')
    await page.getByLabel('Title', { exact: true }).fill('')
    await save(page)
    await expect
      .poll(() => page.getByLabel('Slug').evaluate((one) => one === document.activeElement))
      .toBe(true)
    await page.getByLabel('Slug').fill('has-slug')
    await page.getByLabel('Title', { exact: true }).fill('   ')
    await page.keyboard.press('Enter')
    await expect
      .poll(() =>
        page.getByLabel('Title', { exact: true }).evaluate((one) => one === document.activeElement),
      )
      .toBe(true)
    expect(await storedPage(user)).toBeUndefined()
    await page.context().close()
  })

  it('an invalid address is refused beside its field; half-filled rows wait', async () => {
    const user = await makeUser(server)
    await makeBioPage(user, ['one'])
    const page = await openEditor(user)
    for (const [title, url] of [
      ['No address yet', ''],
      ['Bad', 'javascript:alert(1)'],
    ] as const) {
      await page.getByRole('button', { name: 'Add Link', exact: true }).click()
      await page.keyboard.type(title)
      await page.getByLabel('Link URL').last().fill(url)
    }
    await save(page)
    const message = 'Please enter a valid URL starting with http:// or https://'
    await expectNotice(page, 'Validation Error', message)
    const bad = page.getByLabel('Link URL').last()
    await expect.poll(() => bad.evaluate((one) => one === document.activeElement)).toBe(true)
    await bad.fill('example.org/good')
    await save(page)
    await expectNotice(page, 'Success')
    expect((await storedPage(user))?.links).toEqual([
      'one https://example.com/one',
      'Bad https://example.org/good',
    ])
    await expect.poll(() => titles(page)).toEqual(['one', 'No address yet', 'Bad'])
    await unfold(page, 'No address yet')
    await page.getByText('Add a title and URL to show it.').waitFor()
    await page.context().close()
  })

  for (const { label, limit, message } of [
    { label: /^Title/, limit: 200, message: 'Title must be at most 200 characters' },
    {
      label: /^Description/,
      limit: 1_000,
      message: 'Description must be at most 1,000 characters',
    },
    { label: /^Link title/, limit: 200, message: 'Link title must be at most 200 characters' },
  ]) {
    it(`a text that is too long is kept whole and refused: “${message}”`, async () => {
      const user = await makeUser(server)
      await makeBioPage(user, ['one'])
      const page = await openEditor(user)
      await unfold(page, 'one')
      const box = page.getByRole('textbox', { name: label })
      const long = 'word '.repeat(limit / 5) + 'too much'
      await box.fill('')
      await page.keyboard.insertText(long)
      await page.getByText(`${limit + 8} of ${limit}`).waitFor()
      await save(page)
      await expectNotice(page, 'Validation Error', message)
      await expect.poll(() => box.inputValue()).toBe(long)
      await expect.poll(() => box.getAttribute('aria-invalid')).toBe('true')
      await expect.poll(() => box.evaluate((one) => one === document.activeElement)).toBe(true)
      await box.fill(long.slice(0, limit - 1))
      await save(page)
      await expectNotice(page, 'Success')
      await page.context().close()
    })
  }

  it('a refusal of the server is shown with its sentence', async () => {
    const user = await makeUser(server)
    await makeBioPage(user, ['one'])
    const page = await openEditor(user)
    // Another form would let this through; the answer is the real one.
    await page.route('**/rest/v1/rpc/save_bio_page', (route) => {
      const sent = route.request().postDataJSON() as { page: object }
      const tooLong = { ...sent.page, title: 'x'.repeat(201) }
      return route.continue({ postData: { ...sent, page: tooLong } })
    })
    await save(page)
    await expectNotice(page, 'Error', 'Title must be at most 200 characters')
    await page.context().close()
  })

  it('a taken slug is refused in the server’s words', async () => {
    const [ada, bob] = [await makeUser(server), await makeUser(server)]
    await makeLink(server, bob, { short_code: 'bobs-own' })
    const page = await openEditor(ada)
    await page.getByLabel('Address').fill('bobs-own')
    await page.getByRole('button', { name: 'bobs-own-2' }).waitFor()
    await namePage(page, 'Ada')
    await save(page)
    await expectNotice(page, 'Error', 'This slug is already in use. Please try another one.')
    await expect
      .poll(() => page.getByLabel('Slug').evaluate((one) => one === document.activeElement))
      .toBe(true)
    await page.getByLabel('Slug').fill('admin')
    await save(page)
    await expectNotice(page, 'Error', 'This word is reserved for this site.')
    await page.getByLabel('Slug').fill('adas-own')
    await page.getByRole('main').getByText('Available', { exact: true }).waitFor()
    await save(page)
    await expectNotice(page, 'Success')
    await page.context().close()
  })

  it('a failed save keeps the input, and a failed load can be tried again', async () => {
    const user = await makeUser(server)
    await makeBioPage(user, ['one'])
    const page = await openPage(browser, server.url, { user })
    const fail = (pattern: string) =>
      page.route(pattern, (route) => route.fulfill({ status: 503, body: '{}' }))
    await fail('**/rest/v1/bio_pages*')
    await page.goto('/bio-link')
    await expectNotice(page, 'Error', 'Failed to load bio page')
    await page.unroute('**/rest/v1/bio_pages*')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await page.getByLabel('Title', { exact: true }).fill('Typed')
    await fail('**/rest/v1/rpc/save_bio_page')
    await save(page)
    await page.getByText('Failed to save bio page').first().waitFor()
    await page.unroute('**/rest/v1/rpc/save_bio_page')
    await page.route('**/rest/v1/rpc/save_bio_page', (route) => route.abort())
    await save(page)
    await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('Typed')
    await page.unroute('**/rest/v1/rpc/save_bio_page')
    await save(page)
    await expectNotice(page, 'Success')
    expect(await storedPage(user)).toMatchObject({ title: 'Typed' })
    forgive(/status of 503|ERR_FAILED/)
    await page.context().close()
  })
})

describe('unsaved changes', { tags: ['extended'] }, () => {
  it('block every way out until the person decides', async () => {
    const user = await makeUser(server)
    await makeBioPage(user, ['one'])
    const page = await openEditor(user)
    // Nothing changed: nothing asks.
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.waitForURL('**/dashboard')
    await page.goBack()
    await page.getByLabel('Title', { exact: true }).fill('Changed')
    await page.getByText('Unsaved changes').waitFor()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Keep Editing' }).click()
    expect(page.url()).toContain('/bio-link')
    await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('Changed')
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('Changed')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL('**/dashboard')
    expect(await storedPage(user)).toMatchObject({ title: 'Ada' })
    await page.context().close()
  })

  it('are gone after a save', async () => {
    const user = await makeUser(server)
    await makeBioPage(user, ['one'])
    const page = await openEditor(user)
    await page.getByLabel('Title', { exact: true }).fill('Saved')
    await save(page)
    await expectNotice(page, 'Success')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.waitForURL('**/dashboard')
    await page.goBack()
    const title = page.getByLabel('Title', { exact: true })
    await expect.poll(() => title.inputValue()).toBe('Saved')
    await page.context().close()
  })
})

describe('the conversion popup and the colors', { tags: ['extended'] }, () => {
  it('offers one’s own popups, or a way to make the first', async () => {
    const user = await makeUser(server)
    await makeBioPage(user, [])
    const page = await openEditor(user)
    await page.getByText('No popups available.').waitFor()
    await expect
      .poll(() => page.getByRole('link', { name: 'Create one' }).getAttribute('href'))
      .toBe('/popup-generator')
    const [popup] = await server.sql<{ id: string }>(
      `insert into app.popups (user_id, title) values ($1, 'Spring sale') returning id`,
      [user.id],
    )
    await page.reload()
    await page.getByLabel('Popup', { exact: true }).selectOption({ label: 'Spring sale' })
    await save(page)
    await expectNotice(page, 'Success')
    expect((await storedPage(user))?.popup_id).toBe(popup?.id)
    await page.context().close()
  })

  it('takes own colors from the pickers, and warns when they cannot be read', async () => {
    const user = await makeUser(server)
    await makeBioPage(user, [])
    const page = await openEditor(user)
    const classic = page.getByRole('button', { name: 'Classic Purple' })
    await expect.poll(() => classic.getAttribute('aria-pressed')).toBe('true')
    await page.getByLabel('Primary color').fill('#ff0000')
    await page.getByLabel('Text color').fill('#eeeeee')
    await page.getByText('hard to read').waitFor()
    await expect.poll(() => classic.getAttribute('aria-pressed')).toBe('false')
    await page.getByLabel('Text color').fill('#000000')
    await save(page)
    await expectNotice(page, 'Success')
    expect((await storedPage(user))?.theme).toBe('0 100% 50% | 0 0% 100% | 0 0% 0%')
    await page.context().close()
  })
})

describe('text that would run as a script if it were HTML', { tags: ['extended'] }, () => {
  it('stays text in the form and in the preview', async () => {
    const user = await makeUser(server)
    await makeBioPage(user, [])
    const page = await openEditor(user)
    const texts = [
      '<script>window.injected = 1</script>',
      '"><img src=x onerror="window.injected = 1">',
      '</textarea><svg onload="window.injected = 1">',
      '{{constructor.constructor("window.injected = 1")()}}',
    ]
    for (const text of texts) {
      await page.getByLabel('Title', { exact: true }).fill(text)
      await page.getByLabel('Description').fill(text)
      await page.getByRole('button', { name: 'Add Link', exact: true }).click()
      await page.keyboard.insertText(text)
      await page.getByLabel('Link URL').last().fill('https://example.com/')
      const preview = page.getByLabel('Live Preview')
      await preview.getByText(`@${text}`, { exact: true }).first().waitFor()
      await expect
        .poll(() => preview.getByText(text, { exact: true }).count())
        .toBeGreaterThanOrEqual(2)
    }
    await page.getByLabel('Link URL').last().fill('javascript:window.injected = 1')
    await expect.poll(() => page.locator('a[href^="javascript:"]').count()).toBe(0)
    await page.getByLabel('Link URL').last().fill('https://example.com/')
    await save(page)
    await expectNotice(page, 'Success')
    await page.reload()
    await expect.poll(() => titles(page)).toEqual(texts)
    await expect.poll(() => page.evaluate(() => 'injected' in window)).toBe(false)
    await page.context().close()
  })
})

it('a page gets a look and a picture, which visitors then see', async () => {
  const user = await makeUser(server)
  const slug = await makeBioPage(user, ['one', 'two', 'three'])
  const page = await openEditor(user)
  await page.getByRole('button', { name: 'Terminal' }).click()
  const classic = page.getByRole('button', { name: 'Classic Purple' })
  await expect.poll(() => classic.getAttribute('aria-pressed')).toBe('false')
  // Colors of one's own stay with any look.
  await page.getByLabel('Primary color').fill('#00ff00')
  await page.getByRole('button', { name: 'Gallery' }).click()
  await expect.poll(() => page.getByLabel('Primary color').inputValue()).toBe('#00ff00')
  await page.getByRole('button', { name: 'Terminal' }).click()
  const picture = { name: 'me.png', mimeType: 'image/png', buffer: await newPicture(900, 600) }
  await page.getByLabel('Picture file').setInputFiles(picture)
  await expectNotice(page, 'Image uploaded!')
  const preview = page.getByRole('region', { name: 'Live Preview' })
  await preview.locator('.hp-avatar img').first().waitFor({ state: 'attached' })
  await save(page)
  await expectNotice(page, 'Success')
  await page.goto(`/${slug}`)
  const shown = await page.locator('.hp-bio-card .hp-avatar img').evaluate(async (image) => {
    await (image as HTMLImageElement).decode()
    const { naturalWidth, naturalHeight } = image as HTMLImageElement
    return { naturalWidth, naturalHeight, font: getComputedStyle(image).fontFamily }
  })
  // The square in the middle, small enough for a phone.
  expect(shown).toMatchObject({ naturalWidth: 384, naturalHeight: 384 })
  expect(shown.font).toContain('monospace')
  await page.goto('/bio-link')
  await page.getByRole('button', { name: 'Remove picture' }).click()
  await save(page)
  await expectNotice(page, 'Success')
  const [stored] = await server.sql('select look, avatar_url from app.bio_pages where slug = $1', [
    slug,
  ])
  expect(stored).toEqual({ look: 'terminal', avatar_url: null })
  await page.context().close()
})

it.each([1024, 1920])(
  'the page stays in sight beside its rows, %i px wide',
  { tags: ['extended'] },
  async (width) => {
    const user = await makeUser(server)
    await makeBioPage(
      user,
      Array.from({ length: 20 }, (_, i) => `link-${i}`),
    )
    const page = await openEditor(user, { width })
    const preview = page.getByRole('region', { name: 'Live Preview' })
    await preview.getByText('link-19').waitFor()
    expect((await preview.boundingBox())?.width).toBe(375)
    await page.getByText('Add your profiles.').scrollIntoViewIfNeeded()
    await expect.poll(async () => (await preview.boundingBox())?.y).toBeGreaterThanOrEqual(0)
    await expect
      .poll(() => preview.evaluate((one) => one.getBoundingClientRect().bottom))
      .toBeLessThan(900)
    await expect
      .poll(() => page.getByRole('button', { name: 'Look', exact: true }).isVisible())
      .toBe(false)
    // The preview is as narrow as a phone, so its code is in Share, as on a phone.
    await expect.poll(() => preview.getByRole('img', { name: /QR code/ }).isVisible()).toBe(false)
    await page.context().close()
  },
)

it(
  'texts of 200 letters without a blank, in any script, stay in their rows, 320 px wide',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server, { plan: 'pro' })
    await makeBioPage(user, ['x'.repeat(200), 'שלום'.repeat(50), '👩‍👩‍👧‍👦'.repeat(18), 'd'])
    await server.sql('update app.bio_links set click_count = 123456789')
    const page = await openEditor(user, { width: 320 })
    await page.getByText('123.5M').first().waitFor()
    await unfold(page, 'xxx')
    for (const part of ['Edit', 'Look', 'Preview'] as const) {
      await openPart(page, part)
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect([part, overflow]).toEqual([part, 0])
    }
    await page.context().close()
  },
)

describe('rights on the bio editor', { tags: ['extended'] }, () => {
  it('the number of visits and of clicks is for paid plans', async () => {
    for (const [plan, shown] of [
      ['free', 0],
      ['pro', 1],
    ] as const) {
      const user = await makeUser(server, { plan })
      await makeBioPage(user, ['one'])
      await server.sql('update app.bio_pages set visit_count = 1234 where user_id = $1', [user.id])
      await server.sql(
        'update app.bio_links set click_count = 41 where bio_page_id = (select id from app.bio_pages where user_id = $1)',
        [user.id],
      )
      const page = await openEditor(user)
      await page.getByText('No popups available.').waitFor()
      await expect.poll(() => page.getByText('1,234 visits').count()).toBe(shown)
      await expect.poll(() => linkRows(page).getByText('41clicks').count()).toBe(shown)
      const upgrade = page.getByRole('link', { name: 'Upgrade to view clicks' })
      await expect.poll(() => upgrade.count()).toBe(1 - shown)
      await page.context().close()
    }
  })

  it('signed-out people go to the sign-in screen', async () => {
    const page = await openPage(browser, server.url)
    await page.goto('/bio-link')
    await page.waitForURL(/\/auth(\?|$)/)
    await page.context().close()
  })
})

describe('a page that was saved somewhere else meanwhile', { tags: ['extended'] }, () => {
  async function inTwoTabs(): Promise<{ user: TestUser; page: Page }> {
    const user = await makeUser(server)
    const slug = await makeBioPage(user, ['one'])
    const page = await openEditor(user)
    await linkRows(page).first().waitFor()
    const response = await fetch(`${server.url}/rest/v1/rpc/save_bio_page`, {
      method: 'POST',
      headers: { ...user.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        page: { slug, title: 'Theirs' },
        links: [{ title: 'theirs', url: 'https://example.com/theirs' }],
      }),
    })
    expect(response.status).toBe(200)
    await page.getByLabel('Title', { exact: true }).fill('Mine')
    await save(page)
    await page.getByRole('dialog', { name: 'This page was changed somewhere else' }).waitFor()
    expect(await storedPage(user)).toMatchObject({ title: 'Theirs' })
    return { user, page }
  }

  it('keeps the input of this tab on request', async () => {
    const { user, page } = await inTwoTabs()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Keep Mine' }).click()
    await expectNotice(page, 'Success', 'Bio page saved successfully!')
    expect(await storedPage(user)).toMatchObject({
      title: 'Mine',
      links: ['one https://example.com/one'],
    })
    await page.context().close()
  })

  it('is taken from the server on request, for further edits', async () => {
    const { user, page } = await inTwoTabs()
    await page.getByRole('button', { name: 'Take the Other One' }).click()
    await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('Theirs')
    await expect.poll(() => titles(page)).toEqual(['theirs'])
    await page.getByLabel('Title', { exact: true }).fill('Both')
    await save(page)
    await expectNotice(page, 'Success', 'Bio page saved successfully!')
    expect(await storedPage(user)).toMatchObject({ title: 'Both' })
    await page.context().close()
  })
})

it('own colors that hide the buttons get a hint', { tags: ['extended'] }, async () => {
  const user = await makeUser(server)
  await makeBioPage(user, [])
  const page = await openEditor(user)
  await page.getByLabel('Primary color').fill('#ffffff')
  await page.getByText('Buttons and icons are hard to see on this background').waitFor()
  await page.getByLabel('Text color').fill('#fefefe')
  await page.getByText('Text, buttons and icons are hard to see').waitFor()
  await page.getByLabel('Background color').fill('#000000')
  await expect.poll(() => page.getByText('hard to see').count()).toBe(0)
  await page.context().close()
})

for (const theme of ['light', 'dark'] as const) {
  for (const width of widthsOf(theme)) {
    it(`the editor is accessible, ${theme}, ${width} px wide`, { tags: ['extended'] }, async () => {
      const user = await makeUser(server, { plan: 'pro' })
      await makeBioPage(user, ['one', 'two', 'three'])
      const page = await openPage(browser, server.url, { user, theme, width })
      let release = () => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      await page.route('**/rest/v1/bio_pages*', async (route) => {
        await held
        await route.continue()
      })
      await page.goto('/bio-link')
      await page.getByText('Loading your bio page').waitFor({ state: 'attached' })
      await expectAccessible(page)
      release()
      await page.getByRole('button', { name: 'Add Link', exact: true }).click()
      await page.getByLabel('Link title').last().fill('Half')
      await openPart(page, 'Look')
      await page.getByLabel('Text color').fill('#eeeeee')
      await expectAccessible(page)
      await openPart(page, 'Edit')
      await page.getByLabel('Title', { exact: true }).fill('')
      await openPart(page, 'Preview')
      await expectAccessible(page)
      await save(page)
      await expectNotice(page, 'Please fill in slug and title')
      await page.getByRole('button', { name: 'Options of link 1', exact: true }).click()
      await page.waitForTimeout(400)
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow).toBeLessThanOrEqual(0)
      await page.getByRole('link', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Keep Editing' }).waitFor()
      await page.waitForTimeout(400)
      await expectAccessible(page)
      await page.context().close()
    })
  }
}
