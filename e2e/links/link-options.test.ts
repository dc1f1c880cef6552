/** @module-tag extended */
import type { Browser, Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { chooseForLink, openPart } from '../menus.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** The row of a person's only link, with these columns. */
async function linkOf(user: TestUser, columns: string): Promise<Record<string, unknown>> {
  const [row] = await server.sql<Record<string, unknown>>(
    `select ${columns} from app.shortened_urls where user_id = $1`,
    [user.id],
  )
  return row ?? {}
}

type Part = Parameters<typeof openPart>[1]

/** The edit dialog of a person's only link, with a part of its options open. */
async function openOptions(user: TestUser, part: Part): Promise<{ page: Page; dialog: Locator }> {
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  await chooseForLink(page.getByRole('article'), 'Edit')
  return { page, dialog: await openEdited(page, part) }
}

async function openEdited(page: Page, part: Part): Promise<Locator> {
  const dialog = page.getByRole('dialog')
  await openPart(dialog, part)
  return dialog
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expectNotice(page, 'Updated!')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
}

const visit = (code: string, path = '') =>
  fetch(`${server.url}/${code}${path}`, {
    redirect: 'manual',
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36' },
  })

it('I give a new link a title, a note and tags by keyboard alone', { tags: ['gate'] }, async () => {
  const user = await makeUser(server)
  await makeLink(server, user, { tags: ['Poster'] })
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  await page.getByRole('article').waitFor()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'New link' })
  await dialog.waitFor()
  await page.keyboard.type('https://shop.example/menu')
  const title = dialog.getByLabel('Title', { exact: true })
  await title.focus()
  await page.keyboard.type('Menu, summer')
  await page.keyboard.press('Tab')
  await page.keyboard.type('At the station')
  await dialog.getByRole('button', { name: 'Campaign' }).press('Enter')
  const field = dialog.getByRole('combobox', { name: 'Tags' })
  await field.focus()
  await page.keyboard.type('po')
  await dialog.getByRole('option', { name: 'Poster' }).waitFor()
  await look(page, 'options-suggestions')
  // Another width has another order of the parts, in which the list is closed.
  await field.focus()
  await page.keyboard.press('ArrowDown')
  await dialog.getByRole('option', { name: 'Poster' }).waitFor()
  // Closes the suggestions, and not the dialog.
  await page.keyboard.press('Escape')
  await dialog.getByRole('option', { name: 'Poster' }).waitFor({ state: 'hidden' })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.type('autumn,newsletter,mistake')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('AUTUMN,last one')
  await look(page, 'options-compose')
  await page.keyboard.press('Control+Enter')
  await expectNotice(page, '✨ URL Shortened!')
  expect(
    await server.sql(
      `select title, note, tags from app.shortened_urls where user_id = $1 and title <> ''`,
      [user.id],
    ),
  ).toEqual([
    {
      title: 'Menu, summer',
      note: 'At the station',
      tags: ['Poster', 'autumn', 'newsletter', 'last one'],
    },
  ])
  await page.context().close()
})

it('My link starts and ends when I say, and an end before its start is refused at the field', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const { page, dialog } = await openOptions(user, 'Schedule')
  const [start, end] = [dialog.getByLabel('Start', { exact: true }), dialog.getByLabel('End')]
  await start.fill('2099-12-02T08:00')
  await expect.poll(() => dialog.getByText(/^Time zone: \S+$/).count()).toBe(2)
  await dialog.getByLabel('End', { exact: true }).fill('2099-12-01T08:00')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await dialog.getByText('The end must come after the start').waitFor()
  await expect
    .poll(() => end.first().evaluate((input) => document.activeElement === input))
    .toBe(true)
  await look(page, 'options-schedule')
  await dialog.getByLabel('End', { exact: true }).fill('2099-12-03T08:00')
  await save(page)
  const local = (time: string) => page.evaluate((text) => new Date(text).toISOString(), time)
  const { starts_at, ends_at } = await linkOf(user, 'starts_at, ends_at')
  expect([starts_at, ends_at].map((at) => new Date(String(at)).toISOString())).toEqual([
    await local('2099-12-02T08:00'),
    await local('2099-12-03T08:00'),
  ])
  expect((await visit(link.short_code)).status).toBe(404)

  await chooseForLink(page.getByRole('article'), 'Edit')
  await openEdited(page, 'Schedule')
  await dialog.getByRole('button', { name: 'Clear start' }).click()
  await save(page)
  expect(await linkOf(user, 'starts_at')).toEqual({ starts_at: null })
  await expect.poll(async () => (await visit(link.short_code)).status).toBe(302)
  await page.context().close()
})

