import { readFile } from 'node:fs/promises'
import type { Browser, Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { chooseForLink, pressInMenu } from '../menus.ts'
import { followHops } from '../hops.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

it('every link has a page: copied with C, changed with E, restored with one click, deleted', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const code = `page-${user.id.slice(0, 8)}`
  const link = await makeLink(server, user, {
    short_code: code,
    original_url: 'https://shop.example/first',
  })
  await server.sql(
    `update app.shortened_urls set click_count = 12762, first_click_at = now() - interval '40 days', last_click_at = now() - interval '3 hours' where id = $1`,
    [link.id],
  )
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  const integrity = page.waitForResponse(/\/rpc\/click_integrity/)
  await page.getByRole('link', { name: code }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/links/${code}`)
  await page.getByRole('heading', { level: 1, name: code }).waitFor()
  // No hit of these clicks is kept, which both reads have said by then.
  await integrity
  await page.getByText('0 later clicks').waitFor()
  await page.getByText('12,762 all-time').waitFor()
  await page.getByText('No changes yet').waitFor()
  await page.getByLabel('QR Code Color').waitFor({ state: 'attached' })
  await look(page, 'link-page')

  await page.keyboard.press('c')
  await expectNotice(page, 'Copied!', 'Link copied to clipboard')
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${server.url}/${code}`)

  await page.keyboard.press('e')
  const field = page.getByRole('textbox', { name: 'Redirect URL' })
  await field.fill('https://shop.example/second')
  await page.keyboard.press('Enter')
  await expectNotice(page, 'Updated!')
  const history = page.getByRole('region', { name: 'Previous destinations' })
  await history.getByText('You,').waitFor()
  await history.getByRole('button', { name: 'Restore https://shop.example/first' }).click()
  await expect.poll(() => history.getByRole('listitem').count()).toBe(2)
  expect(
    await server.sql('select original_url from app.shortened_urls where id = $1', [link.id]),
  ).toEqual([{ original_url: 'https://shop.example/first' }])

  await page.getByRole('button', { name: 'Add a title' }).click()
  await page.keyboard.type('Spring, first')
  await page.keyboard.press('Enter')
  await expectNotice(page, 'Title saved')
  await page.getByText('Spring, first').waitFor()
  await expect
    .poll(() => page.evaluate(() => document.querySelector('link[rel=icon]')?.getAttribute('href')))
    .toContain('data:image/svg+xml')

  await page.keyboard.press('q')
  const qrCode = page.getByRole('dialog', { name: 'QR code' })
  await qrCode.getByLabel('QR Code Color').fill('#fffff0')
  await qrCode.getByText('No camera can read this color on white').waitFor()
  for (const name of ['Download QR Code', 'Download as SVG'])
    expect(await qrCode.getByRole('button', { name }).isDisabled()).toBe(true)
  await qrCode.getByLabel('QR Code Color').fill('#7a1f00')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    qrCode.getByRole('button', { name: 'Download as SVG' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`${code}.svg`)
  const svg = await readFile(await download.path(), 'utf8')
  expect(svg).toMatch(/^<svg[^>]+xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
  expect(svg).toContain('#7a1f00')
  expect(
    await server.sql('select daily_qr_codes from app.user_usage where user_id = $1', [user.id]),
  ).toEqual([{ daily_qr_codes: 1 }])
  await page.keyboard.press('Escape')

  await chooseForLink(page.getByRole('main'), 'Delete')
  await page.getByText('12,762 clicks will be lost').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expectNotice(page, 'Deleted', 'Link removed successfully')
  await page.getByText('No links yet').waitFor()
  await page.context().close()
})

it(
  'an edit on the page of a link keeps an address that was stored meanwhile',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    const link = await makeLink(server, user, { original_url: 'https://example.com/opened' })
    const page = await openPage(browser, server.url, { user })
    await page.goto(`/links/${link.short_code}`)
    await page.getByRole('button', { name: /^Edit(?! rules)/ }).click()
    await page.getByRole('dialog').getByText('Active', { exact: true }).click()
    await server.sql(
      `update app.shortened_urls set original_url = 'https://example.com/newer' where id = $1`,
      [link.id],
    )
    const read = page.waitForResponse(/shortened_urls\?.*short_code/)
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await read
    await page.getByRole('main').getByText('example.com/newer').first().waitFor()
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'Updated!')
    expect(
      await server.sql('select original_url, is_disabled from app.shortened_urls where id = $1', [
        link.id,
      ]),
    ).toEqual([{ original_url: 'https://example.com/newer', is_disabled: true }])
    await page.context().close()
  },
)

