import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { makeAdmin } from '../admin/admin-plant.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

async function deleteLink(owner: TestUser, code: string): Promise<void> {
  await makeLink(server, owner, { short_code: code })
  await fetch(`${server.url}/rest/v1/shortened_urls?short_code=eq.${code}`, {
    method: 'DELETE',
    headers: owner.headers,
  })
}

/** As the server adds them each minute. */
const addVisits = (visits: Record<string, number>) =>
  server.sql('select app.add_missed_visits($1)', [JSON.stringify(visits)])

it('Ann sees how often people still visit a code that she deleted, and makes the link again', async () => {
  const ann = await makeUser(server, { plan: 'pro' })
  await deleteLink(ann, 'old-menu')
  await addVisits({ 'old-menu': 41 })
  await addVisits({ 'old-menu': 1, 'never-hers': 7 })
  const page = await openPage(browser, server.url, { user: ann, width: 360 })
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Missing codes' }).click()
  const rows = page.getByRole('list', { name: 'Missing codes' }).getByRole('listitem')
  await rows.getByText('42 visits').waitFor()
  expect(await rows.count()).toBe(1)
  await page.getByRole('button', { name: '7 days' }).click()
  await rows.getByText('42 visits').waitFor()
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await rows.getByRole('button', { name: 'Make this link: old-menu' }).click()
  const dialog = page.getByRole('dialog', { name: 'New link' })
  await expect.poll(() => dialog.getByLabel('Short link').inputValue()).toBe('old-menu')
  await dialog.getByLabel('Destination').fill('https://example.com/new-menu')
  await dialog.getByRole('button', { name: 'Create and copy' }).click()
  await expectNotice(page, '✨ URL Shortened!', 'Your custom link is ready!')
  await page.goto('/dashboard/missing-codes')
  await page.getByText('No visits to missing codes').waitFor()
  await page.context().close()
})

it('Bob learns on the free plan that a paid one shows these visits', async () => {
  const bob = await makeUser(server)
  const page = await openPage(browser, server.url, { user: bob })
  await page.goto('/dashboard/missing-codes')
  await page.getByRole('link', { name: 'Upgrade to view clicks' }).waitFor()
  await expectAccessible(page)
  await page.context().close()
})

it('an admin sees visits to codes that never were links', { tags: ['extended'] }, async () => {
  const admin = await makeAdmin(server)
  await addVisits({ 'printed-wrong': 12 })
  const page = await openPage(browser, server.url, { user: admin })
  await page.goto('/admin')
  await page.getByRole('link', { name: 'Missing Codes' }).last().click()
  await page
    .getByRole('listitem')
    .filter({ hasText: '/printed-wrong' })
    .getByText('12 visits')
    .waitFor()
  await expectAccessible(page)
  await page.context().close()
})
