/** @module-tag extended */
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { storageBlocked } from '#domain/texts/account-texts.ts'
import { makeLink, makeUser } from '#test/factories.ts'
import { plantBio, plantPopup } from '#test/pages/plant.ts'
import type { EnginePage } from './engine-page.ts'
import { inEachEngine } from './engine-stage.ts'

const signIn = async (page: EnginePage, user: { email: string; password: string }) => {
  await page.goto('/auth')
  await page.fill('Email', user.email)
  await page.fill('Password', user.password)
  await page.press('button', 'Sign In', 'main form')
}

describe('a browser that blocks site data', () => {
  inEachEngine(
    'the app',
    (stage) => {
      it('starts, names the blocked storage, and signs in until a reload', async () => {
        const user = await makeUser(stage.server)
        const page = await stage.open()
        await page.goto('/')
        await page.see({ kind: 'field', name: 'Long URL' })
        await page.goto('/auth')
        await page.seeText(storageBlocked)
        await signIn(page, user)
        await page.until(() => location.pathname === '/dashboard' || location.pathname === '/')
      })

      it('shows the popup of a bio page', async () => {
        const { slug } = await plantBio(stage.server.sql, { popup: { title: 'Hello' } })
        const page = await stage.open()
        await page.goto(`/${slug}`)
        await page.seeText('Hello', 'dialog')
      })
    },
    { engines: ['Firefox'], preferences: { 'network.cookie.cookieBehavior': 2 } },
  )
})

inEachEngine(
  'a browser that resists fingerprinting',
  (stage) => {
    it('saves the QR code as it is shown', async () => {
      const user = await makeUser(stage.server)
      const { short_code: code } = await makeLink(stage.server, user)
      const page = await stage.open({ user })
      await page.goto(`/links/${code}`)
      await page.run(() => {
        URL.createObjectURL = (file: Blob) => {
          const reader = new FileReader()
          reader.onload = () => {
            document.body.dataset['saved'] = reader.result as string
          }
          reader.readAsDataURL(file)
          return '#'
        }
      })
      await page.press('button', 'Download as PNG')
      await page.until(() => document.body.dataset['saved'])
      const href = await page.run(() => document.body.dataset['saved'] ?? '')
      const png = Buffer.from(href.split(',')[1] ?? '', 'base64')
      expect(png.readUInt32BE(16)).toBe(200)
      const at = png.indexOf('IDAT')
      const pixels = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
      // The quiet zone is white, the finder's first module is not.
      expect(pixels.subarray(0, 26 * 16).every((byte) => byte === 0)).toBe(true)
      expect(pixels.some((byte) => byte !== 0)).toBe(true)
    })
  },
  { engines: ['Firefox'], preferences: { 'privacy.resistFingerprinting': true } },
)

inEachEngine('a miniature of My Popups', (stage) => {
  it('has the button below the title', async () => {
    const user = await makeUser(stage.server)
    for (const position of ['center', 'top', 'bottom'])
      await plantPopup(stage.server.sql, {
        title: `Sale ${position}`,
        position,
        user_id: user.id,
      })
    const page = await stage.open({ user })
    await page.goto('/my-popups')
    await page.until(() => document.querySelectorAll('.hp-popup-stage .hp-popup-button').length > 2)
    const overlaps = await page.run(() =>
      [...document.querySelectorAll('.hp-popup-stage')].flatMap((each) => {
        const title = each.querySelector('.hp-popup-title')?.getBoundingClientRect()
        const button = each.querySelector('.hp-popup-button')?.getBoundingClientRect()
        return (button?.top ?? 0) < (title?.bottom ?? 1) ? [`${button?.top} ${title?.bottom}`] : []
      }),
    )
    expect(overlaps).toEqual([])
  })
})
