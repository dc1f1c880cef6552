/** @module-tag extended */
import type { Browser, Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { nodeLab, pixelsOf } from '#test/qr/node-lab.ts'
import { partsOf, readMail, readWifi } from '#test/qr/payload-readers.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** The code on the screen as a camera reads it; '' without one. */
async function scanned(page: Page): Promise<string> {
  const code = page.getByRole('img', { name: /^QR code of/ })
  if ((await code.count()) === 0) return ''
  const picture = sharp(await code.screenshot({ animations: 'disabled' })).flatten()
  // The fixed bar of a phone may lie over a part of it.
  return (await nodeLab.decoders['zxing']?.(await pixelsOf(picture))) ?? ''
}

const kind = (page: Page, name: string) => page.getByRole('radio', { name, exact: true })

async function problemOf(field: Locator): Promise<string> {
  const id = (await field.getAttribute('aria-describedby')) ?? ''
  const ids = id.split(' ').filter((each) => each.endsWith('-error'))
  return ids.length === 0 ? '' : field.page().locator(`[id="${ids[0]}"]`).innerText()
}

it('a café owner makes a Wi-Fi code by keyboard, and the password stays in the browser', async () => {
  const user = await makeUser(server)
  const page = await openPage(browser, server.url, { user })
  const password = String.raw`very;secret:"\pass,word`
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.goto('/qr')
  await page.getByText('This code is static.').waitFor()
  await page.getByRole('link', { name: 'dynamic QR code' }).waitFor()
  await kind(page, 'Wi-Fi').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.type('Café "Sonne"')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('short')
  await page.keyboard.press('Tab')
  const field = page.getByLabel('Password', { exact: true })
  expect(await problemOf(field)).toBe('A Wi-Fi password has 8 to 63 characters')
  expect(await page.getByRole('img', { name: /very;secret/ }).count()).toBe(0)
  await field.fill(password)
  const wifi = { T: 'WPA', S: 'Café "Sonne"', P: password }
  await expect.poll(async () => readWifi(await scanned(page))).toEqual(wifi)
  expect(await problemOf(field)).toBe('')
  await page.getByRole('checkbox', { name: 'Hidden network' }).press('Space')
  await expect.poll(async () => readWifi(await scanned(page))).toEqual({ ...wifi, H: 'true' })
  // An arrow chooses the next kind, and the typed text is there on the way back.
  await kind(page, 'Wi-Fi').press('ArrowRight')
  await page.getByLabel('First name').waitFor()
  await kind(page, 'Contact').press('ArrowLeft')
  expect(await field.inputValue()).toBe(password)
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
  for (const text of [...sent, stored]) expect(text).not.toContain('secret')
  // The control: requests were seen.
  expect(sent.length).toBeGreaterThan(3)
  await page.context().close()
})

it('each other kind becomes a code that a phone understands', async () => {
  const user = await makeUser(server)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/qr')
  await kind(page, 'Contact').check()
  await page.getByLabel('First name').fill('Ann; "Annie"')
  await page.getByLabel('Mobile').fill('+49 (0)170 1234')
  await page.getByLabel('Note').fill('Chef,\nowner')
  await expect
    .poll(async () => {
      const text = await scanned(page)
      return text.startsWith('BEGIN:VCARD') ? [partsOf(text, 'N'), partsOf(text, 'NOTE')] : []
    })
    .toEqual([['', 'Ann; "Annie"', '', '', ''], ['Chef,\nowner']])
  await page.getByLabel('Website').fill('no address')
  await page.getByLabel('Street').focus()
  expect(await problemOf(page.getByLabel('Website'))).toBe(
    'Please enter an address such as example.com',
  )
  await page.getByText('The code appears when the form is complete.').waitFor()

  await kind(page, 'Email').check()
  await page.getByLabel('To', { exact: true }).fill('ann@bistro.example')
  await page.getByLabel('Subject').fill('Table for 2 & more')
  await expect
    .poll(async () => {
      const text = await scanned(page)
      return text.startsWith('mailto:') ? readMail(text) : text
    })
    .toEqual({ to: 'ann@bistro.example', subject: 'Table for 2 & more', body: null })

  await kind(page, 'Phone').check()
  await page.getByLabel('Phone number').fill('+49 30 1234')
  await expect.poll(() => scanned(page)).toBe('tel:+49301234')

  await kind(page, 'SMS').check()
  await page.getByLabel('Phone number').fill('+49 30 1234')
  await page.getByLabel('Message').fill('Hello: 東京')
  await expect.poll(() => scanned(page)).toBe('SMSTO:+49301234:Hello: 東京')

  await kind(page, 'Place').check()
  // As it is copied from a map.
  await page.getByLabel('Latitude').fill('52.520008, 13.404954')
  await expect.poll(() => scanned(page)).toBe('geo:52.520008,13.404954')
  await page.getByLabel('Longitude').fill('181')
  await page.getByLabel('Latitude').focus()
  expect(await problemOf(page.getByLabel('Longitude'))).toBe(
    'Longitude is a number from -180 to 180',
  )

  await kind(page, 'Event').check()
  await page.getByLabel('Title').fill('Opening')
  await page.getByRole('checkbox', { name: 'All day' }).check()
  await page.getByLabel('First day').fill('2027-07-01')
  await expect
    .poll(() => scanned(page))
    .toBe('BEGIN:VEVENT\r\nSUMMARY:Opening\r\nDTSTART;VALUE=DATE:20270701\r\nEND:VEVENT\r\n')

  await kind(page, 'Text').check()
  const area = page.getByLabel('Text', { exact: true })
  await area.nth(-1).fill('Fresh & free')
  await expect.poll(() => scanned(page)).toBe('Fresh & free')
  await area.nth(-1).fill('東'.repeat(430))
  await page.getByText('This is too much for a QR code.').waitFor()
  await page.context().close()
})

it('static codes fit a phone and are accessible in both themes', async () => {
  const user = await makeUser(server)
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto('/qr')
  await page.getByLabel('Network name').fill('Guests')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('Network name').focus()
  await look(page, 'static-wifi')
  for (const name of ['Contact', 'Event', 'Place']) {
    await kind(page, name).check()
    await look(page, `static-${name.toLowerCase()}`)
  }
  await page.context().close()
})
