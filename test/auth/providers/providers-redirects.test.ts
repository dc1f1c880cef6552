import { afterAll, beforeAll, expect, it } from 'vitest'
import { allowedRedirect } from '#server/auth/redirects.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeBrowser } from '../stand-ins/browser.ts'
import { type GitHub, startGitHub } from '../stand-ins/github.ts'
import { authSettings } from '../stand-ins/settings.ts'

const config = {
  publicUrl: 'https://go.example',
  auth: {
    redirectUrls: [
      'https://app.example/cb',
      'https://app.example/in/*',
      'https://deep.example/in/**',
      'http://127.0.0.1:5173/cb',
    ],
  },
}

const good = [
  'https://go.example',
  'https://go.example/',
  'https://go.example/auth?mode=sign-in',
  'https://go.example/oauth/consent?authorization_id=1',
  'https://app.example/cb',
  'https://app.example/cb?next=%2Fx&y=https://evil.example',
  'https://app.example/in/room-1',
  'https://deep.example/in/a/b/c',
  'http://127.0.0.1:5173/cb',
]

/** What people have tried to get a token sent elsewhere; each must end at the site itself. */
const tricks = [
  // Another host that looks like it.
  'https://evil.example',
  'https://evil.example/cb',
  'https://app.example.evil.example/cb',
  'https://evilapp.example/cb',
  'https://sub.app.example/cb',
  'https://app.example./cb',
  'https://go.example.evil.example/auth',
  'https://app。example/cb',
  'https://аpp.example/cb',
  // User information before the host.
  'https://app.example@evil.example/cb',
  'https://app.example:x@evil.example/cb',
  'https://evil.example@app.example/cb',
  'https://go.example%40evil.example/auth',
  'https://app.example%2f@evil.example/cb',
  // Slashes, backslashes, blanks and characters that parsers drop.
  '//evil.example/cb',
  '/\\evil.example',
  '\\\\evil.example',
  'https:\\\\app.example\\cb',
  'https://app.example\\@evil.example/cb',
  'https://evil.example\\.app.example/cb',
  'https:/app.example/cb',
  'https:app.example/cb',
  'https:///app.example/cb',
  ' https://app.example/cb',
  'https://app.example/cb ',
  'ht\ntps://app.example/cb',
  'https://app.exa\tmple/cb',
  'https://app.example/cb\r\nSet-Cookie: a=b',
  'https://app.example/cb%0d%0aSet-Cookie:%20a=b',
  'https://app.example/in/%00',
  // Another scheme or port.
  'http://app.example/cb',
  'ftp://app.example/cb',
  'https://app.example:444/cb',
  'https://app.example:443/cb',
  'http://127.0.0.1:5174/cb',
  'http://2130706433:5173/cb',
  'http://127.1:5173/cb',
  'javascript:alert(document.cookie)//https://app.example/cb',
  'data:text/html,<script>1</script>',
  'blob:https://app.example/cb',
  'hoplet://auth',
  // Another path.
  'https://app.example/',
  'https://app.example/CB',
  'https://app.example/cb/../evil',
  'https://app.example/cb/x',
  'https://app.example/in/a/b',
  'https://app.example/in/..%2fevil',
  'https://app.example/in/%2e%2e/evil',
  'https://deep.example/in/../evil',
  // Our own short links: browsers carry the fragment, with the tokens in it, to wherever one leads.
  'https://go.example/abc123',
  'https://go.example/AUTH',
  'https://go.example/auth/../abc123',
  'https://go.example/auth%2f..%2fabc123',
  'https://go.example/page/go/0b3f1c52-9d0e-4d5f-8a55-0a5f4f0d2f11',
  'https://go.example/auth/v1/logout',
  'https://go.example/media/x.svg',
  'null',
  '',
  'x'.repeat(3_000),
]

const leaves = (judge: typeof allowedRedirect) =>
  tricks.filter((trick) => judge(config, trick) !== config.publicUrl)

