/** @module-tag extended */
import type { Browser, Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { makeAdmin } from '../admin/admin-plant.ts'
import { expectStored } from '../analytics-stage.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { pressInMenu } from '../menus.ts'
import { patchLink } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const focused = (page: Page) => page.locator(':focus')
const expectFocus = (page: Page, on: Locator) =>
  expect.poll(() => on.and(focused(page)).count()).toBe(1)

it('the selection bar keeps the focus, and gives it to the list when it goes', async () => {
  const user = await makeUser(server)
  for (let links = 0; links < 3; links++) await makeLink(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  await page
    .getByRole('checkbox', { name: /^Select / })
    .first()
    .check()
  const bar = page.getByRole('region', { name: 'Selected links' })
  await bar.getByRole('button', { name: 'Select all 3' }).press('Enter')
  await bar.getByText('3 selected').waitFor()
  await expectFocus(page, bar)
  await bar.getByRole('button', { name: 'Clear' }).press('Enter')
  await bar.waitFor({ state: 'detached' })
  await expectFocus(page, page.getByRole('list', { name: 'Your links' }))
  await page.context().close()
})

it('the editor of rules takes the focus, and keeps it when a part is removed', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.goto(`/links/${link.short_code}`)
  const press = (name: string) =>
    page.getByRole('button', { name, exact: true }).first().press('Enter')
  const button = (name: string) => page.getByRole('button', { name, exact: true }).first()
  await press('Send some elsewhere')
  await expectFocus(page, page.getByRole('region', { name: 'Rules' }))
  await press('Add condition')
  await press('Remove condition 2')
  await expectFocus(page, button('Add condition'))
  await page.getByLabel('If', { exact: true }).selectOption('Country')
  const values = page.getByRole('combobox', { name: 'Values' })
  await values.fill('Germany')
  await values.press('Enter')
  await press('Remove Germany')
  await expectFocus(page, values)
  await page.getByLabel('Target').first().selectOption('A/B split')
  await press('Add variant')
  await press('Remove variant C')
  await expectFocus(page, button('Add variant'))
  await page.context().close()
})

it('a cleared audience leads back to its search', async () => {
  const user = await makeUser(server)
  await server.sql('insert into app.audiences (user_id) values ($1) on conflict do nothing', [
    user.id,
  ])
  await server.sql(
    `insert into app.leads (user_id, popup_version, email, consent_text, state, unsubscribe_token)
      values ($1, 1, 'reader@example.com', 'Write to me', 'confirmed', gen_random_uuid()::text)`,
    [user.id],
  )
  const page = await openPage(browser, server.url, { user })
  await page.goto('/audience')
  await page.getByLabel('Search addresses').fill('nobody')
  await page.getByRole('button', { name: 'Clear Filters' }).press('Enter')
  await page.getByRole('list', { name: 'Addresses' }).waitFor()
  await expectFocus(page, page.getByLabel('Search addresses'))
  await page.context().close()
})

it('a refused range of days leads to its field', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const link = await makeLink(server, user)
  await visit(server.url, `/${link.short_code}`)
  await expectStored(server, user, 1)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics')
  await pressInMenu(
    page.getByRole('button', { name: /^Period/ }),
    page.getByRole('button', { name: 'Custom', exact: true }),
  )
  const dialog = page.getByRole('dialog', { name: 'Custom range' })
  const show = () => dialog.getByRole('button', { name: 'Show' }).press('Enter')
  await dialog.getByLabel('From').fill('')
  await show()
  await dialog.getByText('Please enter both days').waitFor()
  await expectFocus(page, dialog.getByLabel('From'))
  await dialog.getByLabel('From').fill('2026-02-10')
  await dialog.getByLabel('To', { exact: true }).fill('2026-02-01')
  await show()
  await dialog.getByText('The last day must not be before the first one').waitFor()
  await expectFocus(page, dialog.getByLabel('To', { exact: true }))
  await page.context().close()
})

it('a look-up of an admin keeps the focus in its field', async () => {
  const page = await openPage(browser, server.url, { user: await makeAdmin(server) })
  await page.goto('/admin/links')
  const field = page.getByLabel('Look for')
  await field.fill('no-such-link')
  await field.press('Enter')
  await page.getByText('No links found for').waitFor()
  await expectFocus(page, field)
  await page.goBack()
  await page.getByText('Newest', { exact: true }).first().waitFor()
  expect(await field.inputValue()).toBe('')
  await page.context().close()
})

/** The next Tab goes on from there. */
const expectFocusInside = (page: Page) =>
  expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('main') !== null))
    .toBe(true)

it('a part that leaves with the focus leaves it at its place', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const link = await makeLink(server, user, { tags: ['poster'] })
  await patchLink(server, user, link.id, { is_disabled: true })
  const page = await openPage(browser, server.url, { user })
  const press = async (name: string) => {
    const button = page.getByRole('main').getByRole('button', { name, exact: true })
    // The shell comes a moment after the screen.
    await page.getByText('Find anything').waitFor()
    await button.press('Enter')
    await button.waitFor({ state: 'detached' })
    await expectFocusInside(page)
  }

  await page.goto(`/links/${link.short_code}`)
  await press('Turn on')
  await page.goto('/dashboard?tag=poster')
  await press('Remove tag poster')
  await visit(server.url, `/${link.short_code}`)
  await expectStored(server, user, 1)
  await page.goto('/analytics?country=AT')
  await press('Clear all')

  await server.sql(
    `insert into auth.security_events (user_id, event)
      select $1, 'logout' from generate_series(1, 9)`,
    [user.id],
  )
  await page.goto('/settings?tab=security')
  await press('Show More')
  await page.context().close()
})

it('the last key that is revoked leaves the focus on its screen', async () => {
  const user = await makeUser(server)
  await fetch(`${server.url}/auth/v1/user/api-keys`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'only', scopes: ['links:read'], expires_in_days: 30 }),
  })
  const page = await openPage(browser, server.url, { user })
  await page.goto('/settings?tab=api-keys')
  await page.getByRole('button', { name: 'Revoke the key only' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).press('Enter')
  await page.getByText('No API keys').waitFor()
  await expectFocusInside(page)
  await page.context().close()
})
