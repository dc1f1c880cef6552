import { unzipSync } from 'fflate'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { qrAddress } from '#domain/links/qr-address.ts'
import { qrCells } from '#domain/qr/qr-cells.ts'
import { makeLink, makeUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'
import { savedFile, textsIn } from './qr-file.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const safe = (page: Page) => page.getByRole('heading', { name: /^Scans from \d+ mm up$/ })
const press = (page: Page, group: string, name: string) =>
  page.getByRole('group', { name: group }).getByRole('button', { name, exact: true }).click()

async function openStudio(query: string, options: { width?: number } = {}) {
  const user = await makeUser(server, { plan: 'pro' })
  const code = `print-${user.id.slice(0, 8)}`
  const link = await makeLink(server, user, { short_code: code })
  const { width = 1280 } = options
  const page = await openPage(browser, server.url, { user, width })
  await page.goto(query === '' ? `/qr?link=${code}` : query)
  return { user, code, link, page, text: qrAddress(`${server.url}/${code}`) }
}

it('Ann gives a code a shape, a logo and a caption, sees that it scans, and downloads it', async () => {
  const { page, code, text, link } = await openStudio('', { width: 360 })
  await page.goto(`/links/${code}`)
  await page.getByRole('button', { name: 'QR code' }).click()
  await page.getByRole('link', { name: 'Logo, shapes, placements and print' }).click()
  await page.getByText('Dynamic QR code: its destination can change').waitFor()
  await safe(page).waitFor()
  await press(page, 'Shape', 'Leaves')
  await press(page, 'Corners', 'Rounded')
  await press(page, 'Frame and caption', 'Tab')
  await page.getByLabel('Caption', { exact: true }).fill('Scan for the winter list')
  const logo = await sharp({
    create: { width: 80, height: 40, channels: 4, background: '#a8430a' },
  })
    .png()
    .toBuffer()
  await page
    .getByLabel('Logo file')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: logo })
  await page.getByRole('img', { name: 'The logo' }).waitFor()
  await page.getByText(/\d% of 20/).waitFor()
  await safe(page).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await expectAccessible(page)
  await look(page, 'qr-studio')

  const png = await savedFile(page, () =>
    page.getByRole('button', { name: 'Download PNG' }).click(),
  )
  expect(png.name).toBe(`${code}.png`)
  expect(await textsIn(png.bytes)).toEqual([text, text])
  const { width } = await sharp(png.bytes).metadata()
  expect(width).toBeGreaterThanOrEqual(1_024)
  await page.getByRole('button', { name: 'Other files' }).click()
  const svg = await savedFile(page, () => page.getByRole('button', { name: 'SVG' }).click())
  expect(svg.bytes.toString()).toContain('Scan for the winter list')
  expect(await textsIn(svg.bytes)).toEqual([text, text])
  expect(link.short_code).toBe(code)
})