it('the server lets none of the redirect tricks leave the allow-list', () => {
  expect(leaves(allowedRedirect)).toEqual([])
  expect(tricks.length).toBeGreaterThanOrEqual(40)
  for (const url of good) expect(allowedRedirect(config, url)).toBe(new URL(url).href)
})

it('the check would notice the mistakes of commonly written checks (control)', () => {
  const { publicUrl, auth } = config
  const list = [publicUrl, ...auth.redirectUrls.map((url) => url.replace(/\*+$/, ''))]
  const byPrefix = (_: unknown, wanted?: string | null) =>
    wanted && list.some((url) => wanted.startsWith(url)) ? wanted : publicUrl
  const byHost = (_: unknown, wanted?: string | null) =>
    wanted && URL.canParse(wanted) && list.some((url) => new URL(url).host === new URL(wanted).host)
      ? wanted
      : publicUrl
  expect(leaves(byPrefix).length).toBeGreaterThan(8)
  expect(leaves(byHost).length).toBeGreaterThan(8)
})

let github: GitHub
let server: TestServer
beforeAll(async () => {
  github = await startGitHub()
  server = await startTestServer({
    auth: authSettings({
      AUTH_PROVIDER_GITHUB_CLIENT_ID: 'id',
      AUTH_PROVIDER_GITHUB_CLIENT_SECRET: 'secret',
      AUTH_PROVIDER_GITHUB_URL: github.url,
      AUTH_REDIRECT_URLS: config.auth.redirectUrls.join(', '),
    }),
  })
})
afterAll(async () => {
  await server.close()
  await github.close()
})

it('the server returns to the site itself from every trick, with the error in fragment and query', async () => {
  const browser = makeBrowser()
  const ends = []
  for (const trick of [...tricks, 'https://app.example/cb?keep=1#drop']) {
    const leave = await browser.open(
      `${server.url}/auth/v1/authorize?provider=github&redirect_to=${encodeURIComponent(trick)}`,
    )
    const state = new URL(leave.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const back = await browser.open(
      `${server.url}/auth/v1/callback?error=access_denied&error_description=<b>no&state=${state}`,
    )
    ends.push(new URL(back.headers.get('location') ?? ''))
  }
  const last = ends.pop()
  expect(new Set(ends.map(({ origin, pathname }) => `${origin}${pathname}`))).toEqual(
    new Set([`${server.url}/`]),
  )
  const facts = {
    error: 'access_denied',
    error_code: 'access_denied',
    error_description: 'The sign-in with GitHub was canceled.',
  }
  expect(`${last?.origin}${last?.pathname}`).toBe('https://app.example/cb')
  expect(Object.fromEntries(last?.searchParams ?? [])).toEqual({ keep: '1', ...facts })
  expect(Object.fromEntries(new URLSearchParams(last?.hash.slice(1)))).toEqual(facts)
})

it.each([
  '',
  'state=',
  'state=nonsense&code=x',
  'state=6a1f0c52-9d0e-4d5f-8a55-0a5f4f0d2f11&code=x',
])('the server answers a callback without a sign-in in progress (%s)', async (query) => {
  const response = await fetch(`${server.url}/auth/v1/callback?${query}`, { redirect: 'manual' })
  const end = new URL(response.headers.get('location') ?? '')
  expect([response.status, end.origin, end.pathname]).toEqual([302, server.url, '/auth'])
  expect(end.searchParams.get('error_code')).toBe('bad_oauth_state')
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
})

it('the server names the cookie so that only this host can set it, and scripts cannot read it', async () => {
  const at = `${server.url}/auth/v1/authorize?provider=github`
  const plain = (await fetch(at, { redirect: 'manual' })).headers.get('set-cookie') ?? ''
  expect(plain).toMatch(/^hoplet-flow=[\w-]{43}; Path=\/auth\/v1; .*HttpOnly; SameSite=Lax$/)
  const publicUrl = server.context.config.publicUrl
  server.context.config.publicUrl = 'https://go.example'
  const safe = (await fetch(at, { redirect: 'manual' })).headers.get('set-cookie') ?? ''
  server.context.config.publicUrl = publicUrl
  expect(safe).toMatch(/^__Host-hoplet-flow=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/)
})
