import type { Browser, Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { expectStored } from '../analytics-stage.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

const isFocused = (element: Element) => element === document.activeElement
const long = `Spring ${'campaign '.repeat(21)}2027`

it(
  'Ann shares the report of a link with a password, and Bob reads it without an account until she ends it',
  { tags: ['extended'] },
  async () => {
    const ann = await makeUser(server, { plan: 'pro' })
    const { short_code: code } = await makeLink(server, ann)
    await visit(server.url, `/${code}`, { headers: { referer: 'https://news.example/' } })
    await expectStored(server, ann, 1)
    const page = await openPage(browser, server.url, { user: ann })
    await page.goto(`/links/${code}`)
    const dialog = page.getByRole('dialog', { name: 'Share report' })
    const openDialog = async () => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('button', { name: 'Share report' }).click()
    }
    await openDialog()
    await dialog.getByRole('button', { name: 'Share report' }).click()
    const address = await dialog.getByLabel('Address').inputValue()
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    await expectNotice(page, 'Copied!', 'Link copied to clipboard')
    await dialog.getByLabel('Password').fill('open sesame')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'Report saved')

    const bob = await openPage(browser, server.url, { width: 360 })
    await bob.goto(address)
    await expectAccessible(bob)
    await bob.getByLabel('Password').fill('open barley')
    await bob.getByRole('button', { name: 'Continue' }).click()
    await bob.getByText('This is not the password. Please try again.').waitFor()
    await bob.getByLabel('Password').fill('open sesame')
    await bob.getByRole('button', { name: 'Continue' }).click()
    await bob.getByRole('heading', { name: code }).waitFor()
    await bob.getByText('news.example').waitFor()
    await expectAccessible(bob)
    expect(await bob.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await bob.getByRole('link', { name: '7 days' }).click()
    await bob.getByText('news.example').waitFor()

    await openDialog()
    await dialog.getByRole('switch', { name: 'Shared' }).uncheck()
    await dialog.getByText('Off: the address opens nothing.').waitFor()
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'Report saved')
    // The notice of the first save says the same.
    await expect.poll(async () => (await bob.reload())?.status(), { timeout: 240_000 }).toBe(404)
    await bob.getByRole('heading', { name: 'This report is not open' }).waitFor()
    await page.context().close()
    await bob.context().close()
  },
)

it('Ann makes a client report of a campaign in 4 clicks, with her title and name', async () => {
  const ann = await makeUser(server, { plan: 'pro' })
  const { short_code: code } = await makeLink(server, ann, { title: 'Catalog', tags: ['spring'] })
  const page = await openPage(browser, server.url, { user: ann })
  await page.goto('/dashboard')
  await page.getByRole('article').filter({ hasText: 'Catalog' }).waitFor()
  let clicks = 0
  const press = async (button: Locator) => {
    clicks++
    await button.click()
  }
  await press(page.getByRole('button', { name: 'Manage tags' }))
  await press(page.getByRole('button', { name: 'Share spring' }))
  const dialog = page.getByRole('dialog', { name: 'Share report' })
  // The first field has the focus.
  await expect.poll(() => dialog.getByLabel('Title').evaluate(isFocused)).toBe(true)
  await page.keyboard.type(long)
  await page.keyboard.press('Tab')
  await page.keyboard.type('Harbour')
  await look(page, 'share-tag')
  await press(dialog.getByRole('button', { name: 'Share report' }))
  const copy = dialog.getByRole('button', { name: 'Copy link' })
  await expect.poll(() => copy.evaluate(isFocused)).toBe(true)
  await look(page, 'shared-tag')
  await press(copy)
  await expectNotice(page, 'Copied!', 'Link copied to clipboard')
  expect(clicks).toBe(4)

  const bob = await openPage(browser, server.url)
  await bob.goto(await page.evaluate(() => navigator.clipboard.readText()))
  await bob.getByRole('heading', { name: long }).waitFor()
  for (const text of ['Harbour', '1 link tagged spring', 'Catalog'])
    await bob.getByText(text, { exact: true }).waitFor()
  await bob.getByText(code).waitFor()
  await look(bob, 'report-of-tag')
  await page.keyboard.press('Escape')
  await expect
    .poll(() => page.getByRole('button', { name: 'Manage tags' }).evaluate(isFocused))
    .toBe(true)
  await page.context().close()
  await bob.context().close()
})

it(
  'A title and a name that are too long get a sentence, and the rest of the form stays',
  { tags: ['extended'] },
  async () => {
    const ann = await makeUser(server, { plan: 'pro' })
    await makeLink(server, ann, { tags: ['spring'] })
    const page = await openPage(browser, server.url, { user: ann })
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Manage tags' }).click()
    await page.getByRole('button', { name: 'Share spring' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share report' })
    await dialog.getByLabel('Title').fill('x'.repeat(201))
    await dialog.getByLabel('Shared by').fill('y'.repeat(101))
    await dialog.getByRole('button', { name: 'Share report' }).click()
    await dialog.getByText(/^The title must be 1 to 200 characters/).waitFor()
    await dialog.getByLabel('Title').fill('🎉'.repeat(200))
    await dialog.getByRole('button', { name: 'Share report' }).click()
    await dialog.getByText(/^The name must be 1 to 100 characters/).waitFor()
    await dialog.getByLabel('Shared by').fill('')
    await dialog.getByRole('button', { name: 'Share report' }).click()
    await dialog.getByRole('button', { name: 'Copy link' }).waitFor()
    expect(
      await server.sql('select title, shown_name from app.shared_reports where user_id = $1', [
        ann.id,
      ]),
    ).toEqual([{ title: '🎉'.repeat(200), shown_name: null }])
    await page.context().close()
  },
)

it(
  'A save of one field keeps a protection that was set elsewhere',
  { tags: ['extended'] },
  async () => {
    const ann = await makeUser(server, { plan: 'pro' })
    const { id, short_code: code } = await makeLink(server, ann)
    const page = await openPage(browser, server.url, { user: ann })
    await page.goto(`/links/${code}`)
    const dialog = page.getByRole('dialog', { name: 'Share report' })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Share report' }).click()
    await dialog.getByRole('button', { name: 'Share report' }).click()
    await dialog.getByLabel('Last day').fill('2090-01-01')
    const response = await fetch(`${server.url}/rest/v1/shared_reports?link_id=eq.${id}`, {
      method: 'PATCH',
      headers: { ...ann.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ password: 'open sesame', enabled: false }),
    })
    expect(response.status).toBe(204)
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'Report saved')
    const [report] = await server.sql(
      `select enabled, password_hash is not null as has_password, expires_at > '2089-12-31' as ends
     from app.shared_reports where link_id = $1`,
      [id],
    )
    expect(report).toEqual({ enabled: false, has_password: true, ends: true })
    await page.context().close()
  },
)
