import type { Browser } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { chooseForLink } from '../menus.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

describe('My Links', () => {
  it('finds a link by its code or its destination in any case, says when nothing matches, and clears', async () => {
    const user = await makeUser(server)
    await makeLink(server, user, {
      short_code: 'alpha-one',
      original_url: 'https://example.com/first',
    })
    await makeLink(server, user, {
      short_code: 'beta-two',
      original_url: 'https://example.org/Second_100%25',
    })
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    const rows = page.getByRole('article')
    await expect.poll(() => rows.count()).toBe(2)
    const search = page.getByLabel('Search links')
    for (const [text, found] of [
      ['ALPHA', 'alpha-one'],
      ['example.ORG', 'beta-two'],
      ['second_100%', 'beta-two'],
    ] as const) {
      await search.fill(text)
      await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining(found)])
    }
    await search.fill('nothing like this')
    await page.getByRole('button', { name: 'Clear Search' }).click()
    await expect.poll(() => rows.count()).toBe(2)
    await page.context().close()
  })

  it('finds and shows addresses with letters beyond ASCII, which are stored encoded', async () => {
    const user = await makeUser(server)
    for (const original_url of [
      'https://münchen.example/',
      'https://example.com/münchen/straße',
      'https://example.com/elsewhere',
    ]) {
      await makeLink(server, user, { original_url: new URL(original_url).href })
    }
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    const rows = page.getByRole('article')
    await expect.poll(() => rows.count()).toBe(3)
    for (const [text, found] of [
      ['münchen', ['https://example.com/münchen/straße', 'https://münchen.example/']],
      ['Straße', ['https://example.com/münchen/straße']],
    ] as const) {
      await page.getByLabel('Search links').fill(text)
      await expect
        .poll(() => rows.allTextContents())
        .toEqual(found.map((url) => expect.stringContaining(url)))
    }
    await page.context().close()
  })

  it('My Links shows only the person’s own links', async () => {
    const [ada, bob] = [await makeUser(server), await makeUser(server)]
    await makeLink(server, ada, { short_code: 'adas-link' })
    await makeLink(server, bob, { short_code: 'bobs-link' })
    const page = await openPage(browser, server.url, { user: bob })
    await page.goto('/dashboard')
    await page.getByText('bobs-link').waitFor()
    await expect.poll(() => page.getByText('adas-link').count()).toBe(0)
    await page.context().close()
  })

  it('copies with the key c and offers the four places to share', async () => {
    const user = await makeUser(server)
    await makeLink(server, user, { short_code: 'share-me' })
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    const row = page.getByRole('article')
    await row.getByRole('link', { name: 'share-me' }).focus()
    await page.keyboard.press('c')
    await expectNotice(page, 'Copied!', 'Link copied to clipboard')
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`${server.url}/share-me`)
    await row.getByRole('button', { name: 'More actions' }).click()
    for (const place of ['Twitter', 'Facebook', 'Telegram', 'WhatsApp']) {
      const href = (await row.getByRole('link', { name: place }).getAttribute('href')) ?? ''
      expect(decodeURIComponent(href)).toContain(`${server.url}/share-me`)
      expect(decodeURIComponent(href)).toContain('Check out this link!')
    }
    const email = row.getByRole('link', { name: 'Email' })
    await expect.poll(() => email.getAttribute('href')).toContain(encodeURIComponent('/share-me'))
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await row.getByRole('button', { name: 'Copy', exact: true }).click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`${server.url}/share-me`)
    await page.context().close()
  })

  it('attaches a popup of one’s own to a link', async () => {
    const user = await makeUser(server)
    const link = await makeLink(server, user, { short_code: 'with-popup' })
    const response = await fetch(`${server.url}/rest/v1/popups`, {
      method: 'POST',
      headers: { ...user.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: user.id, title: 'Spring sale', cta_text: 'Look' }),
    })
    expect(response.status).toBe(201)
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await chooseForLink(page.getByRole('article'), 'Edit')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Enable Opt-in Popup').click()
    await dialog.getByLabel('Popup', { exact: true }).selectOption({ label: 'Spring sale' })
    const preview = dialog.getByRole('figure', { name: 'Preview of the popup “Spring sale”' })
    await preview.getByText('Look').waitFor()
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'Updated!')
    const [row] = await server.sql(
      'select show_popup, popup_id is not null as has_popup from app.shortened_urls where id = $1',
      [link.id],
    )
    expect(row).toEqual({ show_popup: true, has_popup: true })
    await page.context().close()
  })

  it(
    'a link without clicks leaves without a question and comes back with Undo; one with clicks is asked about',
    { tags: ['extended'] },
    async () => {
      const user = await makeUser(server, { plan: 'business' })
      for (const short_code of ['no-clicks', 'late-click', 'many-clicks'])
        await makeLink(server, user, { short_code })
      const setClicks = (code: string, clicks: number) =>
        server.sql('update app.shortened_urls set click_count = $2 where short_code = $1', [
          code,
          clicks,
        ])
      await setClicks('many-clicks', 12_762)
      const page = await openPage(browser, server.url, { user })
      await page.goto('/dashboard')
      const row = (code: string) => page.getByRole('article').filter({ hasText: code })
      await row('no-clicks').getByText('0 clicks').waitFor()
      await chooseForLink(row('no-clicks'), 'Delete')
      await row('no-clicks').waitFor({ state: 'detached' })
      await expectNotice(page, 'Deleted', 'Link removed successfully')
      await page.getByRole('button', { name: 'Undo' }).click()
      await row('no-clicks').waitFor()
      await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
      await chooseForLink(row('no-clicks'), 'Delete')
      await chooseForLink(row('late-click'), 'Delete')
      await setClicks('late-click', 1)
      await chooseForLink(row('many-clicks'), 'Delete')
      const dialog = page.getByRole('dialog')
      await dialog.getByText('12,762 clicks').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await expectNotice(page, 'The link was kept')
      await row('late-click').getByText('1 click').waitFor()
      const kept = () =>
        server.sql<{ short_code: string }>(
          'select short_code from app.shortened_urls where user_id = $1 order by 1',
          [user.id],
        )
      await expect.poll(kept).toEqual([{ short_code: 'late-click' }, { short_code: 'many-clicks' }])
      await expect.poll(() => row('no-clicks').count()).toBe(0)
      const count = page.locator('h1:has-text("My Links") + span')
      await expect.poll(() => count.textContent()).toMatch(/^2\D/)
      // The exact count was read again.
      await page.reload()
      await row('late-click').waitFor()
      await chooseForLink(row('late-click'), 'Delete')
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await row('late-click').waitFor({ state: 'detached' })
      await expect.poll(() => count.textContent()).toMatch(/^1\D/)
      await page.context().close()
    },
  )

  it('an archived link that is deleted was not in the count', { tags: ['extended'] }, async () => {
    const user = await makeUser(server, { plan: 'business' })
    for (const short_code of ['listed-one', 'listed-two', 'archived-one'])
      await makeLink(server, user, { short_code })
    await server.sql(
      `update app.shortened_urls set archived_at = now() where short_code = 'archived-one'`,
    )
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard?archived=true')
    const archived = page.getByRole('article').filter({ hasText: 'archived-one' })
    await chooseForLink(archived, 'Delete')
    await archived.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'My Links' }).first().click()
    await page.getByRole('article').filter({ hasText: 'listed-one' }).waitFor()
    const count = page.locator('h1:has-text("My Links") + span')
    await expect.poll(() => count.textContent()).toMatch(/^\d/)
    // At once: when the time to undo is over, the count is read again.
    expect(await count.textContent()).toMatch(/^2\D/)
    await page.context().close()
  })

  it(
    'a dialog stays open when a selection of text is dragged past its edge, and when another answer comes late',
    { tags: ['extended'] },
    async () => {
      const user = await makeUser(server)
      for (const short_code of ['first-of-two', 'second-of-two'])
        await makeLink(server, user, { short_code })
      const page = await openPage(browser, server.url, { user })
      await page.goto('/dashboard')
      const row = (code: string) => page.getByRole('article').filter({ hasText: code })
      const dialog = page.getByRole('dialog')
      const address = page.getByRole('textbox', { name: 'Redirect URL' })
      await chooseForLink(row('first-of-two'), 'Edit')
      const box = await address.boundingBox()
      if (box === null) throw new Error('the field has no place')
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
      await page.mouse.down()
      await page.mouse.move(20, box.y + box.height / 2, { steps: 5 })
      await page.mouse.up()
      await address.fill('https://example.com/late')

      let answer = () => {}
      const answered = new Promise<void>((resolve) => {
        answer = resolve
      })
      await page.route('**/rest/v1/shortened_urls*', async (route) => {
        if (route.request().method() === 'PATCH') await answered
        await route.continue()
      })
      await dialog.getByRole('button', { name: 'Save Changes' }).click()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await chooseForLink(row('second-of-two'), 'Edit')
      await address.fill('https://example.com/typed')
      answer()
      await expectNotice(page, 'Updated!')
      await expect.poll(() => address.inputValue()).toBe('https://example.com/typed')
      await page.mouse.click(20, 20)
      await dialog.waitFor({ state: 'hidden' })
      await page.context().close()
    },
  )

  it('an edit sends only changed fields, so that a change from elsewhere stays', async () => {
    const user = await makeUser(server)
    const link = await makeLink(server, user, { short_code: 'two-editors' })
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await chooseForLink(page.getByRole('article'), 'Edit')
    await page.getByRole('textbox', { name: 'Redirect URL' }).fill('https://example.com/typed')
    await server.sql('update app.shortened_urls set is_disabled = true where id = $1', [link.id])
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'Updated!')
    expect(
      await server.sql('select original_url, is_disabled from app.shortened_urls where id = $1', [
        link.id,
      ]),
    ).toEqual([{ original_url: 'https://example.com/typed', is_disabled: true }])

    // A form without a change writes nothing, so it brings no former address back.
    await chooseForLink(page.getByRole('article'), 'Edit')
    await page.getByRole('textbox', { name: 'Redirect URL' }).waitFor()
    await server.sql(
      `update app.shortened_urls set original_url = 'https://example.com/newer' where id = $1`,
      [link.id],
    )
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(
      await server.sql('select original_url from app.shortened_urls where id = $1', [link.id]),
    ).toEqual([{ original_url: 'https://example.com/newer' }])
    await page.context().close()
  })

  it('a link that was deleted elsewhere leaves the list, with a sentence', async () => {
    const user = await makeUser(server)
    const link = await makeLink(server, user, { short_code: 'gone-elsewhere' })
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await chooseForLink(page.getByRole('article'), 'Edit')
    await page.getByRole('textbox', { name: 'Redirect URL' }).fill('https://example.com/late')
    await server.sql('delete from app.shortened_urls where id = $1', [link.id])
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'This link no longer exists')
    await page.getByText('No links yet').waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await page.context().close()
  })

  it(
    'keeps a list of 2,000 links quick: few rows in the page, the end reachable',
    { tags: ['extended'] },
    async () => {
      const user = await makeUser(server, { plan: 'business' })
      await server.sql('alter table app.shortened_urls disable trigger before_insert')
      await server.sql(
        `insert into app.shortened_urls (user_id, short_code, original_url, created_at)
       select $1, 'many-' || n, 'https://example.com/' || n, now() - n * interval '1 minute' from generate_series(1, 2000) n`,
        [user.id],
      )
      await server.sql('alter table app.shortened_urls enable trigger before_insert')
      const page = await openPage(browser, server.url, { user })
      await page.goto('/dashboard')
      await page.getByText('many-1', { exact: true }).waitFor()
      const last = page.getByText('many-2000', { exact: true })
      await expect
        .poll(
          async () => {
            await page.keyboard.press('End')
            await page.mouse.wheel(0, 100_000)
            return last.count()
          },
          { timeout: 240_000, interval: 100 },
        )
        .toBe(1)
      await expect.poll(() => page.getByRole('article').count()).toBeLessThan(100)
      await page.context().close()
    },
  )

  it('says when the list cannot be loaded, and tries again', { tags: ['extended'] }, async () => {
    const user = await makeUser(server)
    await makeLink(server, user, { short_code: 'comes-back' })
    const page = await openPage(browser, server.url, { user })
    await page.route('**/rest/v1/rpc/list_links*', (route) =>
      route.fulfill({ status: 503, body: '{}' }),
    )
    await page.goto('/dashboard')
    await expectNotice(page, 'Error', 'Failed to load your URLs')
    await page.unroute('**/rest/v1/rpc/list_links*')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await page.getByText('comes-back').waitFor()
    forgive(/status of 503/)
    await page.context().close()
  })

  it('says when an edit or a delete failed, and keeps the input', async () => {
    const user = await makeUser(server)
    await makeLink(server, user, { short_code: 'stays-here' })
    const page = await openPage(browser, server.url, { user })
    await page.goto('/dashboard')
    await page.route('**/rest/v1/shortened_urls?id=*', (route) =>
      route.fulfill({ status: 503, body: '{}' }),
    )
    const row = page.getByRole('article')
    await chooseForLink(row, 'Edit')
    await page.getByRole('textbox', { name: 'Redirect URL' }).fill('https://example.com/typed')
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'Error', 'Failed to update redirect URL')
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Redirect URL' }).inputValue())
      .toBe('https://example.com/typed')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await chooseForLink(row, 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.locator('[data-sonner-toast]').filter({ hasText: 'Failed to delete link' }).waitFor()
    await page.getByText('stays-here').first().waitFor()
    forgive(/status of 503/)
    await page.context().close()
  })
})
