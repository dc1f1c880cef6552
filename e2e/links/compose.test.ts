import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

const codesOf = async (user: TestUser) =>
  (
    await server.sql<{ short_code: string }>(
      'select short_code from app.shortened_urls where user_id = $1 order by created_at',
      [user.id],
    )
  ).map(({ short_code }) => short_code)

it('from any screen, N makes a link by keyboard alone: copied, on top of My Links, with a way to undo it', async () => {
  const user = await makeUser(server)
  const mine = user.id.slice(0, 8)
  await makeLink(server, user, { short_code: `older-${mine}` })
  const page = await openPage(browser, server.url, { user })
  await page.goto('/my-popups')
  await page.getByText('Create Your First Popup').waitFor()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'New link' })
  await dialog.waitFor()

  // The scheme is added; a code says whether it is free while it is typed.
  await page.keyboard.type('shop.example/spring')
  await dialog.getByText('https:// will be added.').waitFor()
  const code = dialog.getByLabel('Short link')
  await code.focus()
  await page.keyboard.type('AB')
  await dialog.getByText('Custom code must be between 3 and 50 characters').waitFor()
  await code.fill('login')
  await dialog.getByText('This word is reserved for this site.').waitFor()
  await code.fill(`older-${mine}`)
  await dialog.getByText('Taken, try').waitFor()
  await dialog.getByRole('button', { name: `older-${mine}-2` }).focus()
  await page.keyboard.press('Enter')
  await dialog.getByText('Available', { exact: true }).waitFor()
  await dialog.getByLabel('Preview').getByText(`older-${mine}-2`).waitFor()

  // Closed by mistake: the input is still there.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.keyboard.press('n')
  await expect.poll(() => code.inputValue()).toBe(`older-${mine}-2`)
  await look(page, 'compose')

  await code.focus()
  await page.keyboard.press('Control+Enter')
  await expectNotice(page, '✨ URL Shortened!', 'Your custom link is ready!')
  await page.waitForURL('**/dashboard')
  const rows = page.getByRole('article')
  await expect.poll(() => rows.count()).toBe(2)
  await expect.poll(() => rows.first().getAttribute('data-new')).not.toBeNull()
  await expect.poll(() => rows.first().textContent()).toContain(`older-${mine}-2`)
  // The keys of the list act on it at once.
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('article')?.ariaLabel))
    .toContain(`/older-${mine}-2`)
  expect(await clipboard(page)).toBe(`${server.url}/older-${mine}-2`)
  const [row] = await server.sql(
    'select original_url from app.shortened_urls where short_code = $1',
    [`older-${mine}-2`],
  )
  expect(row).toEqual({ original_url: 'https://shop.example/spring' })

  await page.getByRole('button', { name: 'Undo' }).click()
  await expectNotice(page, 'Deleted', 'Link removed successfully')
  await expect.poll(() => rows.count()).toBe(1)
  expect(await codesOf(user)).toEqual([`older-${mine}`])
  await page.context().close()
})

