import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hasFonts } from '#server/pictures/svg-text.ts'
import { qrAddress } from '#domain/links/qr-address.ts'
import { drawQr } from '#domain/qr/draw-qr.ts'
import { plainQrLook } from '#domain/qr/qr-look.ts'
import { drawTag } from '#server/pictures/tag-picture.ts'
import { scriptInjections } from '#test/fixtures/script-injections.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { plantBio, plantPopupLink } from './plant.ts'

let server: TestServer
beforeAll(async () => {
  // Not shared: constraints are dropped here.
  server = await startTestServer()
})
afterAll(() => server.close())
const picture = (name: string) => fetch(`${server.url}/og/${name}.png`)

async function pixelsOf(name: string): Promise<PNG> {
  const response = await picture(name)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  return PNG.sync.read(Buffer.from(await response.arrayBuffer()))
}

const colorAt = (png: PNG, x: number, y: number) => [
  ...png.data.subarray((y * png.width + x) * 4, (y * png.width + x) * 4 + 3),
]

it('a bio page has a picture in its owner’s colors, and a popup link its tag', async () => {
  const { slug } = await plantBio(server.sql, { columns: { theme_background: '120 100% 50%' } })
  const bio = await pixelsOf(slug)
  expect([bio.width, bio.height]).toEqual([1200, 630])
  expect(colorAt(bio, 20, 600)).toEqual([0, 255, 0])
  const { code } = await plantPopupLink(server.sql)
  const tag = await pixelsOf(code)
  expect([tag.width, tag.height]).toEqual([1200, 630])
})

it('a name without a page has no picture', async () => {
  const { code } = await plantPopupLink(server.sql, { is_active: false })
  for (const name of [code, 'nobody-here', '..%2f..%2fetc%2fpasswd', 'UPPER']) {
    expect([name, (await picture(name)).status]).toEqual([name, 404])
  }
  expect((await fetch(`${server.url}/og/x.png`, { method: 'POST' })).status).toBe(405)
})

it('a popup behind a password or before the start of its link has no picture', async () => {
  const plant = async (change: string) => {
    const { code } = await plantPopupLink(server.sql, { title: 'For members' })
    await server.sql(`update app.shortened_urls set ${change} where short_code = $1`, [code])
    return code
  }
  const password = `password_hash = 'hash', password_version = gen_random_uuid()`
  for (const change of [password, `starts_at = now() + interval '1 day'`])
    expect([change, (await picture(await plant(change))).status]).toEqual([change, 404])
  // The preview of such a link is for everyone.
  const code = await plant(`${password}, preview_title = 'Open house'`)
  const shown = Buffer.from(await (await picture(code)).arrayBuffer())
  const qrCode = drawQr(qrAddress(`${server.url}/${code}`), plainQrLook)
  const view = { code, publicUrl: server.url, qrCode }
  expect(shown.equals(await drawTag({ ...view, title: 'Open house' }))).toBe(true)
})

it.runIf(await hasFonts())('wide letters stay left of the QR code', async () => {
  const text = 'W'.repeat(120)
  const { slug } = await plantBio(server.sql, { columns: { title: text, description: text } })
  const png = await pixelsOf(slug)
  const isInked = (x: number) =>
    Array.from({ length: 320 }, (_, y) => colorAt(png, x, y + 280).join()).some(
      (color) => color !== colorAt(png, 20, 600).join(),
    )
  expect([100, 400, 850, 1180].map(isInked)).toEqual([true, true, false, false])
})

it('every text can be drawn', async () => {
  // Includes texts that the tables refuse today, because a row may be older than the rule.
  await server.sql('alter table app.bio_pages drop constraint if exists bio_pages_title_visible')
  const texts = [
    ...scriptInjections,
    '\ud800 lone',
    '&amp;&',
    '\u0001\u001f',
    '日本語のタイトル',
    '👩‍👩‍👧',
    'w'.repeat(200),
  ]
  for (const text of texts.filter((_, i) => i % 3 === 0 || i >= scriptInjections.length)) {
    const title = text.replaceAll('\ud800', '').replaceAll('\u0000', '')
    const { slug } = await plantBio(server.sql, { columns: { title, description: title } })
    expect([title, (await picture(slug)).status]).toEqual([title, 200])
  }
})
