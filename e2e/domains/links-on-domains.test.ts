import type { Browser, Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { qrAddress } from '#domain/links/qr-address.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { savedFile, textsIn } from '../qr/qr-file.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** An account with a link `menu` on the server's host, and another one on its domain. */
async function withDomain(): Promise<{ ann: TestUser; host: string; port: string }> {
  const ann = await makeUser(server, { plan: 'business' })
  const host = `go-${ann.id.slice(0, 8)}.bücher.example`
  const stored = new URL(`http://${host}`).hostname
  await server.sql('insert into app.domains (user_id, host, is_served) values ($1, $2, true)', [
    ann.id,
    stored,
  ])
  const short_code = `menu-${ann.id.slice(0, 8)}`
  await makeLink(server, ann, { short_code, title: 'Menu here' })
  await makeLink(server, ann, {
    short_code,
    domain: stored,
    original_url: 'https://example.com/there',
    title: 'Menu there',
  })
  return { ann, host, port: new URL(server.url).port }
}

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth)

it('Ann finds her link on a domain in My Links, opens its page, and copies its own address', async () => {
  const { ann, host, port } = await withDomain()
  const code = `menu-${ann.id.slice(0, 8)}`
  const stored = new URL(`http://${host}`).hostname
  const address = `http://${stored}:${port}/${code}`
  const page = await openPage(browser, server.url, { user: ann, width: 360 })
  await page.goto('/dashboard')
  const row = page.getByRole('article', { name: `${host}/${code}` })
  await row.getByRole('button', { name: 'Copy' }).click()
  await expectNotice(page, 'Copied!')
  expect(await copied(page)).toBe(address)
  expect(await page.getByRole('article').count()).toBe(2)
  expect(await widthOf(page)).toBeLessThanOrEqual(360)
  await look(page, 'domains-my-links')

  await page.getByRole('searchbox').fill(address)
  await expect.poll(() => page.getByRole('article').count()).toBe(1)
  await row.getByRole('link', { name: 'Menu there' }).click()
  await page.waitForURL(`**/links/${stored}~${code}`)
  await page.getByRole('heading', { level: 1, name: `${host}/${code}` }).waitFor()
  await expect.poll(() => page.title()).toBe(`${host}/${code} · Hoplet`)
  await page.getByRole('button', { name: /^Copy/ }).click()
  await expectNotice(page, 'Copied!')
  expect(await copied(page)).toBe(address)
  expect(await widthOf(page)).toBeLessThanOrEqual(360)
  await expectAccessible(page)
  await look(page, 'domains-link')

  // The address of the page is one that can be opened and shared.
  await page.reload()
  await page.getByRole('link', { name: /there$/ }).waitFor()
  await page.getByRole('button', { name: 'QR code' }).click()
  const dialog = page.getByRole('dialog', { name: 'QR code' })
  await dialog.getByText(`${host}/${code}`).waitFor()
  const svg = await savedFile(page, () =>
    dialog.getByRole('button', { name: 'Download as SVG' }).click(),
  )
  expect(svg.name).toBe(`${stored}-${code}.svg`)
  expect(await textsIn(svg.bytes)).toEqual([qrAddress(address), qrAddress(address)])
  await page.getByRole('link', { name: 'Logo, shapes, placements and print' }).click()
  await page.waitForURL(({ searchParams }) => searchParams.get('link') === `${stored}~${code}`)
  const png = await savedFile(page, () =>
    page.getByRole('button', { name: 'Download PNG' }).click(),
  )
  expect(await textsIn(png.bytes)).toEqual([qrAddress(address), qrAddress(address)])
  await page.context().close()
})

it(
  'Ann changes the code of a link on a domain, and both codes answer at its host',
  { tags: ['extended'] },
  async () => {
    const { ann, host } = await withDomain()
    const code = `menu-${ann.id.slice(0, 8)}`
    const stored = new URL(`http://${host}`).hostname
    const page = await openPage(browser, server.url, { user: ann })
    await page.goto(`/links/${stored}~${code}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Change code' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change code' })
    await dialog.getByText(`${host}/`, { exact: true }).waitFor()
    await dialog.getByLabel('Short link').fill(`dinner-${ann.id.slice(0, 8)}`)
    await dialog.getByText('Available').waitFor()
    await dialog.getByRole('button', { name: 'Change code' }).click()
    await expectNotice(page, 'Code changed')
    await page.waitForURL(`**/links/${stored}~dinner-*`)
    const leadsTo = (name: string, location: string) =>
      vi.waitFor(
        async () =>
          expect(
            (await visit(server.url, `/${name}`, { headers: { host: stored } })).location,
          ).toBe(location),
        { timeout: 240_000 },
      )
    await leadsTo(code, 'https://example.com/there')
    await leadsTo(`dinner-${ann.id.slice(0, 8)}`, 'https://example.com/there')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Change code' }).click()
    await dialog.getByText(`${host}/${code}`, { exact: true }).waitFor()
    await dialog.getByRole('button', { name: `Release ${code}` }).click()
    await expectNotice(page, 'Code released')
    await leadsTo(code, '/404')

    await page.keyboard.press('Control+K')
    const palette = page.getByRole('dialog', { name: 'Find anything' })
    await palette.getByRole('combobox').fill('copy dinner')
    await palette.getByRole('option', { name: `Copy ${host}/dinner` }).click()
    await expectNotice(page, 'Copied!')
    expect(await copied(page)).toContain(`://${stored}:`)

    await page.goto('/dashboard')
    await page.getByRole('checkbox', { name: /^Select Menu there/ }).check()
    await page.getByRole('checkbox', { name: /^Select Menu here/ }).check()
    const csv = await savedFile(page, () =>
      page.getByRole('button', { name: 'Export CSV' }).click(),
    )
    expect(csv.bytes.toString()).toContain(`http://${stored}:`)
    await page.getByRole('button', { name: 'QR codes' }).click()
    await page.getByRole('heading', { name: 'Selected links 2' }).waitFor()
    await page.getByText(`${host}/dinner`).waitFor()
    await page.context().close()
  },
)