it(
  'a new link shows a popup and goes to the bio page in one go',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    const mine = user.id.slice(0, 8)
    const write = async (path: string, body: object) => {
      const { status } = await fetch(`${server.url}/rest/v1/${path}`, {
        method: 'POST',
        headers: { ...user.headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(status).toBeLessThan(300)
    }
    await write('popups', { user_id: user.id, title: 'Spring sale', cta_text: 'Look' })
    await write('bio_pages', { user_id: user.id, slug: `page-${mine}`, title: 'Me' })
    const page = await openPage(browser, server.url, { user, width: 360 })
    await page.goto('/settings')
    await page.getByRole('button', { name: 'New link' }).click()
    const dialog = page.getByRole('dialog', { name: 'New link' })
    await dialog.getByLabel('Destination').fill('https://shop.example/sale')
    await dialog.getByLabel('Popup', { exact: true }).selectOption({ label: 'Spring sale' })
    await dialog.getByText('Add to bio page').click()
    await dialog.getByLabel('Title on your bio page').fill('The sale')
    await dialog.getByRole('button', { name: 'Create and copy' }).click()
    await expectNotice(page, '✨ URL Shortened!', 'Your short link is ready to share')
    await page.getByRole('article').getByText('popup').waitFor()
    const [code] = await codesOf(user)
    expect(await clipboard(page)).toBe(`${server.url}/${code}`)
    expect(
      await server.sql(
        `select b.title, b.url, s.show_popup from app.bio_links b join app.bio_pages p on p.id = b.bio_page_id
         join app.shortened_urls s on s.user_id = p.user_id where p.user_id = $1`,
        [user.id],
      ),
    ).toEqual([{ title: 'The sale', url: `${server.url}/${code}`, show_popup: true }])
    await page.context().close()
  },
)

it('a link that cannot be made says why at its field, and loses nothing that was typed', async () => {
  const user = await makeUser(server)
  const taken = `taken-${user.id.slice(0, 8)}`
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  await page.getByText('No links yet').waitFor()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'New link' })
  await dialog.getByRole('button', { name: 'Create and copy' }).click()
  await dialog.getByText('Please enter a URL').waitFor()
  await dialog.getByLabel('Destination').fill('javascript:alert(1)')
  await dialog.getByRole('button', { name: 'Create and copy' }).click()
  await dialog.getByText('Please enter a valid URL starting with http:// or https://').waitFor()
  await dialog.getByLabel('Destination').fill('https://shop.example/')
  await dialog.getByLabel('Short link').fill(taken)
  await dialog.getByText('Available', { exact: true }).waitFor()
  // Another person takes the code in the meantime.
  await makeLink(server, await makeUser(server), { short_code: taken })
  await dialog.getByRole('button', { name: 'Create and copy' }).click()
  await dialog.getByText('This custom code is already in use. Please try another one.').waitFor()
  await expect.poll(() => dialog.getByLabel('Short link').inputValue()).toBe(taken)
  await expect
    .poll(() => dialog.getByLabel('Destination').inputValue())
    .toBe('https://shop.example/')
  await page.context().close()
})

it(
  'the compose screen opens with a page that the bookmarklet, or an app on a phone, wants shortened',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    const page = await openPage(browser, server.url, { user })
    const opened = async (at: Page, address: string) => {
      const dialog = at.getByRole('dialog', { name: 'New link' })
      await expect.poll(() => dialog.getByLabel('Destination').inputValue()).toBe(address)
      await expect.poll(() => new URL(at.url()).search).toBe('')
    }
    await page.goto(
      `/dashboard?shared_text=${encodeURIComponent('Look: https://shop.example/a?b=c d')}`,
    )
    await opened(page, 'https://shop.example/a?b=c')

    await page.goto('/settings')
    const bookmark = page.getByRole('link', { name: 'Shorten this page' })
    const script = (await bookmark.getAttribute('href')) ?? ''
    await bookmark.scrollIntoViewIfNeeded()
    await look(page, 'settings-bookmarklet')
    await page.goto('/robots.txt?page=7')
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate(script.replace('javascript:', '')),
    ])
    await opened(other, `${server.url}/robots.txt?page=7`)
    await page.context().close()

    // Who has to sign in first comes back with it.
    const visitor = await openPage(browser, server.url)
    await visitor.goto(`/dashboard?shorten=${encodeURIComponent('https://shop.example/')}`)
    await visitor.waitForURL('**/auth?**')
    expect(new URL(visitor.url()).searchParams.get('next')).toBe(
      `/dashboard?shorten=${encodeURIComponent('https://shop.example/')}`,
    )
    const manifest = await fetch(`${server.url}/manifest.webmanifest`)
    expect(manifest.headers.get('content-type')).toContain('manifest+json')
    const { icons, share_target: target } = (await manifest.json()) as {
      icons: { src: string }[]
      share_target: { action: string }
    }
    expect(target.action).toBe('/dashboard')
    for (const { src } of icons) expect((await fetch(server.url + src)).status).toBe(200)
    await visitor.context().close()
  },
)
