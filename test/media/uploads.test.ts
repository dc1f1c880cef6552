import { createHash, randomBytes } from 'node:crypto'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newPicture, pngThatSays, upload } from './uploads.ts'

const { media } = createConfig(parseVariables({}))
let server: TestServer
let ann: TestUser

beforeAll(async () => {
  server = await startTestServer({ media: { ...media, uploadsPerDay: 1_000 } })
  ann = await makeUser(server)
})
afterAll(() => server.close())

const stored = async () => (await server.sql('select 1 from app.media')).length

describe('an upload', () => {
  it.each(['png', 'jpeg', 'webp'] as const)(
    'of a %s is stored as WebP, by the hash of its bytes',
    async (format) => {
      const file = await sharp(await newPicture(120, 80))
        .toFormat(format)
        .toBuffer()
      const { status, body } = await upload(server, ann, file, `image/${format}`)
      expect(status).toBe(201)
      expect(body.imageUrl).toMatch(/^\/media\/[0-9a-f]{64}\.webp$/)
      const response = await fetch(server.url + body.imageUrl)
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(body.imageUrl).toContain(createHash('sha256').update(bytes).digest('hex'))
      expect(await sharp(bytes).metadata()).toMatchObject({
        format: 'webp',
        width: 120,
        height: 80,
      })
    },
  )

  it('an upload is recognized by content, not by its name', async () => {
    expect((await upload(server, ann, await newPicture(), 'image/jpeg')).status).toBe(201)
    expect((await upload(server, ann, await newPicture(), 'application/octet-stream')).status).toBe(
      201,
    )
    expect((await upload(server, ann, Buffer.from('<svg/>'), 'image/png')).status).toBe(415)
  })

  it('may come as a form', async () => {
    const form = new FormData()
    form.set('note', 'hello')
    form.set('file', new Blob([new Uint8Array(await newPicture())]), '../../etc/passwd.exe')
    const send = (body: FormData) =>
      fetch(`${server.url}/media/uploads`, { method: 'POST', headers: ann.headers, body })
    expect((await send(form)).status).toBe(201)
    const empty = new FormData()
    empty.set('note', 'hello')
    expect((await send(empty)).status).toBe(400)
  })

  it('keeps neither metadata nor data appended to the picture', async () => {
    const secret = 'GPS 52.5200 N 13.4050 E'
    const photo = await sharp(await newPicture(30, 20))
      .withExif({ IFD0: { ImageDescription: secret, Orientation: '6' } })
      .jpeg()
      .toBuffer()
    const file = Buffer.concat([photo, Buffer.from('<script>alert(1)</script>')])
    const { body } = await upload(server, ann, file, 'image/jpeg')
    const bytes = Buffer.from(await (await fetch(server.url + body.imageUrl)).arrayBuffer())
    expect(file.includes(secret)).toBe(true)
    expect(bytes.includes(secret)).toBe(false)
    expect(bytes.includes('<script>')).toBe(false)
    expect((await sharp(bytes).metadata()).exif).toBeUndefined()
  })

  it('can be shown by a popup', async () => {
    const { body } = await upload(server, ann, await newPicture())
    const response = await fetch(`${server.url}/rest/v1/popups`, {
      method: 'POST',
      headers: { ...ann.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        title: 'x',
        cta_text: 'y',
        image_url: body.imageUrl,
        user_id: ann.id,
      }),
    })
    expect(response.status).toBe(201)
  })
})

describe('serving', () => {
  it('tells caches that the bytes never change, and browsers to run nothing in them', async () => {
    const { body } = await upload(server, ann, await newPicture())
    const url = server.url + body.imageUrl
    const { headers } = await fetch(url)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('content-type')).toBe('image/webp')
    const etag = headers.get('etag') ?? ''
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await fetch(url, { method: 'PUT' })).status).toBe(405)
  })

  it.each([
    `/media/${'0'.repeat(64)}.webp`,
    `/media/${'0'.repeat(64)}.png`,
    '/media/',
    '/media/x',
    '/media/..%2f..%2fkeys.json',
    '/media/%2e%2e/keys.json',
    `/media/${'0'.repeat(63)}%00.webp`,
    '/media/keys.json',
  ])('has nothing at %s', async (path) => {
    expect((await fetch(server.url + path)).status).toBe(404)
  })
})

