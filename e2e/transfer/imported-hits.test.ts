import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { archiveWithHits, clicksCsv, minutesAgo } from '#test/transfer/hits-file.ts'
import { expectAccessible, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const noScroll = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
const importedSwitch = (page: Page) => page.getByRole('switch', { name: 'Show imported clicks' })
const note = 'Includes 40 imported clicks. They come from an archive, and are no counted clicks.'

it('Ann brings her archive on her phone, sees none of its clicks counted, and switches them on by keyboard', async () => {
  const user = await makeUser(server, { plan: 'business' })
  const code = `brought-${user.id.slice(0, 6)}`
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto('/analytics')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('switch', { name: 'Repeat clicks' }).waitFor()
  // Nothing was imported yet.
  expect(await importedSwitch(page).count()).toBe(0)

  await page.goto('/dashboard/import')
  const hits = Array.from({ length: 40 }, (_, n) => ({
    at: minutesAgo(600 * (n + 1)),
    country: n % 2 === 0 ? 'IS' : 'DE',
    browser: 'Firefox',
    device: 'mobile',
  }))
  await page.getByLabel(/Choose a file/).setInputFiles({
    name: 'hoplet-archive.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from(archiveWithHits(code, clicksCsv([...hits, { at: 'never' }]))),
  })
  await page.getByText('clicks.csv: 40 hits').waitFor()
  await page.getByText('Row 41 is left out: its time cannot be read.').waitFor()
  await expectAccessible(page)
  expect(await noScroll(page)).toBeLessThanOrEqual(0)
  await look(page, 'import-archive-hits')
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByRole('heading', { name: 'Import done' }).waitFor()

  await page.goto('/analytics')
  const totals = page.getByRole('region', { name: 'Totals' })
  await totals.getByText('0', { exact: true }).first().waitFor()
  expect(await page.getByText('Iceland').count()).toBe(0)
  await page.getByRole('button', { name: 'Filter', exact: true }).focus()
  await page.keyboard.press('Enter')
  await importedSwitch(page).focus()
  await expectAccessible(page)
  await look(page, 'analytics-imported-switch')
  await page.keyboard.press('Space')
  await page.keyboard.press('Escape')
  await page.getByText(note).waitFor()
  await totals.getByText('40', { exact: true }).first().waitFor()
  await page.getByText('Iceland').first().waitFor()
  await expectAccessible(page)
  expect(await noScroll(page)).toBeLessThanOrEqual(0)
  await look(page, 'analytics-imported')

  // The page of the link has the same switch, and begins without.
  const [link] = await server.sql<{ id: string }>(
    'select id from app.shortened_urls where short_code = $1',
    [code],
  )
  await page.goto(`/analytics?scope=link&id=${link?.id}`)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await importedSwitch(page).click()
  await page.getByText(note).waitFor()
  await page.context().close()
})
