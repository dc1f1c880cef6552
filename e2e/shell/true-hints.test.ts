/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { bioFieldMessages } from '#domain/texts/bio-texts.ts'
import { makeUser } from '#test/factories.ts'
import { plantPopup } from '#test/pages/plant.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

it('My Popups shows no placeholder for a description that a popup lacks', async () => {
  const user = await makeUser(server)
  await plantPopup(server.sql, { title: 'Without words', description: '', user_id: user.id })
  await plantPopup(server.sql, { title: 'With words', description: 'Ships free', user_id: user.id })
  const page = await openPage(browser, server.url, { user })
  await page.goto('/my-popups')
  const descriptions = page.locator('.hp-popup-description')
  await descriptions.getByText('Ships free').waitFor()
  expect(await descriptions.allTextContents()).toEqual(['Ships free'])
  await page.context().close()
})

it('a slug that is too long says so, and one of the longest is free', async () => {
  const user = await makeUser(server)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/bio-link')
  const slug = page.getByRole('textbox', { name: 'Address' })
  for (const [length, hint] of [
    [50, 'Available'],
    [51, bioFieldMessages.slug],
    [80, bioFieldMessages.slug],
  ] as const) {
    await slug.fill('q'.repeat(length))
    await page.getByRole('status').getByText(hint, { exact: true }).waitFor()
  }
  expect(await page.getByText('Taken').count()).toBe(0)
  await page.context().close()
})

it('addresses that browsers ask for by themselves lead to the icon', async () => {
  for (const path of ['/favicon.ico', '/apple-touch-icon.png', '/apple-touch-icon-precomposed.png'])
    expect([path, (await fetch(new URL(path, server.url))).headers.get('content-type')]).toEqual([
      path,
      'image/png',
    ])
  expect((await fetch(new URL('/favicon.png', server.url))).status).toBe(404)
})