describe('refused uploads', () => {
  it('requests without a session', async () => {
    const file = await newPicture()
    expect(await upload(server, undefined, file)).toMatchObject({
      status: 401,
      body: { error: 'No access token' },
    })
    const key = { headers: { apikey: server.anonKey, authorization: `Bearer ${server.anonKey}` } }
    expect((await upload(server, key, file)).status).toBe(401)
    const gone = await makeUser(server)
    await fetch(`${server.url}/auth/v1/logout`, { method: 'POST', headers: gone.headers })
    expect((await upload(server, gone, file)).status).toBe(401)
  })

  it.each([
    ['nothing', () => Buffer.alloc(0), 415],
    ['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415],
    ['a GIF', () => Buffer.from('GIF89a\x01\x00\x01\x00'), 415],
    ['a page', () => Buffer.from('<!doctype html><script>alert(1)</script>'), 415],
    ['a PDF', () => Buffer.from('%PDF-1.7'), 415],
    ['a TIFF', () => Buffer.from('II*\x00'), 415],
    ['a PNG that is none', () => Buffer.from('\x89PNG\r\n\x1a\nhello', 'latin1'), 400],
    ['a bomb of 65,535 x 65,535', () => pngThatSays(65_535, 65_535), 400],
    ['a bomb of 2 thousand million pixels in a row', () => pngThatSays(2_000_000_000, 1), 400],
    ['4,097 pixels wide', () => newPicture(4_097, 1), 400],
    ['4,097 pixels high', () => newPicture(1, 4_097), 400],
    ['5 MB and a byte', () => randomBytes(5 * 1024 * 1024 + 1), 413],
  ])('%s', async (_what, file, status) => {
    const before = await stored()
    expect((await upload(server, ann, await file())).status).toBe(status)
    expect(await stored()).toBe(before)
  })

  it('another kind of body', async () => {
    expect((await upload(server, ann, await newPicture(), 'text/plain')).status).toBe(415)
    expect(
      (await upload(server, ann, await newPicture(), 'multipart/form-data; boundary=x')).status,
    ).toBe(400)
  })

  it('a stream without end, after 5 MB', async () => {
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536))
      },
    })
    const answer = await upload(server, ann, endless).catch(() => ({ status: 413 }))
    expect(answer.status).toBe(413)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  it('of a photo with too many pixels says so', async () => {
    const photo = await sharp({
      create: { width: 5_712, height: 4_284, channels: 3, background: 'red' },
    })
      .jpeg()
      .toBuffer()
    const { status, text } = await fetch(`${server.url}/media/uploads`, {
      method: 'POST',
      headers: { ...ann.headers, 'content-type': 'image/jpeg' },
      body: new Uint8Array(photo),
    }).then(async (response) => ({ status: response.status, text: await response.text() }))
    expect([status, text]).toEqual([400, expect.stringContaining('at most 4096 pixels')])
  })

  it('control: 4,096 pixels and just below 5 MB are taken', async () => {
    expect((await upload(server, ann, await newPicture(4_096, 4_096))).status).toBe(201)
    const noise = randomBytes(1_200 * 1_200 * 3)
    const large = await sharp(noise, { raw: { width: 1_200, height: 1_200, channels: 3 } })
      .png()
      .toBuffer()
    expect(large.length).toBeGreaterThan(4_000_000)
    expect((await upload(server, ann, large)).status).toBe(201)
  })

  it('many of one person leave a decoder to others', { tags: ['extended'] }, async () => {
    const large = await newPicture(3_000, 3_000)
    let done = 0
    const many = Array.from({ length: 6 }, () => upload(server, ann, large).then(() => done++))
    const bob = await makeUser(server)
    expect((await upload(server, bob, await newPicture())).status).toBe(201)
    expect(done).toBeLessThan(5)
    await Promise.all(many)
  })

  it('bombs in memory: 30 of them at once leave the process as it was', async () => {
    const bomb = await pngThatSays(60_000, 60_000)
    const before = process.memoryUsage().rss
    const answers = await Promise.all(Array.from({ length: 30 }, () => upload(server, ann, bomb)))
    expect(answers.every(({ status }) => status === 400 || status === 503)).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })

  it('300 damaged files: never a 5xx, and the server lives', { tags: ['extended'] }, async () => {
    const seeds = await Promise.all(
      (['png', 'jpeg', 'webp'] as const).map(async (format) =>
        sharp(await newPicture(60, 60))
          .toFormat(format)
          .toBuffer(),
      ),
    )
    const statuses = new Set<number>()
    for (let i = 0; i < 300; i += 10) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, j) =>
          upload(server, ann, damaged(seeds[(i + j) % 3] ?? seeds[0] ?? Buffer.alloc(0))),
        ),
      )
      for (const { status } of answers) statuses.add(status)
    }
    expect([...statuses].filter((status) => ![201, 400, 415].includes(status))).toEqual([])
    expect(statuses.has(400)).toBe(true)
    expect((await upload(server, ann, await newPicture())).status).toBe(201)
  })
})

it('the media store creates no folder of uploads on disk', async () => {
  await expect(access(join(server.context.config.dataDir, 'media', 'uploads'))).rejects.toThrow()
})

function damaged(file: Buffer): Buffer {
  const copy = Buffer.from(file)
  const hits = 1 + ((randomBytes(1)[0] ?? 0) % 20)
  for (let i = 0; i < hits; i++)
    copy[randomBytes(4).readUInt32BE() % copy.length] = randomBytes(1)[0] ?? 0
  return (randomBytes(1)[0] ?? 0) < 80
    ? copy.subarray(0, randomBytes(4).readUInt32BE() % copy.length)
    : copy
}
