import { beforeAll, expect, it } from 'vitest'
import { drawTag } from '#server/pictures/tag-picture.ts'
import { hasFonts } from '#server/pictures/svg-text.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { decoded, hasPoppler, rasterized } from '../qr/poppler.ts'
import { scan } from './scan.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

const tag = (user: Pick<TestUser, 'headers'>, code: string, format = 'png') =>
  fetch(`${server.url}/functions/v1/link-tag?code=${code}&format=${format}`, {
    headers: user.headers,
  })

it('the tag of a link is a picture or a PDF, and counts as a QR download', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const { short_code: code } = await makeLink(server, user, { title: 'Autumn & <reading> 日本' })
  const png = await tag(user, code)
  expect(png.headers.get('content-type')).toBe('image/png')
  expect(png.headers.get('content-disposition')).toBe(`attachment; filename="${code}-tag.png"`)
  expect(await scan(Buffer.from(await png.arrayBuffer()))).toBe(
    `${server.url}/q/${code}`.toUpperCase(),
  )
  const pdf = Buffer.from(await (await tag(user, code, 'pdf')).arrayBuffer())
  const text = pdf.toString('latin1')
  expect(text).toMatch(/^%PDF-1[^]*\/MediaBox \[0 0 283\.46\d* 148\.81\d*\][^]*%%EOF/)
  expect(text).not.toMatch(/\/Subtype\s*\/Image/)
  const usage = 'select daily_qr_codes from app.user_usage where user_id = $1'
  expect(await server.sql(usage, [user.id])).toEqual([{ daily_qr_codes: 2 }])

  await server.sql('update app.user_usage set daily_qr_codes = 50 where user_id = $1', [user.id])
  const refused = await tag(user, code)
  expect(refused.status).toBe(429)
  expect(await refused.json()).toEqual({
    error:
      "QR Code Limit Reached: You've reached your daily limit of 50 QR codes. Please try again tomorrow.",
  })
})

it.runIf(hasPoppler)(
  'the tag as a PDF has the words and the code, in the default look',
  async () => {
    const user = await makeUser(server, { plan: 'pro' })
    const { short_code: code } = await makeLink(server, user, { title: 'Autumn reading' })
    const colors = async () => (await tag(user, code, 'pdf')).arrayBuffer()
    const plain = await rasterized(new Uint8Array(await colors()))
    const words = plain[0]?.words.map(({ text }) => text).join(' ')
    expect(words).toMatch(new RegExp(`^Autumn reading .*/ ?${code} example\\.com`))
    const scanned = `${server.url}/q/${code}`.toUpperCase()
    const area = { left: 197, top: 44, width: 61, height: 61 }
    expect(await decoded(plain[0]?.picture ?? Buffer.alloc(0), area)).toEqual([scanned, scanned])
    await server.sql(
      "insert into app.qr_looks (user_id, name, look, is_default) values ($1, 'x', $2, true)",
      [user.id, { cells: 'dots', frame: 'tab', caption: 'Scan' }],
    )
    const [dotted] = await rasterized(new Uint8Array(await colors()))
    expect(dotted?.words.map(({ text }) => text).join(' ')).toBe(words)
    expect(dotted?.picture.equals(plain[0]?.picture ?? Buffer.alloc(0))).toBe(false)
    expect(await decoded(dotted?.picture ?? Buffer.alloc(0), area)).toEqual([scanned, scanned])
    const png = Buffer.from(await (await tag(user, code)).arrayBuffer())
    expect(await scan(png)).toBe(scanned)
  },
)

it(
  'on the plan Free the tag has the print in the place of the QR code',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(server)
    const { short_code: code } = await makeLink(server, user)
    const png = await tag(user, code)
    expect(png.status).toBe(200)
    expect(await scan(Buffer.from(await png.arrayBuffer()))).toBeUndefined()
  },
)

it.runIf(await hasFonts())('the tag shows the beginning of a long destination', async () => {
  const draw = (destination: string) =>
    drawTag({ code: 'menu', title: null, destination, publicUrl: server.url })
  const path = '/spring/2026/menus/lunch-and-dinner.html'
  const shown = await draw(`https://one.example${path}`)
  expect(shown.equals(await draw(`https://two.example${path}`))).toBe(false)
  expect(shown.equals(await draw(`https://one.example${path}?more`))).toBe(true)
})

it('the tag of a link needs a session, and is of own links only', async () => {
  const [ann, bob] = [await makeUser(server), await makeUser(server)]
  const { short_code: code } = await makeLink(server, ann)
  expect((await tag(bob, code)).status).toBe(404)
  expect((await tag({ headers: {} as TestUser['headers'] }, code)).status).toBe(401)
  expect((await tag(ann, '../etc')).status).toBe(400)
})
