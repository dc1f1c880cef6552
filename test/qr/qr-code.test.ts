import { beforeAll, describe, expect, it } from 'vitest'
import sharp from 'sharp'
import { qrAddress } from '#domain/links/qr-address.ts'
import { newApiKeyText } from '#server/tokens/api-key-text.ts'
import { makeLink, makeUser, type TestLink, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { pixelsOf } from './node-lab.ts'
import { decoded, decodedPixels, hasPoppler, rasterized } from './poppler.ts'

let server: TestServer
let user: TestUser
let link: TestLink
beforeAll(async () => {
  server = await sharedServer()
  user = await makeUser(server, { plan: 'pro' })
  link = await makeLink(server, user)
})

type Query = Record<string, string | number>

const ask = (query: Query, headers = user.headers, method = 'GET') =>
  fetch(
    `${server.url}/functions/v1/qr-code?${new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)]),
    )}`,
    { headers, method },
  )
const postCode = (body: object, headers: Record<string, string>) =>
  fetch(`${server.url}/functions/v1/qr-code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
async function file(query: Query): Promise<Buffer> {
  const response = await ask(query)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(bytes.toString())
  return bytes
}
async function add<Row>(path: string, body: object, who = user): Promise<Row> {
  const response = await fetch(`${server.url}/rest/v1/${path}`, {
    method: 'POST',
    headers: {
      ...who.headers,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify(body),
  })
  const [row] = (await response.json()) as Row[]
  if (row === undefined) throw new Error('nothing was made')
  return row
}
const address = (mark?: string) => qrAddress(`${server.url}/${link.short_code}`, mark)
const both = (text: string) => [text, text]
const usedToday = async (id = user.id) =>
  (
    await server.sql<{ daily_qr_codes: number }>(
      'select daily_qr_codes from app.user_usage where user_id = $1',
      [id],
    )
  )[0]?.daily_qr_codes

describe('the QR code of a link', () => {
  it('is a PNG with whole pixels for each cell, at least as wide as wanted', async () => {
    const code = link.short_code
    const response = await ask({ code })
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="${code}-qr.png"`,
    )
    const widths = []
    for (const size of [100, 1_024, 4_096]) {
      const png = await file({ code, size })
      const { width } = await sharp(png).metadata()
      // One of the decoders takes no picture as large as the largest.
      const seen = await sharp(png)
        .resize({ width: Math.min(width, 1_200) })
        .png()
        .toBuffer()
      expect({ size, texts: await decoded(seen) }).toEqual({ size, texts: both(address()) })
      widths.push(width)
    }
    const cells = (widths[0] ?? 0) / 4
    expect(Number.isInteger(cells)).toBe(true)
    expect(widths).toEqual([
      4 * cells,
      Math.ceil(1_024 / cells) * cells,
      Math.ceil(4_096 / cells) * cells,
    ])
  })

  it('is an SVG', async () => {
    const svg = await file({ code: link.short_code, format: 'svg', size: 500 })
    expect(svg.toString()).toMatch(/^<svg [^>]*width="500"/)
    const pixels = await pixelsOf(sharp(svg).flatten({ background: '#fff' }))
    expect(await decodedPixels(pixels)).toEqual(both(address()))
  })

  it.runIf(hasPoppler)('is a PDF without a picture, with the words of its frame', async () => {
    const look = await add<{ id: string }>('qr_looks', {
      name: 'Framed',
      look: { cells: 'rounded', color: '#a8430a', frame: 'caption', caption: 'Scan me, Žofie' },
    })
    const pdf = await file({ code: link.short_code, format: 'pdf', look: look.id })
    expect(pdf.toString('latin1')).not.toMatch(/\/Subtype\s*\/Image/)
    const [page] = await rasterized(pdf)
    expect(page?.words.map(({ text }) => text).join(' ')).toBe('Scan me, Žofie')
    expect(await decoded(page?.picture ?? Buffer.alloc(0))).toEqual(both(address()))
  })

  it('takes the default look of its account, unless another one is named', async () => {
    const own = await makeUser(server)
    const { short_code: code } = await makeLink(server, own)
    const svg = async (query: Query) =>
      (await ask({ code, format: 'svg', ...query }, own.headers)).text()
    const plain = await svg({})
    const look = { color: '#0a5c8a' }
    const { id } = await add<{ id: string }>('qr_looks', { name: 'Blue', look }, own)
    expect(await svg({})).toBe(plain)
    expect(await svg({ look: id })).toContain('#0a5c8a')
    await server.sql('update app.qr_looks set is_default = true where id = $1', [id])
    expect(await svg({})).toContain('#0a5c8a')
    expect(await svg({ look: 'plain' })).toBe(plain)
  })

  it('with the mark of a placement, and of the bio page', async () => {
    const placement = await add<{ id: string; mark: string }>('rpc/create_placements', {
      _link: link.id,
      _names: ['Window'],
    })
    for (const named of [placement.id, placement.mark]) {
      const png = await file({ code: link.short_code, placement: named })
      expect(await decoded(png)).toEqual(both(address(placement.mark)))
    }
    const slug = `page-${Date.now()}`
    await add('bio_pages', { slug, title: 'Page' })
    expect(await decoded(await file({ page: 1 }))).toEqual(both(qrAddress(`${server.url}/${slug}`)))
  })
})

