import sharp from 'sharp'
import { beforeAll, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { hitsOf } from '#test/visits/hits.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { plantBio, plantPopupLink } from './plant.ts'
import { scan } from './scan.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
const scanned = (name: string) => `${server.url}/q/${name}`.toUpperCase()
const previewOf = async (name: string) =>
  Buffer.from(await (await fetch(`${server.url}/og/${name}.png`)).arrayBuffer())

it('the code of a bio page leads to it with the marker, and people are shown the address without it', async () => {
  const { slug } = await plantBio(server.sql)
  const page = await (await fetch(`${server.url}/${slug}`)).text()
  const [code = ''] = /<svg[^>]*id="hp-qr".*?<\/svg>/s.exec(page) ?? []
  const drawn = code.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
  const large = await sharp(Buffer.from(drawn), { density: 300 }).png().toBuffer()
  expect(await scan(large)).toBe(scanned(slug))
  expect(code).toContain(`aria-label="QR code of ${server.url}/${slug}"`)
  expect(page).toContain(`<span class="hp-share-address">${server.url}/${slug}</span>`)
  const shown = page.replaceAll(/<svg.*?<\/svg>/gs, '')
  for (const address of ['?qr', scanned(slug), `/q/${slug}`]) expect(shown).not.toContain(address)
})

it('so do the codes in preview pictures; that of Home has none', async () => {
  const { slug } = await plantBio(server.sql)
  const { code } = await plantPopupLink(server.sql, {})
  expect(await scan(await previewOf(slug))).toBe(scanned(slug))
  expect(await scan(await previewOf(code))).toBe(scanned(code))
  expect(await scan(await previewOf('home'))).toBe(server.url)
})

it.each([
  ['the address in a code', '/Q/'],
  ['the address in a code of release 1.0', '/'],
])('a visit by %s counts as a scan, and the destination does not learn of it', async (_, start) => {
  const path = (name: string) => (start === '/' ? `/${name}?qr` : `${start}${name.toUpperCase()}`)
  const code = start === '/' ? 'scanned' : 'scanned-now'
  const { slug, id } = await plantBio(server.sql)
  const [link] = await plantLinks(server.sql, [{ code, url: 'https://example.com/?a=b' }])
  expect((await visit(server.url, path(slug))).status).toBe(200)
  expect((await visit(server.url, path(code))).location).toBe('https://example.com/?a=b')
  await expect.poll(() => hitsOf(server.sql, id)).toMatchObject([{ source: 'qr' }])
  await expect.poll(() => hitsOf(server.sql, link?.id ?? '')).toMatchObject([{ source: 'qr' }])
})
