import { beforeAll, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { countOf, plantLinks } from './plant.ts'
import { visit } from './visit.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

it('a target in absolute form is that of its path, for links, pages and files', async () => {
  const code = `absolute${Date.now()}`
  const [link] = await plantLinks(server.sql, [{ code, url: 'https://example.com/there' }])
  const { host } = new URL(server.url)
  for (const start of [`http://${host}`, `https://${host}`, 'HTTP://other.example', '']) {
    const answer = await visit(server.url, `${start}/${code}?utm_source=x`)
    expect([start, answer.status, answer.location]).toEqual([
      start,
      302,
      'https://example.com/there',
    ])
  }
  expect((await visit(server.url, `http://${host}/health/live`)).status).toBe(200)
  expect((await visit(server.url, `http://${host}/health/live`, { method: 'HEAD' })).status).toBe(
    200,
  )
  expect((await visit(server.url, `http://${host}/${code}-none`)).status).toBe(302)
  expect((await visit(server.url, `http://${host}/${code}-none`)).location).toMatch(/\/404$/)
  // Other schemes are no addresses of this server (control).
  expect((await visit(server.url, `ftp://${host}/${code}`)).location).toBeUndefined()
  await expect.poll(() => countOf(server.sql, link?.id ?? ''), { timeout: 240_000 }).toBe(4)
})
