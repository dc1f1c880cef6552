import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { expectAccessible, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { plantDomain } from '../domains/plant-domain.ts'
import { look } from '../look.ts'
import { savedFile } from '../qr/qr-file.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const fixture = (name: string) => new URL(`../../test/transfer/fixtures/${name}`, import.meta.url)

async function openImport(options: { width?: number; plan?: 'free' | 'business' } = {}) {
  const { width = 360, plan = 'business' } = options
  const user = await makeUser(server, { plan })
  const page = await openPage(browser, server.url, { user, width })
  await page.goto('/dashboard/import')
  return { user, page }
}

async function chooseFile(page: Page, name: string, content: string | Buffer) {
  await page
    .getByLabel(/Choose a file/)
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
}

const noScroll = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

it('Ann brings her file from Bitly, checks the rows on her phone, imports them and finds them', async () => {
  const { user, page } = await openImport()
  const tail = user.id.slice(0, 6)
  const rows = [
    'long_url,custom_bitlink,title,archived,tags,created_at',
    `https://harbor.example/spring,bit.ly/HB-${tail},Spring,false,"books,spring",2021-03-04T05:06:07Z`,
    'https://harbor.example/a-very-long-address/that-goes-on-and-on/and-on/until-it-has-no-room-left?utm_source=mail,bit.ly/3xK9aQf,,false,,2020-01-02T03:04:05Z',
    'ftp://files.example/sale,bit.ly/old-sale,Old sale,false,,2019-01-01T00:00:00Z',
  ]
  await expectAccessible(page)
  expect(await noScroll(page)).toBeLessThanOrEqual(0)
  await look(page, 'import-start')
  await chooseFile(page, 'bitly-links.csv', `${rows.join('\n')}\n`)
  await page.getByRole('heading', { name: 'Check before importing' }).waitFor()
  await page.getByText('bit.ly/old-sale').waitFor()
  await page.getByText('3 rows').waitFor()
  await expectAccessible(page)
  expect(await noScroll(page)).toBeLessThanOrEqual(0)
  await look(page, 'import-check')
  await page.getByRole('button', { name: /^Refused 1/ }).click()
  await page.getByText(`bit.ly/HB-${tail}`).waitFor({ state: 'detached' })
  const csv = await savedFile(page, () => page.getByRole('button', { name: 'As CSV' }).click())
  expect(csv.bytes.toString()).toContain('old-sale')
  await page.getByRole('button', { name: 'Import 2 links' }).click()
  await page.getByRole('heading', { name: 'Import done' }).waitFor()
  await page.getByText('2 rows imported, 1 skipped.').waitFor()
  await expectAccessible(page)
  await look(page, 'import-done')
  await page.getByRole('link', { name: 'To My Links' }).click()
  await page.getByLabel('Search links').fill('bit.ly/hb-')
  await page.getByText(`/hb-${tail}`).first().waitFor()
  const answer = await fetch(`${server.url}/hb-${tail}`, { redirect: 'manual' })
  expect(answer.headers.get('location')).toBe('https://harbor.example/spring')
})

it('Ann brings links of her own host and of another service, and they answer at her domain', async () => {
  const { user, page } = await openImport()
  const host = `moved-${user.id.slice(0, 8)}.example`
  await plantDomain(server, user, host)
  await page.reload()
  const rows = [
    'long_url,custom_bitlink,title,archived,tags,created_at',
    `https://harbor.example/menu,${host}/menu,Menu,false,,2021-03-04T05:06:07Z`,
    'https://harbor.example/list,bit.ly/list,List,false,,2021-03-04T05:06:07Z',
  ]
  await chooseFile(page, 'bitly-links.csv', `${rows.join('\n')}\n`)
  await page.getByRole('heading', { name: 'Check before importing' }).waitFor()
  await page.getByText(`${host}/menu`).first().waitFor()
  await page.getByLabel('Domain').selectOption(host)
  await page.getByText(`${host}/list`).waitFor()
  await look(page, 'import-domain')
  await page.getByRole('button', { name: 'Import 2 links' }).click()
  await page.getByText('2 rows imported').waitFor()
  for (const code of ['menu', 'list'])
    await expect
      .poll(async () => (await visit(server.url, `/${code}`, { headers: { host } })).location)
      .toBe(`https://harbor.example/${code}`)
})

it('Ann maps the columns of a file that nobody knows, by keyboard', async () => {
  const { page } = await openImport({ width: 1280 })
  await chooseFile(page, 'liste.csv', 'Ziel;Name\nhttps://a.example/eins;Erster\n')
  await page.getByRole('heading', { name: 'Choose the columns' }).waitFor()
  await page.getByText('Erster').waitFor()
  await expectAccessible(page)
  await look(page, 'import-mapping')
  await page.getByLabel('Destination').focus()
  await page.keyboard.type('Ziel')
  await page.getByLabel('Title').selectOption('Name')
  await page.getByRole('button', { name: 'Check the rows' }).press('Enter')
  await page.getByRole('button', { name: 'Import 1 link' }).press('Enter')
  await page.getByRole('heading', { name: 'Import done' }).waitFor()
})

it('Ann decides about a code that is taken, and undoes the import', async () => {
  const { user, page } = await openImport({ width: 1280 })
  const code = `menu-${user.id.slice(0, 6)}`
  await chooseFile(page, 'first.csv', `original_url,short_code\nhttps://a.example/old,${code}\n`)
  await page.getByRole('button', { name: 'Import 1 link' }).click()
  await page.getByRole('heading', { name: 'Import done' }).waitFor()
  await page.goto('/dashboard/import')
  await chooseFile(page, 'second.csv', `original_url,short_code\nhttps://a.example/new,${code}\n`)
  await page.getByText('Leads to a.example/old now').waitFor()
  await look(page, 'import-taken')
  await page.getByLabel('replace mine').check()
  await page.getByRole('button', { name: 'Import 1 link' }).click()
  await page.getByRole('heading', { name: 'Import done' }).waitFor()
  await expect
    .poll(async () =>
      (await fetch(`${server.url}/${code}`, { redirect: 'manual' })).headers.get('location'),
    )
    .toBe('https://a.example/new')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'Import undone' }).waitFor()
  expect(
    (await fetch(`${server.url}/${code}`, { redirect: 'manual' })).headers.get('location'),
  ).toBe('https://a.example/old')
})

