/** @module-tag extended */
import type { Browser, Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { makePopup } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const hebrew = 'שלום, world!'

const directionOf = (text: Locator) =>
  text.evaluate((element) => getComputedStyle(element).direction)

/** `plaintext`: the direction of a field is that of its text. */
const alignedBy = (field: Locator) =>
  field.evaluate((element) => getComputedStyle(element).unicodeBidi)

it('an owner’s text has the direction of its script, where it is read and where it is typed', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  await server.sql('update app.shortened_urls set title = $2, note = $2 where id = $1', [
    link.id,
    hebrew,
  ])
  await makePopup(server, user, { title: hebrew, description: hebrew })
  const page = await openPage(browser, server.url, { user })
  await page.goto(`/links/${link.short_code}`)
  await expect.poll(() => page.getByText(hebrew).count()).toBe(2)
  for (const text of await page.getByText(hebrew).all()) expect(await directionOf(text)).toBe('rtl')
  await page.getByRole('button', { name: 'Edit the title' }).click()
  expect(await alignedBy(page.getByRole('textbox', { name: 'Title' }))).toBe('plaintext')

  await page.goto('/my-popups')
  const card = page.getByRole('article')
  await card.getByRole('heading').waitFor()
  expect(await directionOf(card.getByRole('heading').first())).toBe('rtl')
  expect(await directionOf(card.getByText(hebrew, { exact: true }).last())).toBe('rtl')
  await page.getByRole('link', { name: /^Edit/ }).click()
  for (const label of [/^Title/, /^Description/])
    expect(await alignedBy(page.getByRole('textbox', { name: label }))).toBe('plaintext')
  await page.context().close()
})
