/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { environment, expectAddress, expectFigure, expectStored, hit } from '../analytics-stage.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage), { environment })

it('Ann reads the clicks of a campaign in Analytics, and shares them in 3 clicks', async () => {
  const ann = await makeUser(server, { plan: 'pro' })
  const title = 'A title of two hundred characters '.repeat(6).slice(0, 200).trim()
  const [one, two, other] = [
    await makeLink(server, ann, { title, tags: ['spring'] }),
    await makeLink(server, ann, { tags: ['spring', 'a'.repeat(40)] }),
    await makeLink(server, ann),
  ]
  for (const [visitor, link] of [one, two, two, other].entries())
    await hit(server, link.short_code, { visitor: visitor + 1 })
  await expectStored(server, ann, 4)
  await server.sql(`insert into app.tags (user_id, name) values ($1, 'unused')`, [ann.id])
  const page = await openPage(browser, server.url, { user: ann })
  await page.goto('/analytics')
  await expectFigure(page, 'Clicks', 4)
  await page.getByRole('switch', { name: /^Live/ }).waitFor()
  const scope = page.getByRole('button', { name: 'Analytics of' })
  const pick = async (typed: string, name: string) => {
    await scope.click()
    await page.getByRole('dialog', { name: 'Scope' }).waitFor()
    await page.keyboard.type(typed)
    await page.getByRole('option', { name }).click()
  }
  await scope.click()
  await page.getByRole('option', { name: 'spring Tag' }).waitFor()
  await page.getByRole('option', { name: title }).waitFor()
  await look(page, 'scope-picker')
  await page.keyboard.press('Escape')
  await pick('spr', 'spring Tag')
  await expectFigure(page, 'Clicks', 3)
  await expectFigure(page, 'Visitors', 3)
  const [tag] = await server.sql<{ id: string }>(
    `select id from app.tags where user_id = $1 and name = 'spring'`,
    [ann.id],
  )
  await expectAddress(page, { scope: 'tag', id: tag?.id ?? '' })
  await page.getByRole('region', { name: 'Links and pages' }).getByText(title).waitFor()
  expect(await page.getByRole('switch', { name: /^Live/ }).count()).toBe(0)
  await look(page, 'analytics-tag')
  await page.reload()
  await expectFigure(page, 'Clicks', 3)

  await page.getByRole('button', { name: 'Share report' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share report' })
  await dialog.getByRole('button', { name: 'Share report' }).click()
  await dialog.getByRole('button', { name: 'Copy link' }).click()
  await expectNotice(page, 'Copied!', 'Link copied to clipboard')
  const bob = await openPage(browser, server.url)
  await bob.goto(await page.evaluate(() => navigator.clipboard.readText()))
  await bob.getByRole('heading', { name: 'spring' }).waitFor()
  await bob.getByText('2 links tagged spring').waitFor()
  await bob.context().close()
  await page.keyboard.press('Escape')

  // A tag that no link has.
  await pick('unused', 'unused Tag')
  await page.getByText('Give your links this tag: their clicks are counted here.').waitFor()
  await expectAccessible(page)
  await page.goto(`/analytics?scope=tag&id=${one.id}`)
  await page.getByText('There is no such tag').waitFor()
  await page.context().close()
})
