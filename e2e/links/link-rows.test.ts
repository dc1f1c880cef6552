/** @module-tag extended */
import type { Browser, Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { expectStored, hit } from '../analytics-stage.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { pressInMenu } from '../menus.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const longTitle = 'A title of two hundred characters '.repeat(6).slice(0, 200).trim()

/** Texts of one line end within so many pixels. */
const sameLine = 6

/** Lines of text in the row: its title, short link and destination end at so many heights. */
async function linesOf(row: Locator, texts: readonly string[]): Promise<number> {
  const ends = await Promise.all(
    texts.map((text) =>
      row
        .getByText(text)
        .last()
        .evaluate((part) => part.getBoundingClientRect().bottom),
    ),
  )
  const sorted = ends.toSorted((a, b) => a - b)
  return sorted.filter((end, index) => end - (sorted[index - 1] ?? -Infinity) > sameLine).length
}

/** Whether no part of the text is outside of its box or the window. */
const isWhole = (text: Locator) =>
  text.evaluate((part) => {
    const { left, right } = part.getBoundingClientRect()
    return part.scrollWidth <= part.clientWidth && left >= 0 && right <= window.innerWidth
  })

it('rows have two lines, three on narrow phones, and the code is whole at each width', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const code = `harbour-reads-${user.id.slice(0, 8)}`
  const url = 'https://bistro.example/menu/of/the/long/summer/2027'
  await makeLink(server, user, { short_code: code, original_url: url, title: longTitle })
  const page = await openPage(browser, server.url, { user })
  await hit(server, code, { visitor: 1 })
  await expectStored(server, user, 1)
  await page.goto('/dashboard')
  const row = page.getByRole('article')
  const host = new URL(server.url).host
  const recent = row.getByText('1 in 30 days')
  for (const density of ['Comfortable', 'Dense'])
    for (const width of [360, 479, 480, 600, 700, 768, 1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      const isPhone = width < 700
      if (!isPhone) await page.getByRole('button', { name: `${density} rows` }).click()
      await recent.waitFor()
      const message = `${density} at ${width} px`
      const most = width < 480 ? 3 : 2
      await expect
        .poll(() => linesOf(row, [longTitle, code, 'bistro.example/menu']), { message })
        .toBeLessThanOrEqual(most)
      expect(await isWhole(row.getByText(code, { exact: true })), message).toBe(true)
      // Copied text has no line break in a short link.
      expect(await row.innerText(), message).toContain(`${host}/${code}`)
      await row.getByText('1 click', { exact: true }).waitFor()
    }
  await page.context().close()
})

it('on a phone the selection has its number above and words for its actions below', async () => {
  const user = await makeUser(server)
  for (const title of ['Reading night', longTitle, null])
    await makeLink(server, user, { ...(title !== null && { title }) })
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto('/dashboard')
  const first = page.getByRole('article').first()
  await pressInMenu(
    first.getByRole('button', { name: 'More actions' }),
    first.getByRole('button', { name: 'Select', exact: true }),
  )
  const bar = page.getByRole('region', { name: 'Selected links' })
  await bar.getByText('1 selected').waitFor()
  // A press anywhere on a row selects it.
  await page
    .getByRole('article')
    .nth(1)
    .click({ position: { x: 200, y: 40 } })
  await bar.getByText('2 selected').waitFor()
  await page.getByRole('checkbox', { name: /^Select Reading night, \// }).waitFor()
  await expectWords(bar, ['Tag', 'QR codes', 'Off', 'CSV', 'More'])
  await look(page, 'my-links-selecting')
  await bar.getByRole('button', { name: 'Select all 3' }).click()
  await bar.getByText('3 selected').waitFor()
  await bar.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Delete 3 links?' }).waitFor()
  await page.context().close()
})

async function expectWords(bar: Locator, words: readonly string[]) {
  for (const word of words) await bar.getByText(word, { exact: true }).waitFor()
}
