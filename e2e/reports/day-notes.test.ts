/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { environment, expectFigure, makeStory } from '../analytics-stage.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'

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

it('a typed note stays while its day changes, past days with other notes too', async () => {
  const { user } = await makeStory(server)
  await server.sql(
    `insert into app.day_notes (user_id, day, text) values ($1, '2026-01-05', 'Newsletter went out')`,
    [user.id],
  )
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics?range=7d')
  await expectFigure(page, 'Clicks', 7)
  await page.getByRole('group', { name: 'Clicks by day' }).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Note' })
  const text = dialog.getByLabel('Text')
  const replaced = dialog.getByText('Replaces “Newsletter went out”.')
  const openDay = (day: string) => dialog.getByLabel('Day', { exact: true }).fill(day)

  // Without input the text is that of the day.
  await openDay('2026-01-05')
  await expect.poll(() => text.inputValue()).toBe('Newsletter went out')
  await openDay('2026-01-06')
  await expect.poll(() => text.inputValue()).toBe('')

  await text.fill('Launch')
  await openDay('2026-01-05')
  await replaced.waitFor()
  expect(await text.inputValue()).toBe('Launch')
  await look(page, 'note-replaces')
  await openDay('2026-01-07')
  await replaced.waitFor({ state: 'hidden' })
  expect(await text.inputValue()).toBe('Launch')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectNotice(page, 'Note saved')
  const notes = await server.sql(
    'select day::text, text from app.day_notes where user_id = $1 order by 1',
    [user.id],
  )
  expect(notes).toEqual([
    { day: '2026-01-05', text: 'Newsletter went out' },
    { day: '2026-01-07', text: 'Launch' },
  ])
  await page.context().close()
})