it('Ann on the plan Free reads how much of her file fits', async () => {
  const { page } = await openImport({ plan: 'free' })
  const rows = Array.from({ length: 60 }, (_, i) => `https://a.example/${i}`)
  await chooseFile(page, 'many.csv', `original_url\n${rows.join('\n')}\n`)
  await page.getByText('Your plan has room for 50 links').waitFor()
  await look(page, 'import-free')
  await page.getByRole('button', { name: 'Import 60 links' }).click()
  await page.getByRole('heading', { name: 'Waiting for your quota' }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('heading', { name: 'Import paused' }).waitFor()
})

it('Ann pastes the source of her Linktree, and her bio page has its links', async () => {
  const { user, page } = await openImport({ width: 1280 })
  const bio = await fetch(`${server.url}/rest/v1/bio_pages`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: `p${user.id.slice(0, 8)}`, title: 'Ann', user_id: user.id }),
  })
  expect(bio.status).toBe(201)
  await page.getByLabel('Service', { exact: true }).selectOption('Linktree')
  await page.getByLabel('Page source').fill(await readFile(fixture('linktree.html'), 'utf8'))
  await page.getByRole('button', { name: 'Read links' }).click()
  await page.getByRole('button', { name: /^Import \d+ rows/ }).click()
  await page.getByRole('heading', { name: 'Import done' }).waitFor()
  await page.goto(`/p${user.id.slice(0, 8)}`)
  expect(await page.getByRole('link').count()).toBeGreaterThan(1)
})
