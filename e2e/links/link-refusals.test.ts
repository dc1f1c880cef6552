/** @module-tag extended */
import type { Browser, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { chooseForLink, openPart } from '../menus.ts'
import { makePopup } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage(async (stage) => {
  ;({ server, browser } = stage)
  await server.sql(
    `insert into app.blocks (kind, value) values ('host', $1) on conflict do nothing`,
    [blocked],
  )
})

/** The form does not know that it is blocked: only the server can refuse it. */
const blocked = 'refused-at-its-field.example'

interface Refusal {
  name: string
  /** The part of the form that has the field; none for one that is always there. */
  part?: Parameters<typeof openPart>[1]
  /** Makes the server refuse. */
  arrange?: (user: TestUser) => Promise<unknown>
  field: (dialog: Locator) => Locator
  wrong: string
  sentence: string
  right: string
  /** The saved column, and its value. */
  saved: readonly [column: string, value: unknown]
}

const blockedFallback: Refusal = {
  name: 'a fallback address on a blocked host',
  part: 'Schedule',
  field: (dialog) => dialog.getByLabel('Fallback address'),
  wrong: `https://${blocked}/over`,
  sentence: 'The host of the fallback address is blocked here.',
  right: 'https://shop.example/over',
  saved: ['fallback_url', 'https://shop.example/over'],
}

const tooManyTags: Refusal = {
  name: 'a tag too many for the account',
  part: 'Campaign',
  arrange: (user) =>
    server.sql(
      `insert into app.tags (user_id, name) select $1, 'tag ' || n from generate_series(1, 200) n`,
      [user.id],
    ),
  field: (dialog) => dialog.getByRole('combobox', { name: 'Tags' }),
  wrong: 'one more',
  sentence:
    'You have 200 tags, which is the most that an account can have. Please delete some first.',
  right: 'TAG 7',
  saved: ['tags', ['tag 7']],
}

const blockedDestination = (label: string): Refusal => ({
  name: 'a destination on a blocked host',
  field: (dialog) => dialog.getByLabel(label),
  wrong: `https://${blocked}/`,
  sentence: 'This host is blocked here.',
  right: 'https://shop.example/open',
  saved: ['original_url', 'https://shop.example/open'],
})

/** Another client has moved the start meanwhile; the dialog sends the end alone. */
const endBeforeStart: Refusal = {
  name: 'an end before a start that was changed elsewhere',
  part: 'Schedule',
  arrange: (user) =>
    server.sql(
      `update app.shortened_urls set starts_at = '2099-06-01T00:00:00Z' where user_id = $1`,
      [user.id],
    ),
  field: (dialog) => dialog.getByLabel('End', { exact: true }),
  wrong: '2099-01-01T08:00',
  sentence: 'The end must come after the start',
  right: '2099-12-01T08:00',
  saved: ['title', 'Kept'],
}

/** The sentence at a field that is invalid and has the focus. */
function problemAt(field: Locator): Promise<string> {
  return field.evaluate((input) => {
    if (input.ariaInvalid !== 'true' || document.activeElement !== input) return ''
    const ids = input.getAttribute('aria-describedby') ?? ''
    return ids
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' ')
  })
}

/** Enters a refused value, reads the sentence at its field, and saves with another value. */
async function expectRefusal(page: Page, user: TestUser, refusal: Refusal, action: string) {
  const dialog = page.getByRole('dialog')
  const { field, wrong, sentence, right, saved, part } = refusal
  await dialog.getByLabel('Title', { exact: true }).fill('Kept')
  await refusal.arrange?.(user)
  if (part !== undefined) await openPart(dialog, part)
  await field(dialog).fill(wrong)
  // The field is brought back when another part is open.
  await openPart(dialog, 'Access')
  await dialog.getByRole('button', { name: action }).click()
  await expect.poll(() => problemAt(field(dialog))).toContain(sentence)
  await expectAccessible(page)
  await field(dialog).fill(right)
  await openPart(dialog, 'Link')
  expect(await dialog.getByLabel('Title', { exact: true }).inputValue()).toBe('Kept')
  await dialog.getByRole('button', { name: action }).click()
  await dialog.waitFor({ state: 'hidden' })
  const [column, value] = saved
  const [row] = await server.sql(
    `select ${column} from app.shortened_urls where user_id = $1 and title = 'Kept'`,
    [user.id],
  )
  expect(row?.[column]).toEqual(value)
}

describe('a refusal of the server stands at its field', () => {
  it.each([blockedDestination('Redirect URL'), blockedFallback, tooManyTags, endBeforeStart])(
    'in the edit dialog: $name',
    async (refusal) => {
      const user = await makeUser(server)
      await makeLink(server, user)
      const page = await openPage(browser, server.url, { user })
      await page.goto('/dashboard')
      await chooseForLink(page.getByRole('article'), 'Edit')
      await expectRefusal(page, user, refusal, 'Save Changes')
      await page.context().close()
    },
  )

  it.each([blockedDestination('Destination'), blockedFallback, tooManyTags])(
    'in the dialog of a new link: $name',
    async (refusal) => {
      const user = await makeUser(server)
      const page = await openPage(browser, server.url, { user })
      await page.goto('/dashboard')
      await page.getByText('No links yet').waitFor()
      await page.keyboard.press('n')
      const dialog = page.getByRole('dialog', { name: 'New link' })
      await dialog.getByLabel('Destination').fill('https://shop.example/')
      await expectRefusal(page, user, refusal, 'Create and copy')
      await page.context().close()
    },
  )
})

it('a popup that was deleted elsewhere is refused at its field, where another one can be chosen', async () => {
  const user = await makeUser(server)
  const gone = await makePopup(server, user, { title: 'Gone' })
  await makePopup(server, user, { title: 'Here' })
  await makeLink(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  await chooseForLink(page.getByRole('article'), 'Edit')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Enable Opt-in Popup').click()
  const field = dialog.getByLabel('Popup', { exact: true })
  const choose = async (popup: string, button: string) => {
    await field.selectOption({ label: popup })
    await dialog.getByRole('button', { name: button }).click()
  }
  const sentence = dialog.getByText('This popup does not exist any more.')
  await field.getByText('Gone').waitFor({ state: 'attached' })
  await server.sql('delete from app.popups where id = $1', [gone])
  await choose('Gone', 'Save Changes')
  await sentence.waitFor()
  await field.getByText('Gone').waitFor({ state: 'detached' })
  await choose('Here', 'Save Changes')
  await dialog.waitFor({ state: 'detached' })

  // The composer: the only popup is deleted, and the link is made without one.
  await page.keyboard.press('n')
  await dialog.getByLabel('Destination').fill('https://shop.example/')
  await field.getByText('Here').waitFor({ state: 'attached' })
  await server.sql('delete from app.popups where user_id = $1', [user.id])
  await choose('Here', 'Create and copy')
  await sentence.waitFor()
  await field.getByText('Here').waitFor({ state: 'detached' })
  await choose('No popup', 'Create and copy')
  await dialog.waitFor({ state: 'detached' })
  const made = await server.sql(
    'select popup_id from app.shortened_urls where user_id = $1 and original_url = $2',
    [user.id, 'https://shop.example/'],
  )
  expect(made).toEqual([{ popup_id: null }])
  await page.context().close()
})