it(
  'the page says where the link is used, and the limits of a free plan; on a phone nothing is cut',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    const mine = user.id.slice(0, 8)
    const code = `${'x'.repeat(41)}-${mine}`
    await makeLink(server, user, {
      short_code: code,
      original_url: `https://shop.example/${'long/'.repeat(400)}`,
    })
    const page = await openPage(browser, server.url, { user, width: 360 })
    await page.goto(`/links/${code.toUpperCase()}`)
    await page.getByRole('link', { name: 'Upgrade to view clicks' }).waitFor()
    await page.getByText('You have no bio page yet').waitFor()
    await page.getByText('Shows no popup').waitFor()
    await look(page, 'link-page-free')

    await server.sql(`insert into app.bio_pages (user_id, slug, title) values ($1, $2, 'Me')`, [
      user.id,
      `uses-${mine}`,
    ])
    await page.reload()
    await page.getByRole('button', { name: 'Add to bio page' }).click()
    await expectNotice(page, 'Added', 'The link is on your bio page')
    await page.getByText('First link of your bio page').waitFor()
    await page.getByText('As “shop.example”').waitFor()

    await page.goto('/links/never-made')
    await page.getByText('You have no such link').waitFor()
    await page.context().close()
  },
)

it('a link of somebody else has no page for me, and a stranger signs in first and then sees theirs', async () => {
  const [ada, bob] = [await makeUser(server), await makeUser(server)]
  const code = `adas-${ada.id.slice(0, 8)}`
  await makeLink(server, ada, { short_code: code })
  const page = await openPage(browser, server.url, { user: bob })
  await page.goto(`/links/${code}`)
  await page.getByText('You have no such link').waitFor()
  await page.context().close()

  const stranger = await openPage(browser, server.url)
  await stranger.goto(`/links/${code}`)
  await stranger.waitForURL('**/auth?next=*')
  await stranger.getByLabel('Email').fill(ada.email)
  await stranger.getByLabel('Password', { exact: true }).fill(ada.password)
  await stranger.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
  await stranger.waitForURL(`**/links/${code}`)
  await stranger.getByRole('heading', { level: 1, name: code }).waitFor()
  await stranger.context().close()
})

it(
  'Active switches a link off and on: under Edit, in the menus, in the palette; My Links finds those that are off',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    const mine = user.id.slice(0, 8)
    const link = await makeLink(server, user, { short_code: `off-${mine}` })
    await makeLink(server, user, { short_code: `on-${mine}` })
    const page = await openPage(browser, server.url, { user })
    const visit = async () =>
      (await page.request.get(`/${link.short_code}`, { maxRedirects: 0 })).status()
    const inMenu = (of: Locator) =>
      pressInMenu(
        of.getByRole('button', { name: 'More actions' }),
        of.getByRole('switch', { name: 'Active' }),
      )
    await page.goto(`/links/${link.short_code}`)
    await page.getByRole('heading', { level: 1, name: link.short_code }).waitFor()
    await page.getByRole('button', { name: /^Edit(?! rules)/ }).click()
    const active = page.getByRole('dialog').getByRole('switch', { name: 'Active' })
    await expect.poll(() => active.isChecked()).toBe(true)
    await page.getByRole('dialog').getByText('Active').click()
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'Updated!')
    await page.getByText('This link is off').waitFor()
    await look(page, 'link-off')
    await expect.poll(visit).toBe(410)
    await page.getByRole('button', { name: 'Turn on' }).click()
    await expectNotice(page, 'Link is active')
    await expect.poll(visit).toBe(302)
    await inMenu(page.getByRole('main'))
    await expectNotice(page, 'Link is off')
    await expect.poll(visit).toBe(410)

    // The filter is there because one is off; the count says how many of all.
    await page.goto('/dashboard')
    const rows = page.getByRole('article')
    await rows.getByText('off', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Off', exact: true }).click()
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByRole('main').getByText('1 of 2', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Blocked' }).count()).toBe(0)
    await look(page, 'links-off')
    await inMenu(rows.first())
    await expectNotice(page, 'Link is active')
    await expect.poll(visit).toBe(302)

    await page.keyboard.press('Control+k')
    await page
      .getByPlaceholder('Find links, screens, settings')
      .fill(`switch off ${link.short_code}`)
    await page.getByRole('option', { name: `Switch off ${link.short_code}` }).waitFor()
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Link is off')
    await expect.poll(visit).toBe(410)
    await page.context().close()
  },
)

it(
  'on Copy a dot hops to the tick of the toast, and with reduced motion there is none',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    const { short_code: code } = await makeLink(server, user)
    const page = await openPage(browser, server.url, { user })
    await page.goto(`/links/${code}`)
    await page.getByRole('heading', { level: 1, name: code }).waitFor()
    const hops = await followHops(page)
    await page.getByRole('button', { name: /^Copy/ }).click()
    await expectNotice(page, 'Copied!')
    expect(await hops()).toEqual([])
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.getByRole('button', { name: /^Cop/ }).click()
    await expect.poll(hops).toHaveLength(1)
    await expect.poll(() => page.locator('[data-hop]').count()).toBe(0)
    await page.context().close()
  },
)
