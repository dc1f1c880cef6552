import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { askImage } from '#test/functions/calls.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newPicture, upload } from './uploads.ts'

const secretAccessKey = 'canary-secret-8e41'
const objects = new Map<string, Buffer>()
const requests: string[] = []
let failing = false
let breaking = false
let written = ''
let server: TestServer
let ann: TestUser

/** A bucket: path-style addresses, and it insists on signed requests. */
const bucket = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const path = request.url ?? ''
    requests.push(`${request.method} ${path}`)
    const signed = /^AWS4-HMAC-SHA256 Credential=an-id\/\d{8}\/eu-x\/s3\/aws4_request, /.test(
      request.headers.authorization ?? '',
    )
    if (!signed || failing) {
      response.writeHead(403).end(`<Error>${secretAccessKey}</Error>`)
    } else if (request.method === 'PUT') {
      objects.set(path, Buffer.concat(chunks))
      response.writeHead(200).end()
    } else if (request.method === 'DELETE') {
      objects.delete(path)
      response.writeHead(204).end()
    } else if (breaking) {
      response.writeHead(200, { 'content-length': 1_000 }).write('half')
      setTimeout(() => response.destroy(), 50)
    } else {
      const object = objects.get(path)
      response.writeHead(object ? 200 : 404).end(object)
    }
  })
})

beforeAll(async () => {
  await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve))
  server = await startTestServer({
    media: {
      uploadsPerDay: 100,
      uploadBytes: 1_000_000,
      s3: {
        endpoint: `http://127.0.0.1:${(bucket.address() as AddressInfo).port}/`,
        bucket: 'pictures',
        region: 'eu-x',
        accessKeyId: 'an-id',
        secretAccessKey,
      },
    },
  })
  const sink = new Writable({
    write: (chunk, _encoding, done) => ((written += String(chunk)), done()),
  })
  server.context.log = pino({ level: 'trace' }, sink)
  ann = await makeUser(server)
})
afterAll(async () => {
  await server.close()
  bucket.closeAllConnections()
  await new Promise((resolve) => bucket.close(resolve))
})

it('the media store keeps images in a bucket, and collects them there', async () => {
  const { body } = await upload(server, ann, await newPicture())
  const hash = body.imageUrl?.slice(7, 71) ?? ''
  expect([...objects.keys()]).toEqual([`/pictures/media/${hash.slice(0, 2)}/${hash}.webp`])
  const image = await fetch(server.url + body.imageUrl)
  expect(Buffer.from(await image.arrayBuffer())).toEqual([...objects.values()][0])
  await server.sql(`update app.media set unused_since = now() - interval '2 days'`)
  expect(await server.context.media.collect()).toBe(1)
  expect(objects.size).toBe(0)
  expect((await fetch(server.url + body.imageUrl)).status).toBe(404)
})

it('the media store answers 503 while the bucket does not answer, stores no such image, and never reveals the secret', async () => {
  failing = true
  const answer = await upload(server, ann, await newPicture())
  failing = false
  expect(answer.status).toBe(503)
  expect(await server.sql('select 1 from app.media')).toEqual([])
  expect(JSON.stringify(answer) + written).not.toContain(secretAccessKey)
  expect(written).toContain('the media storage answered 403')
})

it('the media store answers 503 with an error when the bucket takes no generated image', async () => {
  failing = true
  const answer = await askImage(server, ann)
  failing = false
  expect(answer).toMatchObject({
    status: 503,
    body: { error: 'The service is not available right now' },
  })
  expect(answer.headers.get('retry-after')).toBe('5')
  // The control.
  expect((await askImage(server, ann)).status).toBe(200)
})

it('the media store answers 503 when the bucket breaks off in the middle of an image', async () => {
  const { body } = await upload(server, ann, await newPicture())
  breaking = true
  const { status } = await fetch(server.url + body.imageUrl)
  breaking = false
  expect([status, (await fetch(server.url + body.imageUrl)).status]).toEqual([503, 200])
})
