import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { chooseForLink, openPart } from '../menus.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

async function openCompose(user: TestUser, width = 1280) {
  const page = await openPage(browser, server.url, { user, width })
  await page.goto('/dashboard')
  await page.getByRole('heading', { name: 'My Links', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'New link' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New link' })
  await dialog.waitFor()
  return { page, dialog }
}

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

const linksOf = (user: TestUser) =>
  server.sql<{ short_code: string; original_url: string; tags: string[] }>(
    'select short_code, original_url, tags from api.shortened_urls where user_id = $1 order by original_url',
    [user.id],
  )

const addresses = (count: number) =>
  Array.from({ length: count }, (_, i) => `shop.example/${String(i + 10)}`)

describe('several lines in Destination', () => {
  it(
    '20 links with one tag and a campaign are made in one dialog',
    { tags: ['gate'] },
    async () => {
      const user = await makeUser(server, { plan: 'business' })
      const { page, dialog } = await openCompose(user)
      await dialog.getByLabel('Destination').fill(addresses(20).join('\n'))
      await dialog.getByText('20 lines, 20 links').waitFor()
      await openPart(dialog, 'Campaign')
      await dialog.getByLabel('Source').fill('newsletter')
      await dialog.getByLabel('Medium').fill('email')
      await dialog.getByLabel('Campaign', { exact: true }).fill('spring27')
      await dialog.getByRole('combobox', { name: 'Tags' }).fill('spring')
      await dialog.getByText('4 set').waitFor()
      await dialog.getByText('shop.example/10?utm_source=newsletter').first().waitFor()
      await look(page, 'compose-many')
      await dialog.getByRole('button', { name: 'Create 20 links' }).click()
      await expectNotice(page, '20 links made')
      await dialog.waitFor({ state: 'hidden' })
      const links = await linksOf(user)
      expect(links.map(({ original_url, tags }) => [original_url, tags])).toEqual(
        addresses(20).map((address) => [
          `https://${address}?utm_source=newsletter&utm_medium=email&utm_campaign=spring27`,
          ['spring'],
        ]),
      )
      expect((await clipboard(page)).split('\n').sort()).toEqual(
        links.map(({ short_code: code }) => `${server.url}/${code}`).sort(),
      )
      await expect.poll(() => page.getByRole('article').count()).toBe(20)
      await page.getByRole('button', { name: 'Undo' }).click()
      await expectNotice(page, '20 links deleted')
      expect(await linksOf(user)).toEqual([])
      await page.context().close()
    },
  )

  it('lines that are no addresses, repeated or too many are named, and nothing is made', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const { page, dialog } = await openCompose(user)
    const field = dialog.getByLabel('Destination')
    await field.fill(addresses(200).join('\n'))
    await dialog.getByRole('button', { name: 'Create 200 links' }).click()
    await dialog.getByText('At most 100 links at once. These are 200.').waitFor()
    await field.fill(['shop.example/a', '', 'not an address', 'https://shop.example/a'].join('\n'))
    await dialog.getByText('Left out: the same as line 1.').waitFor()
    await dialog.getByText(/^Line 3: Please enter a valid URL/).waitFor()
    await look(page, 'compose-many-problems')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => field.evaluate((input) => input.ariaInvalid)).toBe('true')
    expect(await linksOf(user)).toEqual([])
    await field.fill('shop.example/a\nshop.example/b\nhttps://shop.example/a')
    await page.keyboard.press('Control+Enter')
    await expectNotice(page, '2 links made')
    expect((await linksOf(user)).map(({ original_url }) => original_url)).toEqual([
      'https://shop.example/a',
      'https://shop.example/b',
    ])
    await page.context().close()
  })

  it('a link that the server refuses is named by its line, and none is made', async () => {
    await server.sql(`insert into app.blocks (kind, value) values ('host', 'blocked-line.example')`)
    const user = await makeUser(server, { plan: 'business' })
    const { page, dialog } = await openCompose(user)
    await dialog.getByLabel('Destination').fill('shop.example/a\nblocked-line.example/b')
    await page.keyboard.press('Control+Enter')
    await dialog.getByText('Line 2: This host is blocked here.').waitFor()
    expect(await linksOf(user)).toEqual([])
    await page.context().close()
  })

  it('more links than the plan has left are named before anything is sent, and refused', async () => {
    const user = await makeUser(server)
    for (const code of ['one', 'two'])
      await makeLink(server, user, { short_code: `${code}-${user.id.slice(0, 8)}` })
    const { page, dialog } = await openCompose(user, 360)
    await dialog.getByLabel('Destination').fill(addresses(49).join('\n'))
    await dialog.getByText('Only 48 links left.').waitFor()
    await dialog.getByRole('button', { name: 'Create 49 links' }).click()
    await expectNotice(page, 'Limit Reached')
    expect(await linksOf(user)).toHaveLength(2)
    await dialog.getByLabel('Destination').fill(addresses(48).join('\n'))
    await dialog.getByRole('button', { name: 'Create 48 links' }).click()
    await expectNotice(page, '48 links made')
    await page.context().close()
  })
})

