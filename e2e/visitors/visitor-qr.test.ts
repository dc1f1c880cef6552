/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** Opens `/{name}` as the address of a QR code. @returns the address bar's text then, without the name */
async function scanned(name: string, rest: string): Promise<string> {
  const page = await openPage(browser, server.url)
  await page.goto('/demo')
  const before = await page.evaluate(() => history.length)
  await page.goto(`/${name}${rest}`)
  await expect.poll(() => page.evaluate(() => history.length)).toBe(before + 1)
  const address = page.url()
  await page.context().close()
  expect(address.startsWith(`${server.url}/${name}`)).toBe(true)
  return address.slice(`${server.url}/${name}`.length)
}

const addresses: [given: string, shown: string][] = [
  ['?qr', ''],
  ['?qr=1', ''],
  ['?qr&utm_source=a%20b+c&x=%zz#part', '?utm_source=a%20b+c&x=%zz#part'],
  ['?utm_source=poster&qr', '?utm_source=poster'],
  ['?qrs=1&a=qr&QR', '?qrs=1&a=qr&QR'],
  ['?', '?'],
]

it.each(addresses)(
  'a visitor who scanned a code for %s sees %s in the address bar of a bio page and of a page with a popup',
  async (given, shown) => {
    const { slug } = await plantBio(server.sql)
    const { code } = await plantPopupLink(server.sql, {}, 'https://destination.example/')
    expect(await scanned(slug, given)).toBe(shown)
    expect(await scanned(code, given)).toBe(shown)
  },
)