it('My link ends after a maximum of clicks and leads to the fallback address then', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const { page, dialog } = await openOptions(user, 'Schedule')
  const maximum = dialog.getByLabel('Click limit')
  await maximum.fill('many')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await dialog.getByText('The maximum of clicks is a number from 1 to 1,000,000,000').waitFor()
  await maximum.fill('1')
  const fallback = dialog.getByLabel('Fallback address')
  await fallback.fill(`${server.url}/elsewhere`)
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await dialog.getByText('This URL leads to this server itself.').waitFor()
  await fallback.fill('shop.example/over')
  await save(page)
  const locations = async () => (await visit(link.short_code)).headers.get('location')
  expect(await locations()).toBe(link.original_url)
  expect(await locations()).toBe('https://shop.example/over')
  await page.context().close()
})

it('I set, change and remove the password of a link, and nobody can read it', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const { page, dialog } = await openOptions(user, 'Access')
  await dialog.getByRole('button', { name: 'Set', exact: true }).click()
  await dialog.getByLabel('Link password').fill('open sesame')
  await save(page)
  const isAsked = async () => (await (await visit(link.short_code)).text()).includes('password')
  await expect.poll(isAsked).toBe(true)
  const version = await linkOf(user, 'password_version')

  await page.reload()
  await chooseForLink(page.getByRole('article'), 'Edit')
  await openEdited(page, 'Access')
  expect(await page.content()).not.toContain('open sesame')
  await dialog.getByRole('button', { name: 'Change', exact: true }).click()
  expect(await dialog.getByLabel('Link password').inputValue()).toBe('')
  await dialog.getByLabel('Link password').fill('open barley')
  await save(page)
  expect(await linkOf(user, 'password_version')).not.toEqual(version)

  await chooseForLink(page.getByRole('article'), 'Edit')
  await openEdited(page, 'Access')
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await dialog.getByText('removed when you save').waitFor()
  await save(page)
  expect(await linkOf(user, 'password_hash')).toEqual({ password_hash: null })
  await expect.poll(async () => (await visit(link.short_code)).status).toBe(302)
  await page.context().close()
})

it('My link forwards the query parameters that I name, with the status that I choose', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user, { original_url: 'https://example.com/?ref=own' })
  const { page, dialog } = await openOptions(user, 'Link')
  await dialog.getByLabel('Query forwarding').selectOption('Named parameters')
  await dialog.getByLabel('Parameter names').fill('ref, böse')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await dialog.getByText('up to 50 names of parameters').waitFor()
  await dialog.getByLabel('Parameter names').fill('ref, page')
  await dialog.getByLabel('Duplicate parameters').selectOption('The visit’s value')
  expect(
    await dialog.getByLabel('Redirect status').getByRole('option').allTextContents(),
  ).toHaveLength(2)
  await dialog.getByLabel('Redirect status').selectOption('307 (keeps method)')
  await save(page)
  const visited = async () => {
    const { status, headers } = await visit(link.short_code, '?ref=visit&page=2&other=3')
    return [status, headers.get('location')]
  }
  await expect.poll(visited).toEqual([307, 'https://example.com/?ref=visit&page=2'])
  await page.context().close()
})

