import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { appRoutePaths } from '#domain/routes.ts'
import { appPolicy } from '#server/http/security-headers.ts'
import { createWebApp } from '#server/pages/web-app.ts'
import { makeUser } from '#test/factories.ts'
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

/** What a policy says about a kind of source; what it does not name falls back to default-src. */
function sources(policy: string, directive: string): string[] {
  const rules = new Map(
    policy.split(';').map((rule) => {
      const [name = '', ...values] = rule.trim().split(/\s+/)
      return [name, values] as const
    }),
  )
  return rules.get(directive) ?? (directive.endsWith('-src') ? rules.get('default-src') : []) ?? []
}

function weaknesses(policy: string): string[] {
  const scripts = sources(policy, 'script-src').filter(
    (source) => !/^('self'|'none'|'(sha256|nonce)-[^']+')$/.test(source),
  )
  return [
    ...(policy === '' ? ['no policy'] : []),
    ...scripts.map((source) => `scripts from ${source}`),
    ...(sources(policy, 'object-src').join() === `'none'` ? [] : ['objects']),
    ...(sources(policy, 'base-uri').join() === `'none'` ? [] : ['base']),
  ]
}

it('sends every page with a policy that runs no foreign and no inline script (AU15: 100 %)', async () => {
  const user = await makeUser(server)
  await fetch(`${server.url}/rest/v1/bio_pages`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: user.id, slug: 'ada', title: 'Ada' }),
  })
  const web = createWebApp(server.context, folder)
  const answers = [
    ...(await Promise.all(appRoutePaths.map(async (path) => web.request(path)))),
    ...(await Promise.all(
      [
        '/404',
        '/demo',
        '/ada',
        '/no-such-code',
        '/report',
        '/auth/v1/verify?type=recovery&token=x',
        '/auth/v1/oauth/authorize',
      ].map((path) => fetch(server.url + path, { headers: { accept: 'text/html' } })),
    )),
  ]
  const pages = answers.filter(({ headers }) =>
    headers.get('content-type')?.startsWith('text/html'),
  )
  expect(pages.length).toBeGreaterThanOrEqual(appRoutePaths.length + 5)
  for (const { url, headers } of pages) {
    expect([url, weaknesses(headers.get('content-security-policy') ?? '')]).toEqual([url, []])
  }
})

it('would notice a page that runs anything', () => {
  expect(weaknesses('')).not.toEqual([])
  expect(weaknesses("default-src 'self' 'unsafe-inline'")).not.toEqual([])
  expect(weaknesses("script-src *; object-src 'none'")).not.toEqual([])
})

it('names the captcha’s hosts only where one is set up', () => {
  expect(weaknesses(appPolicy(undefined))).toEqual([])
  expect(appPolicy(undefined)).not.toMatch(/https:\/\//)
  expect(weaknesses(appPolicy('turnstile'))).toEqual([
    'scripts from https://challenges.cloudflare.com',
  ])
  expect(appPolicy('hcaptcha')).not.toContain('cloudflare')
})
