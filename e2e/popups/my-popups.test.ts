/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { failing, makePopup, patchLink, saveBioPage } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

describe('My Popups', () => {
  it('is for people who are signed in', async () => {
    for (const path of ['/my-popups', '/popup-generator']) {
      const page = await openPage(browser, server.url)
      await page.goto(path)
      await page.waitForURL(/\/auth(\?|$)/)
      await page.context().close()
    }
  })

  it('starts empty and leads to creating the first popup', async () => {
    const page = await openPage(browser, server.url, { user: await makeUser(server) })
    await page.goto('/my-popups')
    await page.getByText('Manage your conversion popups').waitFor()
    await page.getByText("You haven't created any popups yet").waitFor()
    await page.getByRole('link', { name: 'Create Your First Popup' }).click()
    await page.waitForURL('**/popup-generator')
    await page.context().close()
  })

  it(
    'shows one’s own, newest first, and deletes one after asking',
    { tags: ['gate'] },
    async () => {
      const user = await makeUser(server)
      await makePopup(server, await makeUser(server), { title: 'Of another account' })
      await makePopup(server, user, { title: 'The older', background_color: '#aabbcc' })
      await makePopup(server, user, { title: 'The newer', description: 'Some words' })
      const page = await openPage(browser, server.url, { user })
      await page.goto('/my-popups')
      const cards = page.getByRole('article')
      await expect
        .poll(() => cards.getByRole('heading').allTextContents())
        .toEqual(['The newer', 'The older'])
      await cards.nth(1).getByText('Background color #aabbcc').waitFor({ state: 'attached' })
      const dialog = page.getByRole('dialog')
      const question = 'Are you sure you want to delete this popup? This action cannot be undone.'
      // Each card shows the popup itself, small.
      await expect
        .poll(() => cards.locator('.hp-popup-title').allTextContents())
        .toEqual(['The newer', 'The older'])
      await page.getByRole('button', { name: 'Delete The older' }).click()
      await dialog.getByText(question).waitFor()
      // A hasty Enter deletes nothing.
      await page.keyboard.press('Enter')
      await expect.poll(() => dialog.count()).toBe(0)
      await expect.poll(() => cards.count()).toBe(2)
      await page.getByRole('button', { name: 'Delete The older' }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await expectNotice(page, 'Popup deleted successfully')
      await expect.poll(() => cards.count()).toBe(1)
      await page.context().close()
    },
  )

  it('deletes a popup in use: the link still redirects, and the bio page still shows', async () => {
    const user = await makeUser(server)
    const id = await makePopup(server, user)
    const link = await makeLink(server, user, { short_code: 'in-use-link' })
    await patchLink(server, user, link.id, { show_popup: true, popup_id: id })
    await saveBioPage(server, user, { slug: 'in-use-page', title: 'Ada', popup_id: id })
    const page = await openPage(browser, server.url, { user })
    const visitor = await openPage(browser, server.url)
    const visit = () => fetch(`${server.url}/in-use-link`, { redirect: 'manual' })
    const optIn = page.getByRole('dialog').getByRole('switch', { name: 'Enable Opt-in Popup' })
    const openEdit = async () => {
      await page.goto('/links/in-use-link')
      await page.locator('button[aria-keyshortcuts="e"]').click()
      await optIn.waitFor()
    }

    // In use: it shows before the link and on the page, and the switch is on.
    expect((await visit()).status).toBe(200)
    await visitor.goto('/in-use-page')
    await visitor.getByRole('heading', { name: 'Spring sale' }).waitFor()
    await openEdit()
    await expect.poll(() => optIn.isChecked()).toBe(true)

    await page.goto('/my-popups')
    await page.getByText('Used by 1 link and your bio page').waitFor()
    await page.getByRole('button', { name: 'Delete Spring sale' }).click()
    // The question names the loss.
    await page.getByRole('dialog').getByText('Used by 1 link and your bio page.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expectNotice(page, 'Popup deleted successfully')

    await expect.poll(async () => (await visit()).status).toBe(302)
    expect((await visit()).headers.get('location')).toBe(link.original_url)
    await expect
      .poll(() => fetch(`${server.url}/in-use-page`).then((answer) => answer.text()))
      .not.toContain('Spring sale')
    await visitor.reload()
    await visitor.getByRole('heading', { name: '@Ada' }).waitFor()
    await openEdit()
    await expect.poll(() => optIn.isChecked()).toBe(false)
    await page.context().close()
    await visitor.context().close()
  })

  it('turns a popup off and on at once, and back when the server does not take it', async () => {
    const user = await makeUser(server)
    const id = await makePopup(server, user)
    const link = await makeLink(server, user, { short_code: 'switched-link' })
    await patchLink(server, user, link.id, { show_popup: true, popup_id: id })
    const page = await openPage(browser, server.url, { user })
    const statusOfVisit = async () =>
      (await fetch(`${server.url}/switched-link`, { redirect: 'manual' })).status
    await page.goto('/my-popups')
    const shown = page.getByRole('switch', { name: 'Show Spring sale to visitors' })
    await expect.poll(() => shown.isChecked()).toBe(true)
    await shown.click()
    await page.getByText('Off: visitors go straight on').waitFor()
    await expect.poll(statusOfVisit).toBe(302)

    await page.route('**/rest/v1/popups?id=*', failing)
    await shown.click()
    await expectNotice(page, 'Failed to update popup')
    await expect.poll(() => shown.isChecked()).toBe(false)
    await page.unroute('**/rest/v1/popups?id=*')
    await shown.click()
    await expect.poll(() => shown.isChecked()).toBe(true)
    await expect.poll(statusOfVisit).toBe(200)
    forgive(/status of 500/)
    await page.context().close()
  })

  it('makes a second popup like one, which no link shows', async () => {
    const user = await makeUser(server)
    const title = 'Reading night this Thursday'
    await makePopup(server, user, { title, button_color: '#aabbcc', position: 'top' })
    const page = await openPage(browser, server.url, { user, width: 360 })
    await page.goto('/my-popups')
    await page.getByRole('button', { name: /^More actions/ }).click()
    await page.getByRole('button', { name: 'Duplicate' }).click({ clickCount: 2 })
    await expectNotice(page, 'Popup duplicated')
    await expect.poll(() => page.getByRole('article').count()).toBe(2)
    const rows = await server.sql(
      'select name, title, button_color, position from app.popups where user_id = $1 order by created_at',
      [user.id],
    )
    // Visitors read the title; the internal name tells the copy apart.
    const popup = { title, button_color: '#aabbcc', position: 'top' }
    expect(rows).toEqual([
      { ...popup, name: null },
      { ...popup, name: `${title} (copy)` },
    ])
    await page.getByRole('heading', { name: `${title} (copy)` }).waitFor()
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(360)

    // The 1,001st is refused, in the server's words.
    await server.sql(
      `insert into app.popups (user_id, title) select $1, 'n' || n from generate_series(1, 998) n`,
      [user.id],
    )
    await page
      .getByRole('button', { name: /^More actions/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await expectNotice(page, 'Failed to duplicate popup', 'You have 1,000 popups')
    await page.reload()
    await page.getByRole('button', { name: 'Show more popups' }).click()
    await expect.poll(() => page.getByRole('article').count()).toBe(48)
    await page.context().close()
  })

  it('says when the list or a delete failed, and tries again', async () => {
    const user = await makeUser(server)
    await makePopup(server, user)
    const page = await openPage(browser, server.url, { user })
    await page.route('**/rest/v1/popups*', failing)
    await page.goto('/my-popups')
    await expectNotice(page, 'Failed to fetch popups')
    await page.unroute('**/rest/v1/popups*')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await page.getByRole('article').waitFor()
    await page.route('**/rest/v1/popups?id=*', failing)
    await page.getByRole('button', { name: 'Delete Spring sale' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expectNotice(page, 'Failed to delete popup')
    await expect.poll(() => page.getByRole('article').count()).toBe(1)
    forgive(/status of 500/)
    await page.context().close()
  })
})