describe('a download of a QR code', () => {
  it('counts once per code, look and day, and not for HEAD', async () => {
    const own = await makeUser(server, { plan: 'pro' })
    const { short_code: code, id } = await makeLink(server, own)
    const get = async (query: Query, method = 'GET') =>
      (await ask({ code, ...query }, own.headers, method)).status
    expect(await get({}, 'HEAD')).toBe(200)
    expect(await usedToday(own.id)).toBe(0)
    for (const format of ['png', 'svg', 'pdf', 'png']) expect(await get({ format })).toBe(200)
    expect(await get({ look: 'plain' })).toBe(200)
    expect(await usedToday(own.id)).toBe(1)
    const look = await add<{ id: string }>('qr_looks', { name: 'a', look: {} }, own)
    await get({ look: look.id })
    const { mark } = await add<{ mark: string }>(
      'rpc/create_placements',
      { _link: id, _names: ['a'] },
      own,
    )
    await get({ placement: mark })
    expect(await usedToday(own.id)).toBe(3)

    // At the limit of the plan, a code that was counted today stays free, and others wait for tomorrow.
    await server.sql('update app.user_usage set daily_qr_codes = 50 where user_id = $1', [own.id])
    expect(await get({})).toBe(200)
    const other = await makeLink(server, own)
    expect(await get({ code: other.short_code })).toBe(429)
    const yesterday = 'update app.user_usage set day = day - 1 where user_id = $1'
    await server.sql(yesterday, [own.id])
    await server.sql('update app.qr_downloads set day = day - 1 where user_id = $1', [own.id])
    expect(await get({})).toBe(200)
    expect(await usedToday(own.id)).toBe(1)
    const kept = 'select code, look from app.qr_downloads where user_id = $1'
    expect(await server.sql(kept, [own.id])).toEqual([{ code, look: 'plain' }])
  })

  it('in a look that is not saved counts once per look, and like the saved look it equals', async () => {
    const own = await makeUser(server, { plan: 'pro' })
    const { short_code: code } = await makeLink(server, own)
    const post = async (look: object) => {
      const response = await postCode({ code, format: 'svg', look }, own.headers)
      expect(response.status).toBe(200)
      return response.text()
    }
    const red = { color: '#c00000', cornerColor: '#c00000' }
    expect(await post(red)).toContain('#c00000')
    // The order of parts, and those that are plain, make no other look.
    await post({ cornerColor: '#C00000', quiet: 4, color: '#c00000' })
    expect(await usedToday(own.id)).toBe(1)
    const blue = { color: '#0000c0' }
    const { id } = await add<{ id: string }>('qr_looks', { name: 'Blue', look: blue }, own)
    await post(blue)
    expect((await ask({ code, look: id }, own.headers)).status).toBe(200)
    await post({})
    expect((await ask({ code, look: 'plain' }, own.headers)).status).toBe(200)
    expect(await usedToday(own.id)).toBe(3)
    const kept = await server.sql('select look from app.qr_downloads where user_id = $1', [own.id])
    expect(kept).toHaveLength(3)
    expect(kept.map(({ look }) => look)).toEqual(
      expect.arrayContaining([id, 'plain', expect.stringMatching(/^[0-9a-f]{32}$/)]),
    )
  })

  it('in a look that cannot be drawn is refused with a sentence', async () => {
    const code = link.short_code
    const png = (bytes: number) => `data:image/png;base64,${'A'.repeat(bytes)}`
    const refused: [object | string, number, RegExp][] = [
      [{ color: 'red' }, 400, /^look: color must look like #1a2b3c$/],
      [{ cells: 'stars' }, 400, /^look: cells is one of squares/],
      [{ logo: '<svg/>' }, 400, /^look: logo is a PNG as a data URL$/],
      [{ logo: png(32_768) }, 400, /^look: a logo has at most 32768 characters/],
      [{ logo: png(140_000) }, 413, /./],
      [{ logo: png(400) }, 422, /^look: the logo is no PNG of at most 2048 × 2048 pixels/],
      ['nice', 400, /^look must be default, plain or the id of a look$/],
    ]
    const before = await usedToday()
    for (const [look, status, sentence] of refused) {
      const response = await postCode({ code, format: 'pdf', look }, user.headers)
      const { error } = (await response.json()) as { error: string }
      expect({ look, status: response.status, error }).toEqual({
        look,
        status,
        error: expect.stringMatching(sentence) as string,
      })
    }
    expect(await usedToday()).toBe(before)
    const form = { ...user.headers, 'content-type': 'application/x-www-form-urlencoded' }
    expect((await postCode({ code }, form)).status).toBe(415)
    // The control.
    const logo = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#c00' } })
      .png()
      .toBuffer()
    const look = { logo: `data:image/png;base64,${logo.toString('base64')}` }
    for (const format of ['pdf', 'png'])
      expect((await postCode({ code, format, look }, user.headers)).status).toBe(200)
  })

  it('counts once when it comes several times at once', async () => {
    const own = await makeUser(server, { plan: 'pro' })
    const { short_code: code } = await makeLink(server, own)
    const all = await Promise.all(
      Array.from({ length: 6 }, () => ask({ code, format: 'svg' }, own.headers)),
    )
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(await usedToday(own.id)).toBe(1)
  })

  it('is not counted on the plan Free', async () => {
    const own = await makeUser(server)
    const { short_code: code } = await makeLink(server, own)
    expect((await ask({ code }, own.headers)).status).toBe(200)
    expect(await usedToday(own.id)).toBe(0)
    expect(await server.sql('select from app.qr_downloads where user_id = $1', [own.id])).toEqual(
      [],
    )
  })

  it('is for the owner, and for keys with links:read', async () => {
    const key = async (scope: string) => {
      const { text, hash, hint } = newApiKeyText()
      await server.sql(
        `insert into auth.api_keys (user_id, name, hash, hint, scope) values ($1, $2, $3, $4, $5)`,
        [user.id, scope, hash, hint, scope],
      )
      return { authorization: `Bearer ${text}` } as Record<string, string>
    }
    const code = link.short_code
    const stranger = await makeUser(server)
    const statuses = []
    for (const headers of [
      user.headers,
      await key('links:read'),
      await key('links:write'),
      stranger.headers,
      {},
    ])
      statuses.push((await ask({ code }, headers as TestUser['headers'])).status)
    expect(statuses).toEqual([200, 200, 403, 404, 401])
    const page = async (scope: string) => (await ask({ page: 1 }, await key(scope))).status
    expect([await page('links:read'), await page('links:read bio:read')]).toEqual([403, 200])
  })

  it('is refused with a sentence', async () => {
    const code = link.short_code
    const look = await add<{ id: string }>('qr_looks', {
      name: 'Arabic',
      look: { frame: 'caption', caption: 'امسح' },
    })
    const foreign = await makeUser(server)
    const foreignLink = await makeLink(server, foreign)
    const foreignLook = await add<{ id: string }>('qr_looks', { name: 'x', look: {} }, foreign)
    const { mark } = await add<{ mark: string }>(
      'rpc/create_placements',
      { _link: foreignLink.id, _names: ['x'] },
      foreign,
    )
    const refused: [Query, number, RegExp][] = [
      [
        { code, look: look.id, format: 'pdf' },
        422,
        /^The caption “امسح” has letters that the font/,
      ],
      [{ code: foreignLink.short_code }, 404, /^You have no link with the code/],
      [{ code, look: foreignLook.id }, 404, /^You have no look with this id$/],
      [{ code, placement: `${mark}zz` }, 404, /has no placement/],
      [{ code, page: 1 }, 400, /^Please give a code, or page=1$/],
      [{}, 400, /^Please give a code, or page=1$/],
      [{ page: 1, placement: mark }, 400, /^Only links have placements$/],
      [{ code, size: 99 }, 400, /^size must be a whole number from 100 to 4096$/],
      [{ code, size: 4_097 }, 400, /^size must be/],
      [{ code, size: 'big' }, 400, /^size must be/],
      [{ code, format: 'gif' }, 400, /^format must be png, svg or pdf$/],
      [{ code, look: 'nice' }, 400, /^look must be default, plain or the id of a look$/],
    ]
    for (const [query, status, sentence] of refused) {
      const response = await ask(query)
      const { error } = (await response.json()) as { error: string }
      expect({ query, status: response.status, error }).toEqual({
        query,
        status,
        error: expect.stringMatching(sentence) as string,
      })
    }
    // The control: as a picture the machine's fonts draw it, or the frame is left out.
    expect((await ask({ code, look: look.id })).status).toBe(200)
  })
})
