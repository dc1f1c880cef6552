/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { environment, expectFigure, makeStory } from './analytics-stage.ts'
import { expectNotice, openPage } from './browser.ts'
import type { BuiltServer } from './built-server.ts'
import { look } from './look.ts'
import { setStage } from './stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage), { environment })

it('a person presses a day, writes a note, reads it in chart and table, and deletes it', async () => {
  const { user } = await makeStory(server)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics?range=7d')
  await expectFigure(page, 'Clicks', 7)
  const totals = page.getByRole('region', { name: 'Totals' })
  const chart = page.getByRole('group', { name: 'Clicks by day' })
  await chart.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Note' })
  await dialog.getByLabel('Text').waitFor()
  // The press that opened it does not submit it.
  expect(await dialog.getByText('Please enter a note').count()).toBe(0)
  await dialog.getByLabel('Text').fill('Newsletter went out')
  await look(page, 'note-dialog')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectNotice(page, 'Note saved')
  await chart.locator('circle').waitFor()
  await look(page, 'note-chart')
  await totals.getByRole('button', { name: 'Table', exact: true }).click()
  await page.getByRole('cell', { name: 'Newsletter went out' }).waitFor()
  await look(page, 'note-table')
  await totals.getByRole('button', { name: 'Table', exact: true }).click()

  const box = await chart.boundingBox()
  await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 4, (box?.y ?? 0) + 80)
  await expect.poll(() => dialog.getByLabel('Text').inputValue()).toBe('Newsletter went out')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expectNotice(page, 'Note deleted')
  await chart.locator('circle').waitFor({ state: 'detached' })
  await page.context().close()
})
