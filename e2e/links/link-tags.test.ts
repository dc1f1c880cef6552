/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { openPart, pressInMenu } from '../menus.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

async function openList(user: TestUser, address = '/dashboard'): Promise<Page> {
  const page = await openPage(browser, server.url, { user })
  await page.goto(address)
  return page
}

const titles = (page: Page) =>
  page
    .getByRole('article')
    .locator('[data-row-link]')
    .evaluateAll((links) => links.map((link) => link.textContent))

it('My list shows titles, tags and the state of links, and I filter by a tag', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const mine = user.id.slice(0, 8)
  const links = [
    { title: 'Autumn reading list', tags: ['autumn', 'poster'], max_clicks: 3 },
    { title: 'Reading night, with a title that has no end', tags: ['autumn', 'a', 'b', 'c'] },
    { title: 'Christmas', starts_at: '2099-12-01T08:00:00Z', tags: ['poster'] },
    { title: 'Voucher, spring', ends_at: '2020-01-01T08:00:00Z', password: 'sesame' },
    { short_code: `plain-${mine}` },
  ]
  for (const link of links.toReversed()) await makeLink(server, user, link)
  const page = await openList(user)
  const row = (text: string) => page.getByRole('article').filter({ hasText: text })
  await row('Autumn').getByText('3 clicks left').waitFor()
  await row('Autumn').getByText('poster', { exact: true }).waitFor()
  await row('Christmas')
    .getByText(/^starts .*2099/)
    .waitFor()
  await row('Voucher').getByText('ended').waitFor()
  await row('Voucher').getByText('password').waitFor()
  await row(`plain-${mine}`).getByText('example.com/').waitFor()
  await look(page, 'tags-list')

  await page.getByRole('combobox', { name: 'Tag' }).selectOption('poster')
  await expect.poll(() => titles(page)).toEqual(['Autumn reading list', 'Christmas'])
  expect(new URL(page.url()).searchParams.get('tag')).toBe('poster')
  await page.reload()
  await expect.poll(() => titles(page)).toEqual(['Autumn reading list', 'Christmas'])
  await page.getByRole('combobox', { name: 'Tag' }).selectOption('autumn')
  await page.getByRole('button', { name: 'Remove tag poster' }).click()
  await expect
    .poll(() => titles(page))
    .toEqual(['Autumn reading list', 'Reading night, with a title that has no end'])
  await page.getByRole('button', { name: 'Remove tag autumn' }).click()
  await page.getByLabel('Search links').fill('reading night')
  await expect.poll(() => titles(page)).toHaveLength(1)

  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('autumn')
  await page.getByRole('option', { name: 'autumn Tag' }).click()
  await page.waitForURL('**/dashboard?tag=autumn')
  await page.context().close()
})

it('a title has room beside its marks on a tablet', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  await makeLink(server, user, {
    title: 'Reading night, Thursday',
    ends_at: '2020-01-01T08:00:00Z',
    password: 'sesame',
    tags: ['autumn', 'poster'],
  })
  const page = await openPage(browser, server.url, { user, width: 768 })
  await page.goto('/dashboard')
  await page.getByRole('article').getByText('password').waitFor()
  const title = page.locator('[data-row-link]')
  expect(await title.evaluate((link) => link.scrollWidth - link.clientWidth)).toBe(0)
  await page.context().close()
})

it('I archive a link, find it under Archived, and bring it back', { tags: ['gate'] }, async () => {
  const user = await makeUser(server)
  await makeLink(server, user, { title: 'Stays' })
  const link = await makeLink(server, user, { title: 'Goes' })
  const page = await openList(user)
  const row = (text: string) => page.getByRole('article').filter({ hasText: text })
  const press = (text: string, item: string) =>
    pressInMenu(
      row(text).getByRole('button', { name: 'More actions' }),
      row(text).getByRole('button', { name: item, exact: true }),
    )
  await row('Goes').waitFor()
  await press('Goes', 'Archive')
  await expectNotice(page, 'Archived', 'The link still redirects')
  await expect.poll(() => titles(page)).toEqual(['Stays'])
  expect((await fetch(`${server.url}/${link.short_code}`, { redirect: 'manual' })).status).toBe(302)

  await page.getByRole('button', { name: 'Archived' }).click()
  await expect.poll(() => titles(page)).toEqual(['Goes'])
  await row('Goes').getByText('archived').waitFor()
  await press('Goes', 'Unarchive')
  await expectNotice(page, 'Back in your list')
  await expect.poll(() => titles(page)).toEqual([])
  await page.getByRole('button', { name: 'Archived' }).click()
  await expect.poll(() => titles(page)).toEqual(['Goes', 'Stays'])
  await page.context().close()
})

