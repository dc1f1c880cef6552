import { expect, it } from 'vitest'
import { makeLink } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { expectAccessible, openPage } from '../browser.ts'
import { look } from '../look.ts'
import { setStage, type Stage } from '../stage.ts'
import { stageSpace } from './space-stage.ts'

let stage: Stage
setStage((ready) => {
  stage = ready
})

it('a person moves two links into a space, reads the losses before, and finds their clicks there', async () => {
  const { server, browser } = stage
  const space = await stageSpace(server)
  const { owner } = space
  const [popup] = await server.sql<{ id: string }>(
    `insert into app.popups (user_id, title, description, cta_text, cta_url) values ($1, 'Sale', 'Now', 'Go', 'https://example.com/') returning id`,
    [owner.id],
  )
  const first = await makeLink(server, owner, { original_url: 'https://example.com/first' })
  const second = await makeLink(server, owner, {
    original_url: 'https://example.com/second',
    show_popup: true,
    popup_id: popup?.id ?? null,
  })
  await visit(server.url, `/${first.short_code}`)
  // Other tests have clicks on this server too.
  const accountsOfClicks = () =>
    server.sql(
      `select a.ref from app.click_events e join app.click_scopes a on a.id = e.account
        join app.click_scopes l on l.id = e.scope where l.ref = $1`,
      [first.id],
    )
  await expect.poll(accountsOfClicks).toEqual([{ ref: owner.id }])
  const page = await openPage(browser, server.url, { user: owner })
  await page.goto('/dashboard')
  await page.getByText('example.com/first').first().waitFor()
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await page.getByText('2 selected').waitFor()
  const bar = page.getByRole('region', { name: 'Selected links' })
  await bar.getByRole('button', { name: 'Move to…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move 2 links' })
  await dialog.getByText(`The popup stays here: ${second.short_code}`).waitFor()
  expect(await dialog.getByLabel('Move to').locator('option').allTextContents()).toEqual([
    space.name,
  ])
  await expectAccessible(page)
  await look(page, 'move-links')
  await page.setViewportSize({ width: 360, height: 740 })
  await look(page, 'move-links-narrow')
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByText('2 links moved').waitFor()
  await expect.poll(() => page.getByText('example.com/first').count()).toBe(0)

  await page.goto(`/s/${space.slug}/dashboard`)
  await page.getByText('example.com/first').first().waitFor()
  await page.goto(`/s/${space.slug}/links/${first.short_code}`)
  await page.getByText(`Moved from Mara Lind to ${space.name}`).waitFor()
  await page.getByText(/^You,/).waitFor()
  // The click has followed.
  await expect.poll(accountsOfClicks).toEqual([{ ref: space.id }])
  await page.context().close()
})

it('a report says that clicks are on their way until they have arrived', async () => {
  const { server, browser } = stage
  const space = await stageSpace(server, { name: 'On the way' })
  // Another process that has the lease, and does nothing.
  await server.sql(`select app.take_lease('link-moves', gen_random_uuid(), 600)`)
  await server.sql(
    `insert into app.link_moves (from_account, to_account, from_scope, to_scope, links, state) values ($1, $2, 0, 0, 3, 'arriving')`,
    [space.owner.id, space.id],
  )
  const page = await openPage(browser, server.url, { user: space.owner })
  await page.goto(`/s/${space.slug}/analytics`)
  const words = page.getByText(/The clicks of 3 links are on their way/)
  await words.waitFor()
  await look(page, 'clicks-on-their-way')
  await server.sql(`delete from app.leases where name = 'link-moves'`)
  await words.waitFor({ state: 'detached' })
  await page.context().close()
})

it('a viewer, and a person without spaces, see no way to move links', async () => {
  const { server, browser } = stage
  const space = await stageSpace(server, { name: 'Viewed' })
  const viewer = await space.join('viewer')
  await makeLink(server, viewer, { original_url: 'https://example.com/own' })
  const page = await openPage(browser, server.url, { user: viewer })
  // A member of a space only as a viewer: there is no account to move to.
  await page.goto('/dashboard')
  await page.getByText('example.com/own').first().waitFor()
  for (const key of ['j', 'x']) await page.keyboard.press(key)
  await page.getByText('1 selected').waitFor()
  const bar = page.getByRole('region', { name: 'Selected links' })
  await bar.getByRole('button', { name: 'Delete' }).waitFor()
  expect(await bar.getByRole('button', { name: 'Move to…' }).count()).toBe(0)
  await page.context().close()
})
