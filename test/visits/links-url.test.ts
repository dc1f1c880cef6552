import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import sharp from 'sharp'
import { createWebApp } from '#server/pages/web-app.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { nodeLab, pixelsOf } from '#test/qr/node-lab.ts'
import { plantBio } from '#test/pages/plant.ts'
import { plantLinks } from './plant.ts'
import { visit } from './visit.ts'

const url = 'https://example.com/of-the-link'
const [app, go] = ['app.hop.example', 'go.example'] as const
/** `Connection: keep-alive` stays on the fast lane, `close` is for node:http. */
const lanes = ['keep-alive', 'close'] as const

let server: TestServer
let ann: TestUser
beforeAll(async () => {
  server = await startTestServer({
    publicUrl: `https://${app}`,
    linksUrl: `https://${go}`,
    unknownHosts: 'refuse',
  })
  await plantLinks(server.sql, [{ code: 'printed', url }])
  await plantBio(server.sql, {
    columns: { slug: 'menu' },
    links: [['Shop', 'https://shop.example/']],
  })
  ann = await makeUser(server)
})
afterAll(() => server.close())

const get = (host: string, target: string, headers: Record<string, string> = {}) =>
  visit(server.url, target, { headers: { host, ...headers } })

describe('LINKS_URL', () => {
  it.each(lanes)('keeps each link at both hosts (%s)', async (connection) => {
    for (const host of [app, go, 'GO.example.', 'www.go.example', `www.${app}`, 'go.example:443'])
      for (const target of ['/printed', '/PRINTED?utm=1', '/q/printed', '/q/printed/ab1']) {
        const { status, location } = await get(host, target, { connection })
        expect([host, target, status, location]).toEqual([host, target, 302, url])
      }
    expect((await get('other.example', '/printed', { connection })).status).toBe(421)
  })

  it('has no app, no API and no sign-in', async () => {
    for (const target of [
      '/auth/v1/settings',
      '/rest/v1/shortened_urls',
      '/functions/v1/openapi.json',
      '/mcp',
      '/docs',
      '/demo',
      '/dashboard',
      '/health/live',
      '/.well-known/oauth-authorization-server',
      '/og/home.png',
      '/index.html',
      '/manifest.webmanifest',
    ]) {
      const there = await get(go, target)
      expect([target, there.status]).toEqual([target, 404])
      expect(there.rawHeaders.join(' ').toLowerCase()).not.toContain('set-cookie')
    }
    // The control: the host of the app has them.
    for (const target of ['/auth/v1/settings', '/demo', '/health/live', '/og/home.png'])
      expect([target, (await get(app, target)).status < 400]).toEqual([target, true])
  })

  it('is the address that pages name, and their way to the app is absolute', async () => {
    for (const host of [app, go]) {
      const { status, body } = await get(host, '/menu')
      expect(status).toBe(200)
      expect(body).toContain(`<meta property="og:url" content="https://${go}/menu"/>`)
      expect(body).toContain(`content="https://${go}/og/menu.png"`)
      expect(body).toContain(`href="https://${app}/auth"`)
      expect((await get(host, '/printed+')).body).toContain(`${go}/printed`)
      expect((await get(host, '/og/menu.png')).header('content-type')).toBe('image/png')
    }
    expect((await get(go, '/404')).body).toContain(`https://${app}`)
    // The demo is a page of the app.
    expect((await get(app, '/demo')).body).toContain(`content="https://${app}/demo"`)
  })

  it('is the address in QR codes', async () => {
    const { short_code: code } = await makeLink(server, ann)
    const answer = await fetch(`${server.url}/functions/v1/qr-code?code=${code}&format=png`, {
      headers: { apikey: server.anonKey, authorization: `Bearer ${ann.accessToken}` },
    })
    expect(answer.status).toBe(200)
    const picture = await pixelsOf(sharp(await answer.arrayBuffer()))
    expect(await nodeLab.decoders['zxing']?.(picture)).toMatch(
      `https://${go}/q/${code}`.toUpperCase(),
    )
  })

  it('is a host that no link may lead to, as that of the app is', async () => {
    for (const host of [app, go, `www.${go}`, 'else.example']) {
      const answer = await fetch(`${server.url}/rest/v1/shortened_urls`, {
        method: 'POST',
        headers: {
          apikey: server.anonKey,
          authorization: `Bearer ${ann.accessToken}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ original_url: `https://${host}/printed`, user_id: ann.id }),
      })
      expect([host, answer.status]).toEqual([host, host === 'else.example' ? 201 : 400])
    }
    const own = await server.sql<{ host: string }>('select host from app.own_hosts order by host')
    expect(own.map(({ host }) => host)).toEqual([app, go])
  })

  it('is a host of reports, as that of the app is', async () => {
    for (const host of [app, go])
      for (const name of ['printed', `https://${app}/printed`, `${go}/printed`]) {
        const { body } = await get(host, `/report?name=${encodeURIComponent(name)}`)
        expect(body).toContain('value="printed"')
      }
    const { body } = await get(app, '/report?name=https://other.example/printed')
    expect(body).not.toContain('value="printed"')
  })

  it('is in the document of the app', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hoplet-links-'))
    await writeFile(
      join(folder, 'index.html'),
      '%HOPLET_PUBLIC_URL% %HOPLET_LINKS_URL% %HOPLET_HOST%',
    )
    const answer = await createWebApp(server.context, folder).request('/settings')
    expect(await answer.text()).toBe(`https://${app} https://${go} ${go}`)
    await rm(folder, { recursive: true })
  })

  it('is the address of the server where it is not set', async () => {
    const plain = await startTestServer()
    expect(plain.context.config.linksUrl).toBe(plain.url)
    await plain.close()
  })
})
