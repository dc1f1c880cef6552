import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAppPath, pathInSpace, spaceRoutePaths, splitSpacePath } from '#domain/routes.ts'
import { createWebApp } from '#server/pages/web-app.ts'
import { createHttpServer } from '#server/server.ts'
import { startTestServer, type TestServer } from '#test/server.ts'

let server: TestServer
let folder: string
let http: ReturnType<typeof createHttpServer>
let address: string
beforeAll(async () => {
  server = await startTestServer()
  folder = await mkdtemp(join(tmpdir(), 'hoplet-spaces-'))
  await writeFile(join(folder, 'index.html'), '<p>The app</p>')
  http = createHttpServer(server.context, createWebApp(server.context, folder))
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
})
afterAll(async () => {
  http.close()
  http.closeAllConnections()
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const ask = async (path: string, method = 'GET') => {
  const response = await fetch(address + path, { method, redirect: 'manual' })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

const example = (path: string) => path.replace('$code', 'abc').replace('$id', 'abc')

describe('the server', () => {
  it('answers each page of an account with the app under the address of a space', async () => {
    expect(spaceRoutePaths.length).toBeGreaterThan(12)
    for (const path of spaceRoutePaths) {
      const page = example(pathInSpace('harbour-books', path))
      expect([page, isAppPath(page)]).toEqual([page, true])
      const { status, text } = await ask(page)
      expect([page, status, text]).toEqual([page, 200, '<p>The app</p>'])
    }
  })

  it('has no page of a person under the address of a space', async () => {
    for (const path of ['/auth', '/auth/invitation', '/admin', '/admin/users', '/oauth/consent']) {
      expect(isAppPath(`/s/harbour-books${path}`)).toBe(false)
      expect([path, (await ask(`/s/harbour-books${path}`)).status]).toEqual([path, 404])
    }
    for (const path of ['/affiliates', '/docs/reference', '/no-such-page'])
      expect([path, (await ask(`/s/harbour-books${path}`)).status]).toEqual([path, 404])
  })

  it('keeps the addresses of a bio page named s', async () => {
    for (const path of ['/s', '/s/go/1', '/s/popup', '/s/popup/dashboard', '/s/go']) {
      expect([path, splitSpacePath(path)]).toEqual([path, { path }])
      expect([path, (await ask(path)).status]).toEqual([path, 404])
    }
  })

  it('refuses addresses that no space can have', async () => {
    for (const slug of ['a', 'A-B', 'a--b', '-ab', 'ab-', '%D0%BA%D0%BA'])
      expect([slug, (await ask(`/s/${slug}/dashboard`)).status]).toEqual([slug, 404])
  })

  it('leads from a trailing slash to the page, and refuses other methods', async () => {
    const { status, headers } = await ask('/s/harbour-books/dashboard/?sort=code')
    expect([status, headers.get('location')]).toEqual([301, '/s/harbour-books/dashboard?sort=code'])
    expect((await ask('/s/harbour-books/dashboard', 'POST')).status).toBe(405)
  })
})