it('I tag several links at once, and archive them', async () => {
  const user = await makeUser(server)
  await makeLink(server, user, { title: 'One', tags: ['old', 'kept'] })
  await makeLink(server, user, { title: 'Two', tags: ['old'] })
  await makeLink(server, user, { title: 'Three' })
  const page = await openList(user)
  await expect.poll(() => titles(page)).toEqual(['Three', 'Two', 'One'])
  for (const key of ['j', 'x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await page.getByText('3 selected').waitFor()
  await look(page, 'tags-selected')
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Tags of 3 links' })
  await dialog.getByLabel('Add tags').fill('new, KEPT')
  await dialog.getByRole('checkbox', { name: 'old' }).check()
  await look(page, 'tags-bulk')
  await dialog.getByRole('button', { name: 'Save tags' }).click()
  await expectNotice(page, 'Tags saved')
  const tags = await server.sql<{ title: string; tags: string[] }>(
    'select title, tags from app.shortened_urls where user_id = $1 order by title',
    [user.id],
  )
  expect(Object.fromEntries(tags.map(({ title, tags: names }) => [title, names]))).toEqual({
    One: ['kept', 'new'],
    Two: ['new', 'kept'],
    Three: ['new', 'kept'],
  })
  await page
    .getByRole('region', { name: 'Selected links' })
    .getByRole('button', { name: 'Archive' })
    .click()
  await expectNotice(page, 'Archived', '3 links still redirect')
  await expect.poll(() => titles(page)).toEqual([])
  await page.context().close()
})

it('Tags that a link got elsewhere stay when I tag several links', async () => {
  const user = await makeUser(server)
  await makeLink(server, user, { title: 'One', tags: ['old'] })
  await makeLink(server, user, { title: 'Two' })
  const page = await openList(user)
  await expect.poll(() => titles(page)).toEqual(['Two', 'One'])
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Tags of 2 links' })
  await dialog.getByLabel('Add tags').fill('new')
  await server.sql(
    `update app.shortened_urls set tags = '{old,elsewhere}' where user_id = $1 and title = 'One'`,
    [user.id],
  )
  await dialog.getByRole('button', { name: 'Save tags' }).click()
  await expectNotice(page, 'Tags saved')
  expect(
    await server.sql('select tags from app.shortened_urls where user_id = $1 order by title', [
      user.id,
    ]),
  ).toEqual([{ tags: ['old', 'elsewhere', 'new'] }, { tags: ['new'] }])
  await page.context().close()
})

it('I rename, recolor and delete a tag, on all links that have it', async () => {
  const user = await makeUser(server)
  await makeLink(server, user, { title: 'One', tags: ['poster', 'other'] })
  const page = await openList(user, '/dashboard?tag=poster')
  await expect.poll(() => titles(page)).toEqual(['One'])
  await page.getByRole('button', { name: 'Manage tags' }).click()
  const dialog = page.getByRole('dialog', { name: 'Tags' })
  await dialog.getByLabel('Name of poster').fill('OTHER')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('You have a tag with this name').waitFor()
  await dialog.getByLabel('Name of poster').fill('flyer')
  await dialog.getByLabel('Color of poster').fill('#112233')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectNotice(page, 'Tag saved')
  await look(page, 'tags-manage')
  expect(
    await server.sql('select name, color from app.tags where user_id = $1 and name <> $2', [
      user.id,
      'other',
    ]),
  ).toEqual([{ name: 'flyer', color: '#112233' }])
  await page.waitForURL('**/dashboard?tag=flyer')

  await dialog.getByRole('button', { name: 'Delete flyer' }).click()
  const question = page.getByRole('dialog', { name: 'Delete this tag?' })
  await question.getByText('The links stay.').waitFor()
  await question.getByRole('button', { name: 'Delete' }).click()
  await expectNotice(page, 'Tag deleted')
  await page.keyboard.press('Escape')
  await expect.poll(() => titles(page)).toEqual(['One'])
  expect(
    await server.sql('select tags from app.shortened_urls where user_id = $1', [user.id]),
  ).toEqual([{ tags: ['other'] }])
  await page.context().close()
})

it('a tag that was renamed elsewhere is shown by its new name', async () => {
  const user = await makeUser(server)
  await makeLink(server, user, { tags: ['one', 'two'] })
  const page = await openList(user)
  await page.getByRole('button', { name: 'Manage tags' }).click()
  const dialog = page.getByRole('dialog', { name: 'Tags' })
  const save = dialog.getByRole('button', { name: 'Save' })
  await dialog.getByLabel('Name of one').waitFor()
  await server.sql(`update app.tags set name = 'renamed' where user_id = $1 and name = 'one'`, [
    user.id,
  ])
  await dialog.getByLabel('Name of two').fill('second')
  await save.click()
  await expect.poll(() => dialog.getByLabel('Name of renamed').inputValue()).toBe('renamed')
  await dialog.getByLabel('Name of second').waitFor()
  await expect.poll(() => save.count()).toBe(0)
  await page.context().close()
})

it('a tag of forty emojis is saved', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const page = await openList(user, `/links/${link.short_code}`)
  await page.getByRole('button', { name: '+ tag' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Add tags' }).fill('🎉'.repeat(40))
  await dialog.getByRole('button', { name: 'Save tags' }).click()
  await expectNotice(page, 'Tags saved')
  await page.context().close()
})

it('The page of a link says its options in plain words, and Change opens them', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const link = await makeLink(server, user, {
    title: 'Menu, summer',
    note: 'On the poster at the station',
    tags: ['poster'],
    ends_at: '2099-12-01T08:00:00Z',
    max_clicks: 100,
    fallback_url: 'https://example.com/over',
    password: 'open sesame',
    forward_query: 'ref,page',
    redirect_status: 307,
    preview_title: 'Dinner at 8',
    show_preview_page: false,
  })
  const page = await openList(user, `/links/${link.short_code}`)
  await page.getByText('Menu, summer').waitFor()
  const card = page.getByRole('region', { name: 'Behavior' })
  for (const words of [
    /^Ends .*2099/,
    'Ends after 100 clicks: 100 left',
    'Outside this time visitors go to https://example.com/over',
    'Visitors enter a password',
    'Passes ref and page on',
    'Redirects with status 307',
    'Chat apps show the preview “Dinner at 8”',
    'The preview page is off',
    'On the poster at the station',
  ])
    await card.getByText(words).waitFor()
  await look(page, 'options-card')
  await card.getByRole('button', { name: 'Change the schedule' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Click limit').fill('')
  await openPart(dialog, 'Link')
  await dialog.getByLabel('Title', { exact: true }).fill('Menu, winter')
  await dialog.getByRole('button', { name: 'Save Changes' }).click()
  await expectNotice(page, 'Updated!')
  await page.getByText('Menu, winter').waitFor()
  await card.getByText('Ends after').waitFor({ state: 'detached' })
  await page.context().close()
})

it('The composer offers the link that I already have, and I can go on', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user, { original_url: 'https://shop.example/menu' })
  await makeLink(server, user, { original_url: 'https://shop.example/menu/2' })
  const page = await openList(user)
  await page.getByRole('button', { name: 'New link' }).click()
  const dialog = page.getByRole('dialog', { name: 'New link' })
  await dialog.getByLabel('Destination').fill('shop.example/menu')
  await dialog.getByText('You already have a link to this address').waitFor()
  await look(page, 'compose-same')
  await dialog.getByRole('button', { name: 'Use this link' }).click()
  await expectNotice(page, 'Copied!')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${server.url}/${link.short_code}`,
  )
  await dialog.getByLabel('Destination').fill('shop.example/menu?')
  await dialog.getByText('You already have a link').waitFor({ state: 'detached' })
  await dialog.getByLabel('Destination').fill('shop.example/menu')
  await dialog.getByRole('button', { name: 'Create and copy' }).click()
  await expectNotice(page, '✨ URL Shortened!')
  await page.context().close()
})
