import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, forgive, openPage, widthsOf } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { failing, field, makePopup, openGenerator, preview } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

describe('a new popup', () => {
  it('starts with the defaults, shows placeholders, and is saved with everything that was chosen', async () => {
    const user = await makeUser(server)
    const page = await openGenerator(browser, server, user)
    await preview(page).getByText('Your Title Here').waitFor()
    await preview(page).getByText('Your description will appear here...').waitFor()
    await expect.poll(() => field(page, 'Button Text *').inputValue()).toBe('Get Started')
    await expect.poll(() => page.getByLabel('Position').inputValue()).toBe('center')
    await expect.poll(() => page.getByLabel('Popup size').inputValue()).toBe('medium')
    await expect.poll(() => field(page, 'Background color').inputValue()).toBe('#ffffff')
    await expect.poll(() => field(page, 'Text color').inputValue()).toBe('#1a1a1a')
    await expect.poll(() => field(page, 'Button color').inputValue()).toBe('#3b82f6')
    await expect.poll(() => field(page, 'Button text color').inputValue()).toBe('#ffffff')
    await expect.poll(() => page.getByLabel('Border radius').inputValue()).toBe('16')

    await field(page, 'Title *').fill('  Spring sale  ')
    await field(page, 'Name').fill('Tulips, spring')
    await field(page, 'Description').fill('Everything that flowers')
    await field(page, 'Button Text *').fill('See the tulips')
    await field(page, 'Button URL').fill('https://example.com/tulips')
    await page.getByLabel('Collect Email Address').check()
    await field(page, 'Button color').fill('#FA0')
    await page.getByLabel('Text color, picker', { exact: true }).fill('#222233')
    await page.getByLabel('Border radius').fill('24')
    await page.getByLabel('Font style').selectOption('elegant')
    await page.getByLabel('Shadow style').selectOption('bold')
    await page.getByLabel('Position').selectOption('bottom')
    await expect.poll(() => page.getByLabel('Trigger delay', { exact: true }).count()).toBe(0)
    await page.getByLabel('Enable Trigger Delay').check()
    const delay = page.getByLabel('Trigger delay', { exact: true })
    await expect.poll(() => delay.inputValue()).toBe('3')
    expect([await delay.getAttribute('min'), await delay.getAttribute('max')]).toEqual(['0', '10'])
    await delay.fill('7')
    await page.getByText('7 seconds').waitFor()
    await page.getByLabel('Popup size').selectOption('tall')
    await preview(page).getByText('Spring sale').waitFor()
    await preview(page).getByText('See the tulips').waitFor()
    await preview(page).getByPlaceholder('Enter your email').waitFor()

    await page.getByRole('button', { name: 'Create Popup' }).click()
    await expectNotice(page, 'Popup created!')
    await page.waitForURL('**/my-popups')
    await page.getByRole('article', { name: 'Tulips, spring' }).waitFor()
    const rows = await server.sql(
      `select name, title, description, cta_text, cta_url, image_url, background_color, text_color, button_color, button_text_color,
         position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, border_radius, font_style, shadow_style
       from app.popups where user_id = $1`,
      [user.id],
    )
    expect(rows).toEqual([
      {
        name: 'Tulips, spring',
        title: 'Spring sale',
        description: 'Everything that flowers',
        cta_text: 'See the tulips',
        cta_url: 'https://example.com/tulips',
        image_url: null,
        background_color: '#ffffff',
        text_color: '#222233',
        button_color: '#ffaa00',
        button_text_color: '#ffffff',
        position: 'bottom',
        trigger_delay: 7,
        trigger_delay_enabled: true,
        collect_email: true,
        size_preset: 'tall',
        border_radius: 24,
        font_style: 'elegant',
        shadow_style: 'bold',
      },
    ])
    await page.context().close()
  })

  it(
    'names the first fault, moves the focus there, and sends nothing',
    { tags: ['extended'] },
    async () => {
      const page = await openGenerator(browser, server)
      // The preview stays below the header while the form scrolls.
      await field(page, 'Button color').scrollIntoViewIfNeeded()
      const header = await page.getByRole('banner').boundingBox()
      const preview = await page.getByRole('heading', { name: 'Live Preview' }).boundingBox()
      expect(preview?.y).toBeGreaterThanOrEqual((header?.y ?? 0) + (header?.height ?? 0))
      let writes = 0
      await page.route('**/rest/v1/popups*', (route) => {
        if (route.request().method() === 'POST') writes++
        return route.continue()
      })
      const save = page.getByRole('button', { name: 'Create Popup' })
      for (const [name, text, message] of [
        ['Title *', '   ', 'Title is required'],
        ['Title *', 'x'.repeat(201), 'Title must be at most 200 characters'],
        ['Description', 'x'.repeat(501), 'Description must be at most 500 characters'],
        ['Button Text *', ' ', 'Button text is required'],
        ['Button Text *', 'x'.repeat(51), 'Button text must be at most 50 characters'],
        ['Button URL', 'javascript:alert(1)', 'Please enter a valid URL starting with http'],
        ['Button color', 'url(//evil)', 'Please enter a color like #1a2b3c'],
      ] as const) {
        const before = await field(page, name).inputValue()
        await field(page, name).fill(text)
        await save.click()
        await expectNotice(page, message)
        const input = field(page, name)
        await expect
          .poll(() => input.evaluate((element) => element === document.activeElement))
          .toBe(true)
        await expect.poll(() => input.getAttribute('aria-invalid')).toBe('true')
        await expect.poll(() => input.inputValue()).toBe(text)
        await input.fill(before === '' ? 'Fine' : before)
        await expect.poll(() => input.getAttribute('aria-invalid')).not.toBe('true')
        await expect.poll(() => page.getByRole('main').getByText(message).count()).toBe(0)
        if (name === 'Button URL') await input.fill('')
      }
      expect(writes).toBe(0)
      await save.click()
      await page.waitForURL('**/my-popups')
      expect(writes).toBe(1)
      await page.context().close()
    },
  )

  it('collects email addresses only over https', async () => {
    const page = await openGenerator(browser, server)
    await field(page, 'Title *').fill('Join us')
    await page.getByLabel('Collect Email Address').check()
    // The URL is optional here, and no hint asks for one.
    await page.getByText('Emails go to your audience. Nothing is sent elsewhere.').waitFor()
    expect(await page.getByText('must start with https').count()).toBe(0)
    await page.getByLabel('Keep Emails').uncheck()
    await page.getByRole('button', { name: 'Create Popup' }).click()
    await expectNotice(page, 'Keep the emails, or enter a button URL')
    await field(page, 'Button URL').fill('http://example.com/subscribe')
    await page.getByRole('button', { name: 'Create Popup' }).click()
    await expectNotice(page, 'To collect email addresses, the button URL must start with https://')
    await field(page, 'Button URL').fill('https://example.com/subscribe')
    await page.getByRole('button', { name: 'Create Popup' }).click()
    await expectNotice(page, 'Popup created!')
    await page.context().close()
  })

  it('is kept in the form when saving fails, and saved once at the second press', async () => {
    const user = await makeUser(server)
    const page = await openGenerator(browser, server, user)
    await field(page, 'Title *').fill('Precious words')
    await page.route('**/rest/v1/popups*', failing)
    await page.getByRole('button', { name: 'Create Popup' }).click()
    await expectNotice(page, 'Failed to save popup')
    await expect.poll(() => field(page, 'Title *').inputValue()).toBe('Precious words')
    await page.unroute('**/rest/v1/popups*')
    await page.route('**/rest/v1/popups*', async (route) => {
      if (route.request().method() === 'POST') await new Promise((done) => setTimeout(done, 500))
      return route.continue()
    })
    await page.getByRole('button', { name: 'Create Popup' }).click()
    await page.getByRole('button', { name: 'Saving...' }).click({ clickCount: 3, force: true })
    await page.waitForURL('**/my-popups')
    const rows = await server.sql('select title from app.popups where user_id = $1', [user.id])
    expect(rows).toEqual([{ title: 'Precious words' }])
    forgive(/status of 500/)
    await page.context().close()
  })

  it(
    'is refused in the server’s words when it breaks a rule that only the server knows',
    { tags: ['extended'] },
    async () => {
      const page = await openGenerator(browser, server)
      await field(page, 'Title *').fill('Fine here')
      // Another form would let this through; the answer is the real one.
      await page.route('**/rest/v1/popups*', (route) => {
        const sent: unknown = route.request().postDataJSON()
        return sent === null
          ? route.continue()
          : route.continue({ postData: { ...sent, title: 'x'.repeat(201) } })
      })
      await page.getByRole('button', { name: 'Create Popup' }).click()
      await expectNotice(page, 'Failed to save popup', 'Title must be at most 200 characters')
      await expect.poll(() => field(page, 'Title *').inputValue()).toBe('Fine here')
      await page.unroute('**/rest/v1/popups*')
      await page.getByRole('button', { name: 'Create Popup' }).click()
      await expectNotice(page, 'Popup created!')
      await page.context().close()
    },
  )

  it('is not left by mistake with unsaved words', { tags: ['extended'] }, async () => {
    const page = await openGenerator(browser, server)
    await field(page, 'Title *').fill('Half a thought')
    await page.getByRole('link', { name: 'Cancel' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Keep Editing' }).click()
    await expect.poll(() => field(page, 'Title *').inputValue()).toBe('Half a thought')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL('**/my-popups')
    await page.getByText("You haven't created any popups yet").waitFor()
    await page.context().close()
  })

  it('Sign Out that I call off signs me out at no later step', { tags: ['extended'] }, async () => {
    const page = await openGenerator(browser, server)
    await field(page, 'Title *').fill('Half a thought')
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page.getByRole('button', { name: 'Sign Out' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Keep Editing' }).click()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL('**/my-popups')
    await page.getByText("You haven't created any popups yet").waitFor()
    await page.reload()
    await page.getByText("You haven't created any popups yet").waitFor()

    // One that I go through with does.
    await page.goto('/popup-generator')
    await field(page, 'Title *').fill('Half a thought')
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page.getByRole('button', { name: 'Sign Out' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(`${server.url}/`)
    await expect.poll(() => page.evaluate(() => localStorage.getItem('hoplet.auth'))).toBe(null)
    await page.context().close()
  })

  it('warns of colors that some can’t read', { tags: ['extended'] }, async () => {
    const page = await openGenerator(browser, server)
    const warning = page.getByText('Low contrast:')
    await expect.poll(() => warning.count()).toBe(0)
    await field(page, 'Text color').fill('#cccccc')
    await warning.waitFor()
    await expect.poll(() => warning.textContent()).toContain('text on background')
    await field(page, 'Button text color').fill('#aaccff')
    await page.getByText('text on background and text on button').waitFor()
    await page.context().close()
  })
})

describe('editing a popup', () => {
  it('the popup editor loads everything, keeps untouched fields, and saves', async () => {
    const user = await makeUser(server)
    const kept = {
      description: 'Kept',
      cta_url: 'https://example.com/kept',
      position: 'bottom-right',
      trigger_delay: 2.5,
      trigger_delay_enabled: true,
      size_preset: 'compact',
      border_radius: 3,
      font_style: 'casual',
      shadow_style: 'none',
      background_color: '#101010',
    }
    const id = await makePopup(server, user, kept)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/my-popups')
    await page.getByRole('link', { name: 'Edit Spring sale' }).click()
    await page.waitForURL(`**/popup-generator?edit=${id}`)
    await page.getByRole('heading', { name: 'Edit Popup' }).waitFor()
    await field(page, 'Title *').fill('Summer sale')
    await preview(page).getByText('Summer sale').waitFor()
    await page.getByRole('button', { name: 'Update Popup' }).click()
    await expectNotice(page, 'Popup updated!')
    await page.waitForURL('**/my-popups')
    await page.getByRole('article', { name: 'Summer sale' }).waitFor()
    const [row] = await server.sql('select * from app.popups where id = $1', [id])
    expect(row).toMatchObject({ ...kept, title: 'Summer sale' })
    await page.context().close()
  })

  it('asks before another popup takes the place of unsaved words', async () => {
    const user = await makeUser(server)
    const id = await makePopup(server, user)
    const page = await openPage(browser, server.url, { user })
    await page.goto(`/popup-generator?edit=${id}`)
    await field(page, 'Title *').fill('Half a thought')
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page.getByRole('link', { name: 'Popup Generator', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Keep Editing' }).click()
    await expect.poll(() => field(page, 'Title *').inputValue()).toBe('Half a thought')
    await page.context().close()
  })

  it(
    'goes back to the list when the popup does not exist, or belongs to another account',
    { tags: ['extended'] },
    async () => {
      const [ada, bob] = [await makeUser(server), await makeUser(server)]
      const adas = await makePopup(server, ada)
      for (const id of [adas, '00000000-0000-4000-8000-000000000000', 'nonsense']) {
        const page = await openPage(browser, server.url, { user: bob })
        await page.goto(`/popup-generator?edit=${id}`)
        await expectNotice(page, 'Failed to load popup')
        await page.waitForURL('**/my-popups')
        await page.context().close()
      }
    },
  )

  it(
    'says when the popup was deleted meanwhile, and keeps the form',
    { tags: ['extended'] },
    async () => {
      const user = await makeUser(server)
      const id = await makePopup(server, user)
      const page = await openPage(browser, server.url, { user })
      await page.goto(`/popup-generator?edit=${id}`)
      await field(page, 'Title *').fill('Too late')
      await server.sql('delete from app.popups where id = $1', [id])
      await page.getByRole('button', { name: 'Update Popup' }).click()
      await expectNotice(page, 'Failed to save popup')
      // The protocol's words are for programmers.
      await expect.poll(() => page.getByText('JSON').count()).toBe(0)
      await expect.poll(() => field(page, 'Title *').inputValue()).toBe('Too late')
      await page.context().close()
    },
  )
})

describe('a popup that was changed somewhere else meanwhile', () => {
  const update = (page: Page) => page.getByRole('button', { name: 'Update Popup' }).click()

  async function openEditor(columns: Readonly<Record<string, unknown>> = {}) {
    const user = await makeUser(server)
    const id = await makePopup(server, user, columns)
    const page = await openPage(browser, server.url, { user })
    await page.goto(`/popup-generator?edit=${id}`)
    await preview(page).getByText('Spring sale').waitFor()
    const stored = async () =>
      (await server.sql('select * from app.popups where id = $1', [id]))[0] ?? {}
    return { page, id, stored }
  }

  it('keeps the other change when the popup editor saves another field', async () => {
    const { page, id, stored } = await openEditor()
    await field(page, 'Title *').fill('Mine')
    await server.sql(
      `update app.popups set consent_text = 'Ask our lawyers', is_active = false where id = $1`,
      [id],
    )
    await update(page)
    await expectNotice(page, 'Popup updated!')
    expect(await stored()).toMatchObject({
      title: 'Mine',
      consent_text: 'Ask our lawyers',
      is_active: false,
    })
    await page.context().close()
  })

  it('keeps the other change when nothing was changed here', { tags: ['extended'] }, async () => {
    const { page, id, stored } = await openEditor()
    await server.sql(`update app.popups set title = 'Theirs' where id = $1`, [id])
    await update(page)
    await expectNotice(page, 'Popup updated!')
    expect(await stored()).toMatchObject({ title: 'Theirs' })
    await page.context().close()
  })

  /** A popup with a title of both sides, and a button that was changed elsewhere. */
  async function openConflict() {
    const opened = await openEditor()
    const { page, id, stored } = opened
    await server.sql(
      `update app.popups set title = 'Theirs', cta_text = 'Theirs too' where id = $1`,
      [id],
    )
    await field(page, 'Title *').fill('Mine')
    await field(page, 'Description').fill('Typed')
    await update(page)
    const dialog = page.getByRole('dialog', { name: 'This popup was changed somewhere else' })
    await dialog.waitFor()
    expect(await stored()).toMatchObject({ title: 'Theirs', description: null })
    return { ...opened, dialog }
  }

  it('asks when both changed a field, and keeps the input', { tags: ['extended'] }, async () => {
    const { page, id, dialog, stored } = await openConflict()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await field(page, 'Title *').inputValue()).toBe('Mine')
    expect(await field(page, 'Description').inputValue()).toBe('Typed')
    await update(page)
    await dialog.waitFor()
    // A still newer version asks once more.
    await server.sql(`update app.popups set title = 'Newer' where id = $1`, [id])
    await dialog.getByRole('button', { name: 'Keep Mine' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await dialog.waitFor()
    await dialog.getByRole('button', { name: 'Keep Mine' }).click()
    await expectNotice(page, 'Popup updated!')
    await page.waitForURL('**/my-popups')
    expect(await stored()).toMatchObject({
      title: 'Mine',
      description: 'Typed',
      cta_text: 'Theirs too',
    })
    await page.context().close()
  })

  it('is taken from the server on request, for further edits', { tags: ['extended'] }, async () => {
    const { page, dialog, stored } = await openConflict()
    await dialog.getByRole('button', { name: 'Take the Other One' }).click()
    await expect.poll(() => field(page, 'Title *').inputValue()).toBe('Theirs')
    expect(await field(page, 'Description').inputValue()).toBe('')
    await field(page, 'Title *').fill('Both')
    await update(page)
    await expectNotice(page, 'Popup updated!')
    await page.waitForURL('**/my-popups')
    expect(await stored()).toMatchObject({ title: 'Both', cta_text: 'Theirs too' })
    await page.context().close()
  })
})

for (const theme of ['light', 'dark'] as const) {
  for (const width of widthsOf(theme)) {
    it(
      `the popup screens are accessible and don’t scroll sideways: ${theme}, ${width} px wide`,
      { tags: ['extended'] },
      async () => {
        const user = await makeUser(server)
        await makePopup(server, user, { title: 'A title that goes on and on '.repeat(7).trim() })
        const page = await openPage(browser, server.url, { theme, width, user })
        for (const [path, ready] of [
          ['/popup-generator', 'Or describe it'],
          ['/my-popups', 'A title that goes on'],
        ] as const) {
          await page.goto(path)
          await page.getByText(ready).first().waitFor()
          if (path === '/popup-generator') {
            await field(page, 'Description').fill('w'.repeat(300))
            await page.getByLabel('Enable Trigger Delay').check()
            await page.getByLabel('Popup size').selectOption('extra-large')
            await page.getByRole('button', { name: 'Create Popup' }).click()
            await page.getByText('Title is required').first().waitFor()
          }
          await page.waitForTimeout(400)
          await expectAccessible(page)
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          )
          expect(overflow).toBeLessThanOrEqual(0)
        }
        await page.getByRole('button', { name: /^Delete/ }).click()
        await page.getByRole('dialog', { name: 'Delete this popup?' }).waitFor()
        await page.waitForTimeout(400)
        await expectAccessible(page)
        await page.context().close()
      },
    )
  }
}