it(
  'Create and add another keeps campaign and tags, and nothing else',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server, { plan: 'business' })
    const { page, dialog } = await openCompose(user)
    await dialog.getByLabel('Destination').fill('shop.example/first')
    await dialog.getByLabel('Title', { exact: true }).fill('First')
    await openPart(dialog, 'Campaign')
    await dialog.getByLabel('Source').fill('poster')
    await dialog.getByRole('combobox', { name: 'Tags' }).fill('spring')
    await dialog.getByRole('button', { name: 'Create and add another' }).click()
    await expectNotice(page, '✨ URL Shortened!')
    const field = dialog.getByLabel('Destination')
    await expect.poll(() => field.inputValue()).toBe('')
    await expect.poll(() => field.evaluate((input) => document.activeElement === input)).toBe(true)
    await page.keyboard.type('shop.example/second')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    const rows = await server.sql(
      'select original_url, title, tags from api.shortened_urls where user_id = $1 order by created_at',
      [user.id],
    )
    expect(rows).toEqual([
      {
        original_url: 'https://shop.example/first?utm_source=poster',
        title: 'First',
        tags: ['spring'],
      },
      {
        original_url: 'https://shop.example/second?utm_source=poster',
        title: null,
        tags: ['spring'],
      },
    ])
    await page.context().close()
  },
)

it('a new link is made with an A/B split', { tags: ['extended'] }, async () => {
  const user = await makeUser(server, { plan: 'business' })
  const { page, dialog } = await openCompose(user)
  await dialog.getByLabel('Destination').fill('shop.example/winter')
  await openPart(dialog, 'A/B and rules')
  await dialog.getByLabel('Target').selectOption('A/B split')
  await dialog.getByRole('button', { name: 'Create and copy' }).click()
  // The address of the second variant is missing.
  await expect
    .poll(() =>
      dialog.getByLabel('Address B').evaluate((input) => document.activeElement === input),
    )
    .toBe(true)
  expect(await linksOf(user)).toEqual([])
  await dialog.getByLabel('Address B').fill('shop.example/winter-long')
  await look(page, 'compose-split')
  await dialog.getByRole('button', { name: 'Create and copy' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const [row] = await server
    .sql<{ rules: unknown }>(
      `select app.link_rules_json(u) as rules from app.shortened_urls u where user_id = $1`,
      [user.id],
    )
    .catch(() =>
      server.sql<{ rules: unknown }>(
        'select rules from app.link_rules r join app.shortened_urls u on u.id = r.link_id where u.user_id = $1',
        [user.id],
      ),
    )
  expect(JSON.stringify(row?.rules)).toContain('https://shop.example/winter-long')
  await page.context().close()
})

it(
  'Duplicate opens the form with the options of a link, from its row and from its page',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server, { plan: 'business' })
    const link = await makeLink(server, user, {
      original_url: 'https://shop.example/menu?utm_source=poster',
      title: 'Menu',
      tags: ['spring'],
      max_clicks: 7,
    })
    const page = await openPage(browser, server.url, { user })
    for (const path of ['/dashboard', `/links/${link.short_code}`]) {
      await page.goto(path)
      await chooseForLink(page.getByRole('main'), 'Duplicate')
      const dialog = page.getByRole('dialog', { name: 'New link' })
      await expect.poll(() => dialog.getByLabel('Destination').inputValue()).toBe(link.original_url)
      await expect.poll(() => dialog.getByLabel('Title', { exact: true }).inputValue()).toBe('Menu')
      expect(await dialog.getByLabel('Short link').inputValue()).toBe('')
      await dialog.getByRole('button', { name: 'Create and copy' }).click()
      await dialog.waitFor({ state: 'hidden' })
    }
    const rows = await server.sql(
      'select original_url, title, tags, max_clicks from api.shortened_urls where user_id = $1',
      [user.id],
    )
    expect(rows).toHaveLength(3)
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(1)
    await page.context().close()
  },
)

it(
  'typed changes of a link are not lost by Escape, and Ctrl Enter saves them',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    const link = await makeLink(server, user)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await chooseForLink(page.getByRole('article'), 'Edit')
    const dialog = page.getByRole('dialog', { name: 'Edit Redirect URL' })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await chooseForLink(page.getByRole('article'), 'Edit')
    await dialog.getByLabel('Redirect URL').fill('shop.example/changed')
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard the changes?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await dialog.getByLabel('Redirect URL').inputValue()).toBe('shop.example/changed')
    await look(page, 'edit-link')
    await dialog.getByLabel('Redirect URL').press('Control+Enter')
    await expectNotice(page, 'Updated!')
    await dialog.waitFor({ state: 'hidden' })
    const [row] = await server.sql('select original_url from app.shortened_urls where id = $1', [
      link.id,
    ])
    expect(row).toEqual({ original_url: 'https://shop.example/changed' })
    await chooseForLink(page.getByRole('article'), 'Edit')
    await dialog.getByLabel('Redirect URL').fill('shop.example/thrown-away')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.context().close()
  },
)
