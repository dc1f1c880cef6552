import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { appRoutePaths } from '#domain/routes.ts'
import { createApp } from '#server/app.ts'
import { authRoutes } from '#server/auth/door.ts'
import { appPolicy } from '#server/http/security-headers.ts'
import { createWebApp } from '#server/pages/web-app.ts'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'

let server: TestServer
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hoplet-web-'))
  await writeFile(join(folder, 'index.html'), '<!doctype html>')
  server = await startTestServer()
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** Sources that a page's policy should not let in; each of the three is named, not left to default-src. */
function weaknesses(policy: string): string[] {
  const rules = new Map(
    policy.split(';').map((rule) => {
      const [name = '', ...values] = rule.trim().split(/\s+/)
      return [name, values] as const
    }),
  )
  const scripts = rules.get('script-src') ?? ['anywhere']
  return [
    ...scripts
      .filter((source) => !/^('self'|'none'|'(sha256|nonce)-[^']+')$/.test(source))
      .map((source) => `scripts from ${source}`),
    ...['object-src', 'base-uri'].filter((name) => rules.get(name)?.join() !== "'none'"),
  ]
}

/** A path with a value for each parameter: the first of a list of words, else `x`. */
const ids = (path: string) =>
  path.replaceAll(/:\w+\{([\w-]+)\|[^}]*\}/g, '$1').replaceAll(/:\w+(\{[^}]*\})?/g, 'x')

/** Each path that anything here answers, from the lists that the doors are made of, well and badly asked for. */
async function everyPath(): Promise<string[]> {
  const bio = await plantBio(server.sql, { links: [['Shop', 'https://example.com/']] })
  const withPopup = await plantBio(server.sql, { popup: {} })
  const popup = await plantPopupLink(server.sql, { cta_url: 'https://example.com/' })
  const own = createApp(server.context, createWebApp(server.context, folder)).routes
  const visited = ['/404', '/demo', `/${bio.slug}`, `/${withPopup.slug}`, `/${popup.code}`]
  const paths = [
    ...authRoutes.map(({ path }) => `/auth/v1${ids(path)}`),
    ...own.map(({ path }) => ids(path).replace('*', 'nothing')),
    ...appRoutePaths,
    ...visited,
    '/report',
    '/report/sent',
    '/no-such-code',
  ]
  const ways = ['', '/', '?type=recovery&token=x&name=x', '/nowhere', '.php', '%00']
  return [...new Set(paths)].flatMap((path) => ways.map((way) => path + way))
}

it('the server sends every page with a policy that allows no inline script and none of other sites', async () => {
  const web = createWebApp(server.context, folder)
  const pages: [string, string][] = []
  for (const path of appRoutePaths) {
    const { headers } = await web.request(path)
    pages.push([path, headers.get('content-security-policy') ?? ''])
  }
  const form = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const seen = new Set<string>()
  for (const target of await everyPath()) {
    for (const method of ['GET', 'POST']) {
      const { headers, status } = await fetch(server.url + target, {
        method,
        redirect: 'manual',
        headers: form,
        ...(method === 'POST' && { body: 'x=1' }),
      })
      if (!headers.get('content-type')?.startsWith('text/html')) continue
      pages.push([`${method} ${status} ${target}`, headers.get('content-security-policy') ?? ''])
      seen.add(`${status} ${target.split(/[/?.%]/)[1] ?? ''}`)
    }
  }
  expect(pages.filter(([, policy]) => weaknesses(policy).length > 0)).toEqual([])
  expect(pages.length).toBeGreaterThan(300)
  for (const kind of ['404 404', '200 demo', '200 report', '403 auth', '400 auth', '404 sandbox'])
    expect(seen).toContain(kind)
})

it('the check would notice a page that allows inline or foreign scripts (control)', () => {
  expect(weaknesses('')).not.toEqual([])
  expect(weaknesses("default-src 'self' 'unsafe-inline'")).not.toEqual([])
  expect(weaknesses("script-src *; object-src 'none'; base-uri 'none'")).not.toEqual([])
  expect(weaknesses("default-src 'none'; object-src 'none'; base-uri 'none'")).not.toEqual([])
  expect(weaknesses("script-src 'none'; base-uri 'none'")).toEqual(['object-src'])
})

it('the server names the captcha’s hosts only where one is set up', () => {
  expect(weaknesses(appPolicy(undefined))).toEqual([])
  expect(appPolicy(undefined)).not.toMatch(/https:\/\//)
  expect(weaknesses(appPolicy('turnstile'))).toEqual([
    'scripts from https://challenges.cloudflare.com',
  ])
  expect(appPolicy('hcaptcha')).not.toContain('cloudflare')
})
