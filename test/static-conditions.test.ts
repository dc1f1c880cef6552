import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWebApp } from '#server/pages/web-app.ts'
import { sharedServer, type TestServer } from './server.ts'

let server: TestServer
let web: ServerType
let origin: string
let folder: string
const whole = 'Words in a file. '.repeat(300)
const changed = new Date('2026-03-04T05:06:07Z')
const modified = changed.toUTCString()

beforeAll(async () => {
  server = await sharedServer()
  folder = await mkdtemp(join(tmpdir(), 'hoplet-static-'))
  await mkdir(join(folder, '.documents'))
  await writeFile(join(folder, 'index.html'), `<p>${'An empty screen. '.repeat(1_000)}</p>`)
  await writeFile(join(folder, '.documents/home.html'), `<p>${'Home. '.repeat(3_000)}</p>`)
  await writeFile(join(folder, 'words.txt'), whole)
  await writeFile(join(folder, 'words.txt.gz'), gzipSync(whole))
  await utimes(join(folder, 'words.txt'), changed, changed)
  web = createAdaptorServer({ fetch: createWebApp(server.context, folder).fetch })
  web.listen(0, '127.0.0.1')
  await once(web, 'listening')
  origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
})
afterAll(async () => {
  web.close()
  await rm(folder, { recursive: true, force: true })
})

/** The bytes as they are sent, which `fetch` would decompress. */
async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const sent = request(url, { headers, method }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  const body = Buffer.concat(parts)
  return { status: response.statusCode, headers: response.headers, body, text: body.toString() }
}

describe('ranges of a file', () => {
  it.each([
    ['bytes=0-4', 0, 5],
    ['Bytes=0-4', 0, 5],
    ['bytes=5-', 5, undefined],
    ['bytes=-7', -7, undefined],
    ['bytes=5-999999', 5, undefined],
  ])('%s is a part', async (range, start, end) => {
    const part = await get(`${origin}/words.txt`, { range })
    expect(part.status).toBe(206)
    expect(part.text).toBe(whole.slice(start, end))
  })

  it.each([
    'items=0-4',
    'seconds=1-2',
    'bytes',
    '0-4',
    'bytes=4-0',
    'bytes=-',
    'bytes=a-b',
    'bytes=0-1,4-5',
  ])('%s is ignored', async (range) => {
    const answer = await get(`${origin}/words.txt`, { range })
    expect(answer).toMatchObject({ status: 200, text: whole })
    expect(answer.headers['content-range']).toBeUndefined()
  })

  it('beyond the end is refused, and a HEAD has none', async () => {
    const range = 'bytes=999999-'
    expect((await get(`${origin}/words.txt`, { range })).status).toBe(416)
    const head = await get(`${origin}/words.txt`, { range: 'bytes=0-4' }, 'HEAD')
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(String(whole.length))
  })

  it.each([
    [modified, 206],
    ['"a-tag"', 200],
    ['W/"a-tag"', 200],
    ['Wed, 04 Mar 2026 05:06:06 GMT', 200],
    ['Wed, 04 Mar 2026 05:06:08 GMT', 200],
    ['yesterday', 200],
  ])('with If-Range: %s answers %i', async (condition, status) => {
    const answer = await get(`${origin}/words.txt`, { range: 'bytes=0-4', 'if-range': condition })
    expect(answer.status).toBe(status)
    expect(answer.text).toBe(status === 206 ? whole.slice(0, 5) : whole)
  })
})

describe('If-Modified-Since', () => {
  it.each([
    [modified, 304],
    ['Sun, 06 Nov 2044 08:49:37 GMT', 304],
    ['Wed, 04 Mar 2026 05:06:06 GMT', 200],
    ['yesterday', 200],
  ])('%s answers %i', async (since, status) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await get(`${origin}/words.txt`, { 'if-modified-since': since }, method)
      expect(answer.status).toBe(status)
      expect(answer.headers['last-modified']).toBe(modified)
      expect(answer.text).toBe(status === 200 && method === 'GET' ? whole : '')
    }
  })

  it('counts for the compressed file, and not beside If-None-Match', async () => {
    const headers = { 'accept-encoding': 'gzip', 'if-modified-since': modified }
    expect((await get(`${origin}/words.txt`, headers)).status).toBe(304)
    const tagged = await get(`${origin}/words.txt`, { ...headers, 'if-none-match': '"a"' })
    expect(tagged.status).toBe(200)
    expect(gunzipSync(tagged.body).toString()).toBe(whole)
  })

  it('leaves other answers as they are', async () => {
    const headers = { 'if-modified-since': modified, range: 'bytes=0-4' }
    expect((await get(`${origin}/words.jpg`, headers)).status).toBe(404)
    expect((await get(`${origin}/.documents/home.html`, headers)).status).toBe(404)
    expect((await get(`${origin}/`, headers)).status).toBe(200)
  })
})

describe('documents are compressed for clients that accept it', () => {
  it.each(['/', '/settings', '/auth', '/links/a-code'])('%s', async (path) => {
    const plain = await get(origin + path)
    expect(plain.headers['content-encoding']).toBeUndefined()
    const brotli = await get(origin + path, { 'accept-encoding': 'gzip, br' })
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' })
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body)
    const gzip = await get(origin + path, { 'accept-encoding': 'gzip, br;q=0' })
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.body)).toEqual(plain.body)
  })

  it.each(['/auth/v1/openapi.json', '/rest/v1/', '/functions/v1/openapi.json'])(
    '%s',
    async (path) => {
      const headers = { apikey: server.anonKey }
      const plain = await get(server.url + path, headers)
      expect(plain.status).toBe(200)
      expect(plain.headers['content-encoding']).toBeUndefined()
      const small = await get(server.url + path, { ...headers, 'accept-encoding': 'br' })
      expect(small.headers['content-encoding']).toBe('br')
      expect(small.headers.vary).toContain('Accept-Encoding')
      expect(small.headers['content-type']).toBe('application/openapi+json; charset=utf-8')
      expect(brotliDecompressSync(small.body)).toEqual(plain.body)
    },
  )
})