it('Chat apps show the preview that I wrote, and the preview page can be switched off', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const { page, dialog } = await openOptions(user, 'Preview')
  await dialog.getByLabel('Preview title').fill('Dinner at 8')
  await dialog.getByLabel('Preview text').fill('Come hungry')
  await dialog.getByLabel('Preview image').fill('https://example.com/page')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await dialog.getByText('Please use a PNG, JPEG or WebP image').waitFor()
  await dialog.getByLabel('Preview image').fill('https://example.com/dinner.png')
  await openPart(dialog, 'Access')
  await dialog.getByText('Preview page').click()
  await look(page, 'options-preview')
  await save(page)
  const response = await fetch(`${server.url}/${link.short_code}`, {
    redirect: 'manual',
    headers: { 'user-agent': 'Twitterbot/1.0' },
  })
  expect(await response.text()).toContain('Dinner at 8')
  await expect
    .poll(async () => (await (await visit(link.short_code, '+')).text()).includes('example.com'))
    .toBe(false)
  await page.context().close()
})

it('I archive a link: it leaves my list and still redirects', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const { page, dialog } = await openOptions(user, 'Link')
  await dialog.getByText('Archived', { exact: true }).click()
  await save(page)
  await page.getByText('No links yet').waitFor()
  expect((await linkOf(user, 'archived_at'))['archived_at']).not.toBeNull()
  expect((await visit(link.short_code)).status).toBe(302)
  await page.context().close()
})

it('an edit of one option sends only that column, tags included', async () => {
  const user = await makeUser(server)
  await makeLink(server, user, { tags: ['a', 'b'], starts_at: '2026-01-01T10:00:30Z' })
  const { page, dialog } = await openOptions(user, 'Link')
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.postDataJSON())
  })
  await dialog.getByLabel('Title', { exact: true }).fill('Named')
  await save(page)
  expect(sent).toEqual([{ title: 'Named' }])
  await page.context().close()
})

it('I build a campaign with a saved template, and an address is split into its fields', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user, {
    original_url: 'https://example.com/?utm_source=old+news&x=%C3%A4#top',
  })
  const { page, dialog } = await openOptions(user, 'Campaign')
  const [address, source, campaign] = [
    dialog.getByLabel('Redirect URL'),
    dialog.getByLabel('Source'),
    dialog.getByLabel('Campaign', { exact: true }),
  ]
  expect(await source.inputValue()).toBe('old news')
  await source.fill('newsletter')
  await campaign.fill('spring sale')
  const built = 'https://example.com/?utm_source=newsletter&x=%C3%A4&utm_campaign=spring%20sale#top'
  expect(await address.inputValue()).toBe(built)

  await dialog.getByRole('button', { name: 'Save as template' }).click()
  await page.keyboard.press('Enter')
  await dialog.getByText('The name of a template has 1 to 100 characters').waitFor()
  await page.keyboard.type('Spring')
  await page.keyboard.press('Enter')
  await expectNotice(page, 'Template saved')
  await look(page, 'options-utm')
  await source.fill('')
  await campaign.fill('')
  expect(await address.inputValue()).toBe('https://example.com/?x=%C3%A4#top')
  await dialog.getByRole('button', { name: 'Spring' }).click()
  expect(await source.inputValue()).toBe('newsletter')
  await save(page)
  expect((await visit(link.short_code)).headers.get('location')).toBe(
    'https://example.com/?x=%C3%A4&utm_source=newsletter&utm_campaign=spring%20sale#top',
  )

  await chooseForLink(page.getByRole('article'), 'Edit')
  await openEdited(page, 'Campaign')
  await dialog.getByRole('button', { name: 'Delete template' }).click()
  await expectNotice(page, 'Template deleted')
  await dialog.getByRole('button', { name: 'Save as template' }).waitFor()
  await page.context().close()
})
