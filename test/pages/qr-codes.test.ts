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
const previewOf = async (name: string) =>
  Buffer.from(await (await fetch(`${server.url}/og/${name}.png`)).arrayBuffer())

it('the code of a bio page leads to it with the marker, and people are shown the address without it', async () => {
  const { slug } = await plantBio(server.sql)
  const page = await (await fetch(`${server.url}/${slug}`)).text()
  const [code = ''] = /<svg[^>]*id="hp-qr".*?<\/svg>/s.exec(page) ?? []
  const drawn = code.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
  const large = await sharp(Buffer.from(drawn), { density: 300 }).png().toBuffer()
  expect(await scan(large)).toBe(`${server.url}/${slug}?qr`)
  expect(code).toContain(`aria-label="QR code of ${server.url}/${slug}"`)
  expect(page).toContain(`<span class="hp-share-address">${server.url}/${slug}</span>`)
  expect(page.replaceAll(/<svg.*?<\/svg>/gs, '')).not.toContain('?qr')
})

it('so do the codes in preview pictures; that of Home has none', async () => {
  const { slug } = await plantBio(server.sql)
  const { code } = await plantPopupLink(server.sql, {})
  expect(await scan(await previewOf(slug))).toBe(`${server.url}/${slug}?qr`)
  expect(await scan(await previewOf(code))).toBe(`${server.url}/${code}?qr`)
  expect(await scan(await previewOf('home'))).toBe(server.url)
})

it('a visit by a code counts as one, and the destination does not learn of it', async () => {
  const { slug, id } = await plantBio(server.sql)
  const [link] = await plantLinks(server.sql, [
    { code: 'scanned', url: 'https://example.com/?a=b' },
  ])
  expect((await visit(server.url, `/${slug}?qr`)).status).toBe(200)
  expect((await visit(server.url, '/scanned?qr')).location).toBe('https://example.com/?a=b')
  await expect.poll(() => hitsOf(server.sql, id)).toMatchObject([{ source: 'qr' }])
  await expect.poll(() => hitsOf(server.sql, link?.id ?? '')).toMatchObject([{ source: 'qr' }])
})