it('a code that cannot be read is mended, and is downloaded unmended only after a warning', async () => {
  const { page, text } = await openStudio('')
  await safe(page).waitFor()
  const color = page.getByLabel('Color', { exact: true })
  await color.fill('#fffbe0')
  await page.getByLabel('Background', { exact: true }).fill('#ffe94a')
  await page.getByRole('heading', { name: 'May not scan' }).waitFor()
  await page.getByText('The code is lighter than its background.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Download PNG' }).click()
  await page.getByRole('dialog', { name: 'This code may not scan' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Download PNG' }).click()
  const unsafe = await savedFile(page, () =>
    page.getByRole('button', { name: 'Download anyway' }).click(),
  )
  expect((await sharp(unsafe.bytes).metadata()).format).toBe('png')

  await page.getByRole('button', { name: 'Mend it' }).click()
  await safe(page).waitFor()
  const mended = await savedFile(page, () =>
    page.getByRole('button', { name: 'Download PNG' }).click(),
  )
  expect(await textsIn(mended.bytes)).toEqual([text, text])
})

it('a look that Ann saves as the default is on the page of every link', async () => {
  const { page, code, user } = await openStudio('')
  await press(page, 'Shape', 'Dots')
  await page.getByLabel('Save look as').fill('House style')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expectNotice(page, 'Look saved')
  await page.getByRole('button', { name: 'House style: make default' }).click()
  await expectNotice(page, 'All codes look like House style now')
  expect(
    await server.sql('select name, is_default from app.qr_looks where user_id = $1', [user.id]),
  ).toEqual([{ name: 'House style', is_default: true }])

  await page.goto(`/links/${code}`)
  const dots = page.getByRole('img', { name: /^QR code of/ }).locator('path[d*="a0.45"]')
  await dots.first().waitFor()
  await page.goto('/qr?link=' + code)
  await page.getByRole('button', { name: 'Delete the look House style' }).click()
  await expectNotice(page, 'Look deleted')
  await expect
    .poll(() => page.getByRole('button', { name: 'Plain' }).getAttribute('aria-pressed'))
    .toBe('true')
})

it('the code of a bio page is one press from its editor', async () => {
  const user = await makeUser(server)
  const slug = `cafe-${user.id.slice(0, 8)}`
  await server.sql('insert into app.bio_pages (user_id, slug, title) values ($1, $2, $3)', [
    user.id,
    slug,
    'Café',
  ])
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto('/bio-link')
  await page.getByRole('link', { name: 'QR code' }).click()
  await safe(page).waitFor()
  const png = await savedFile(page, () =>
    page.getByRole('button', { name: 'Download PNG' }).click(),
  )
  const text = qrAddress(`${server.url}/${slug}`)
  expect(png.name).toBe(`${slug}.png`)
  expect(await textsIn(png.bytes)).toEqual([text, text])
})

it('Ann gives selected links one look, and downloads their codes as one file', async () => {
  const user = await makeUser(server, { plan: 'business' })
  const id = user.id.slice(0, 8)
  const codes = [`a-${id}`, `wine_${id}`, `a-long-code-of-the-winter-menu-${id}`]
  for (const short_code of codes) await makeLink(server, user, { short_code })
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  await expect.poll(() => page.getByRole('article').count()).toBe(3)
  for (const box of await page.getByRole('article').getByRole('checkbox').all()) await box.check()
  await page.getByRole('button', { name: 'QR codes' }).click()
  await page.getByRole('heading', { name: '3 QR codes' }).waitFor()
  const textOf = (code: string) => qrAddress(`${server.url}/${code}`)
  const cells = codes.map((code) => qrCells(textOf(code)).length + 8)
  await page.getByText(`The densest code decides: ${Math.max(...cells)} cells`).waitFor()
  expect(Math.min(...cells)).toBeLessThan(Math.max(...cells))
  await press(page, 'Shape', 'Dots')
  await page.getByLabel('Color', { exact: true }).fill('#8a1f11')
  await safe(page).waitFor()
  await expectAccessible(page)
  await look(page, 'qr-studio-selection')
  const unzipped = async (button: string) => {
    const zip = await savedFile(page, () => page.getByRole('button', { name: button }).click())
    expect(zip.name).toBe('qr-codes.zip')
    return unzipSync(zip.bytes)
  }
  const pngs = await unzipped('Download ZIP')
  expect(Object.keys(pngs).sort()).toEqual(codes.map((code) => `${code}.png`).sort())
  await page.getByRole('button', { name: 'Other files' }).click()
  const svgs = await unzipped('ZIP of SVG')
  for (const code of codes) {
    const both = [textOf(code), textOf(code)]
    expect(await textsIn(Buffer.from(pngs[`${code}.png`] ?? []))).toEqual(both)
    const svg = Buffer.from(svgs[`${code}.svg`] ?? [])
    expect(svg.toString()).toContain('#8a1f11')
    expect(await textsIn(svg)).toEqual(both)
  }
  // The selection is in the address: it outlives a reload. Links of others are not in it.
  const other = await makeLink(server, await makeUser(server))
  await page.reload()
  await page.getByRole('heading', { name: '3 QR codes' }).waitFor()
  await page.goto(`/qr#links=${codes[0]},${other.short_code},${codes[1]}`)
  await page.getByRole('heading', { name: '2 QR codes' }).waitFor()
  await page.goto(`/qr#links=${other.short_code}`)
  await page.getByText('You have no such links').waitFor()
  await page.context().close()
})

it('a code that is not a link is one press from My Links and from the studio', async () => {
  const { page } = await openStudio('')
  const staticStudio = page.getByText('Static QR code: nothing can be changed or counted')
  await page.getByRole('link', { name: 'Static QR code' }).click()
  await staticStudio.waitFor()
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Static QR code' }).click()
  await staticStudio.waitFor()
  expect(await page.getByRole('link', { name: 'Static QR code' }).count()).toBe(0)
  await page.context().close()
})

it('placements are added as a list, and each has a code of its own', async () => {
  const { page, link, code } = await openStudio('')
  await page.getByRole('button', { name: 'Add a list' }).click()
  await page.getByLabel('One per line').fill('window\ntable 1\n\ntable 2\n')
  await page.getByRole('button', { name: 'Add 3 placements' }).click()
  await expectNotice(page, '3 placements added')
  await press(page, "Placements count one link's prints apart", 'table 1')
  const [row] = await server.sql(
    `select mark from app.placements where link_id = $1 and name = 'table 1'`,
    [link.id],
  )
  const mark = String(row?.['mark'])
  await safe(page).waitFor()
  const png = await savedFile(page, () =>
    page.getByRole('button', { name: 'Download PNG' }).click(),
  )
  expect(png.name).toBe(`${code}-${mark}.png`)
  const text = qrAddress(`${server.url}/${code}`, mark)
  expect(await textsIn(png.bytes)).toEqual([text, text])
})

it('a placement has an own campaign, made with the list or given later', async () => {
  const { page, link } = await openStudio('')
  const campaigns = async () =>
    (
      await server.sql<{ name: string; campaign: string }>(
        `select name, concat_ws('/', utm_source, utm_medium, utm_campaign) as campaign
          from app.placements where link_id = $1 order by name`,
        [link.id],
      )
    ).map(({ name, campaign }) => [name, campaign])
  await page.getByRole('button', { name: 'Add a list' }).click()
  await page.getByLabel('One per line').fill('window')
  await page.getByRole('button', { name: 'Add placement' }).click()
  await expectNotice(page, 'Placement added')
  await page.getByRole('button', { name: 'Add a list' }).click()
  await page.getByLabel('One per line').fill('table 1\ntable 2')
  await page.getByText('Own campaign').click()
  await page.getByLabel('Source').fill('menu')
  await page.getByLabel('Campaign', { exact: true }).fill('winter list')
  await page.getByRole('button', { name: 'Add 2 placements' }).click()
  await expectNotice(page, '2 placements added')
  const made = ['table 1', 'table 2'].map((name) => [name, 'menu//winter list'])
  expect(await campaigns()).toEqual([...made, ['window', '//']])

  const placements = "Placements count one link's prints apart"
  await press(page, placements, 'window')
  await page.getByText('Own campaign').click()
  const save = page.getByRole('button', { name: 'Save campaign' })
  expect(await save.isDisabled()).toBe(true)
  await page.getByLabel('Source').fill('shop window')
  await expectAccessible(page)
  await look(page, 'qr-placement-campaign')
  await save.click()
  await expectNotice(page, 'Campaign saved')
  expect(await campaigns()).toEqual([...made, ['window', 'shop window//']])
  // The campaign of one is not that of another.
  await press(page, placements, 'table 2')
  await expect.poll(() => page.getByLabel('Source').inputValue()).toBe('menu')
  await page.getByLabel('Source').fill('')
  await page.getByLabel('Campaign', { exact: true }).fill('')
  await save.click()
  await expectNotice(page, 'Campaign removed')
  expect(await campaigns()).toEqual([made[0], ['table 2', '//'], ['window', 'shop window//']])
  await page.context().close()
})

it(
  'a file that cannot be a logo says why, and changes nothing',
  { tags: ['extended'] },
  async () => {
    const { page } = await openStudio('')
    await safe(page).waitFor()
    const give = (name: string, mimeType: string, buffer: Buffer) =>
      page.getByLabel('Logo file').setInputFiles({ name, mimeType, buffer })
    const picture = (width: number, alpha: number) =>
      sharp({
        create: { width, height: width, channels: 4, background: { r: 9, g: 9, b: 9, alpha } },
      })
        .png()
        .toBuffer()
    await give('large.png', 'image/png', Buffer.alloc(6 * 1024 * 1024))
    await page.getByText('A logo has at most 5 MB.').waitFor()
    await give('text.png', 'image/png', Buffer.from('no picture'))
    await page.getByText('This file is not a picture that this browser can read.').waitFor()
    await give('dot.png', 'image/png', await picture(1, 1))
    await page.getByText('A logo is at least 16 pixels wide or high.').waitFor()
    await give('glass.png', 'image/png', await picture(64, 0))
    await page.getByText('This picture is transparent everywhere.').waitFor()
    expect(await page.getByRole('button', { name: 'Add a logo' }).isVisible()).toBe(true)
    // The control, which also has a script that must not stay.
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>document.title='run'</script><rect width="40" height="40" fill="#123456"/></svg>`
    await give('drawing.svg', 'image/svg+xml', Buffer.from(svg))
    const logo = page.getByRole('img', { name: 'The logo' })
    expect(await logo.getAttribute('src')).toMatch(/^data:image\/png;base64,/)
    expect(await page.title()).toContain('QR code')
  },
)
