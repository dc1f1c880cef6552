/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** Opens the address of a QR code. @returns the address bar's text then, without the name */
async function scanned(name: string, printed: string): Promise<string> {
  const page = await openPage(browser, server.url)
  await page.goto('/demo')
  const before = await page.evaluate(() => history.length)
  await page.goto(printed)
  await expect.poll(() => page.evaluate(() => history.length)).toBe(before + 1)
  const address = page.url()
  await page.context().close()
  expect(address.startsWith(`${server.url}/${name}`)).toBe(true)
  return address.slice(`${server.url}/${name}`.length)
}

const addresses: [given: string, shown: string][] = [
  ['/NAME?qr', ''],
  ['/NAME?qr=1', ''],
  ['/NAME?qr&utm_source=a%20b+c&x=%zz#part', '?utm_source=a%20b+c&x=%zz#part'],
  ['/NAME?utm_source=poster&qr', '?utm_source=poster'],
  ['/NAME?qrs=1&a=qr&QR', '?qrs=1&a=qr&QR'],
  ['/NAME?', '?'],
  ['/Q/NAME', ''],
  ['/q/NAME/', ''],
  ['/Q/NAME/T4', ''],
  ['/q/NAME/t4/?utm_source=a%20b+c&qr#part', '?utm_source=a%20b+c#part'],
]

it.each(addresses)(
  'a visitor who scanned a code for %s sees %s in the address bar of a bio page and of a page with a popup',
  async (given, shown) => {
    const { slug } = await plantBio(server.sql)
    const { code } = await plantPopupLink(server.sql, {}, 'https://destination.example/')
    for (const name of [slug, code]) {
      const printed = given.startsWith('/Q/') ? name.toUpperCase() : name
      expect(await scanned(name, given.replace('NAME', printed))).toBe(shown)
    }
  },
)

/** Opens a page at the address of a QR code, with other sites answered here. */
async function openScan(name: string, { isStuck = false } = {}): Promise<Page> {
  const page = await openPage(browser, server.url)
  await page
    .context()
    .route(/^https:\/\//, (route) => route.fulfill({ contentType: 'text/html', body: 'There' }))
  // Browsers limit the number of changes of the address.
  if (isStuck)
    await page.addInitScript(() => {
      history.replaceState = () => {
        throw new DOMException('too many', 'SecurityError')
      }
    })
  await page.goto(`/Q/${name.toUpperCase()}/T4`)
  return page
}

/** The request that follows a redirect; no other site answers here. */
const arrivalAt = (page: Page, address: string) =>
  page.context().waitForEvent('request', (request) => request.url() === address)

const actionsOf = (ref: string) =>
  server.sql<{ action: string }>(
    `select distinct app.popup_action(e.action) as action from app.popup_events e
      join app.click_scopes s on s.id = e.surface where s.ref = $1 order by 1`,
    [ref],
  )

it.each([
  ['with the address of the page in the bar', false],
  ['with the address of the scan, which a browser kept', true],
])(
  'a visitor who scanned a code %s gives an email address on the page before a link',
  { tags: ['gate'] },
  async (_, isStuck) => {
    const popup = { collect_email: true, consent_text: 'Write to me' }
    const link = await plantPopupLink(server.sql, popup, 'https://destination.example/')
    const page = await openScan(link.code, { isStuck })
    await page.getByRole('dialog').getByLabel('Email address').fill('me@example.com')
    await page.keyboard.press('Enter')
    await page.waitForURL('https://destination.example/')
    await page.context().close()
    const lead = 'select email, code from app.leads where popup_id = $1'
    await expect
      .poll(() => server.sql(lead, [link.popupId]))
      .toEqual([{ email: 'me@example.com', code: link.code }])
    await expect
      .poll(() => actionsOf(link.id))
      .toEqual([{ action: 'emailed' }, { action: 'reached' }, { action: 'shown' }])
  },
)

it('a visitor who scanned a bio page closes its popup and follows a link', async () => {
  const { slug, id } = await plantBio(server.sql, {
    links: [['My shop', 'https://shop.example/']],
    popup: { cta_url: 'https://sale.example/', cta_text: 'Shop now' },
  })
  const page = await openScan(slug)
  await page.getByRole('dialog', { name: 'Ten percent off' }).waitFor()
  await page.keyboard.press('Escape')
  const arrival = arrivalAt(page, 'https://shop.example/')
  await page.getByRole('link', { name: 'My shop' }).click()
  await arrival
  expect(page.url()).toBe(`${server.url}/${slug}`)
  await page.context().close()
  await expect
    .poll(() => actionsOf(id))
    .toEqual([{ action: 'closed-escape' }, { action: 'reached' }, { action: 'shown' }])
})

it('a visitor who scanned a link with a password enters it once', async () => {
  const link = await makeLink(server, await makeUser(server), { password: 'sesame' })
  const page = await openScan(link.short_code)
  await page.getByLabel('Password').fill('open')
  await page.keyboard.press('Enter')
  await page.getByText('This is not the password').waitFor()
  forgive(/status of 403/)
  await page.getByLabel('Password').fill('sesame')
  const arrival = arrivalAt(page, link.original_url)
  await page.keyboard.press('Enter')
  await arrival
  for (const path of [`/Q/${link.short_code.toUpperCase()}`, `/${link.short_code}`]) {
    const { location } = (await page.request.get(path, { maxRedirects: 0 })).headers()
    expect([path, location]).toEqual([path, link.original_url])
  }
  // The browser's own page about a site that is not there.
  await page.waitForURL(/^chrome-error:/)
  forgive(/localStorage/)
  await page.context().close()
})
