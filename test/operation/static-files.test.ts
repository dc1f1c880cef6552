import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWebApp } from '#server/pages/web-app.ts'
import { startTestServer, type TestServer } from '../server.ts'

let server: TestServer
let folder: string
let web: ReturnType<typeof createWebApp>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hoplet-web-'))
  await mkdir(join(folder, 'assets'))
  await mkdir(join(folder, '.vite'))
  await writeFile(
    join(folder, 'index.html'),
    '<meta content="%HOPLET_PUBLIC_URL%"><meta content="%HOPLET_ANON_KEY%">',
  )
  await writeFile(join(folder, 'assets/app-1a2b.js'), 'hop()')
  await writeFile(join(folder, 'assets/app-1a2b.js.gz'), gzipSync('hop()'))
  await writeFile(join(folder, '.vite/manifest.json'), '{}')
  await mkdir(join(folder, '.documents'))
  await writeFile(join(folder, '.documents/home.html'), 'Home, %HOPLET_PUBLIC_URL%')
  await writeFile(join(folder, '.documents/auth.html'), 'Sign In')
  await writeFile(join(folder, '.documents/link.html'), '%HOPLET_HOST%/%HOPLET_CODE%')
  server = await startTestServer({ publicUrl: 'https://hop.example' })
  web = createWebApp(server.context, folder)
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

it('the server sends the document with the configured address, with any Host header', async () => {
  const response = await web.request('/settings', { headers: { host: 'evil.example' } })
  const html = await response.text()
  expect(html).toContain('https://hop.example')
  expect(html).toContain(server.anonKey)
  expect(html).not.toContain(server.serviceRoleKey)
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
})

it.each([
  ['/', 'Home, https://hop.example'],
  ['/?ref=ABC', 'Home, https://hop.example'],
  ['/auth?next=/dashboard', 'Sign In'],
  ['/links/Spring', 'hop.example/spring'],
  ['/links/a-code-that-is-longer', 'hop.example/a-code-that-is-longer'],
  ['/links/%3Cb%3E&$', 'hop.example/&lt;b&gt;&amp;$'],
])(
  'the server sends %s with the screen in it, as it is before anything is known',
  async (path, text) => {
    expect(await (await web.request(path)).text()).toBe(text)
  },
)

it.each([
  '/auth?mode=sign-up',
  '/auth?ref=ABC',
  '/auth?opened=elsewhere',
  '/auth?code=1',
  '/settings',
])('the server sends %s without a screen', async (path) => {
  expect(await (await web.request(path)).text()).toContain('<meta content="https://hop.example">')
})

it('the server sends hashed files compressed and cached forever', async () => {
  const response = await web.request('/assets/app-1a2b.js', {
    headers: { 'accept-encoding': 'gzip' },
  })
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect(response.headers.get('cache-control')).toContain('immutable')
})

it('the server sends the uncompressed file to clients without compression', async () => {
  const response = await web.request('/assets/app-1a2b.js')
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(await response.text()).toBe('hop()')
})

it.each([
  '/.vite/manifest.json',
  '/.documents/home.html',
  '/assets/..%2f..%2fetc/passwd',
  '/assets/nothing.js',
  '/no/such/page',
  '/%00',
  '/%ff',
])('the server answers 404 with the page for %s', async (path) => {
  const response = await web.request(path, {}, { incoming: new IncomingMessage(new Socket()) })
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('Oops! Page not found')
})

it('the server refuses methods other than GET and HEAD on pages', async () => {
  const response = await web.request('/dashboard', { method: 'POST' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD')
})

it.each([
  ['/dashboard/?q=x', '/dashboard?q=x'],
  ['/dashboard//', '/dashboard'],
  ['//', '/'],
  ['///?q=x', '/?q=x'],
])('the server redirects the trailing slash of %s', async (path, location) => {
  const response = await web.request(path)
  expect([response.status, response.headers.get('location')]).toEqual([301, location])
})
