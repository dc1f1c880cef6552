import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newEmail, officialClient, request } from '../requests.ts'
import { makeBrowser } from '../stand-ins/browser.ts'
import { type GitHub, startGitHub } from '../stand-ins/github.ts'
import { authSettings } from '../stand-ins/settings.ts'

const app = 'https://app.example/signed-in'
let github: GitHub
let server: TestServer
beforeAll(async () => {
  github = await startGitHub()
  server = await startTestServer({
    auth: authSettings({
      AUTH_PROVIDER_GITHUB_CLIENT_ID: 'hoplet-at-github',
      AUTH_PROVIDER_GITHUB_CLIENT_SECRET: 'github-secret',
      AUTH_PROVIDER_GITHUB_URL: github.url,
      AUTH_REDIRECT_URLS: app,
    }),
  })
})
afterAll(async () => {
  await server.close()
  await github.close()
})
let serial = 1_000
beforeEach(() => {
  github.trouble = 'none'
  github.user = { id: ++serial, login: 'octo', name: null, avatar_url: 'https://avatars.test/1' }
  github.emails = [
    { email: newEmail(), primary: false, verified: true },
    { email: newEmail(), primary: true, verified: true },
  ]
})

async function enter() {
  const client = officialClient(server, { flowType: 'pkce' })
  const { data } = await client.signInWithOAuth({
    provider: 'github',
    options: { redirectTo: app, skipBrowserRedirect: true },
  })
  const back = await makeBrowser().travel(data.url ?? '', (url) => url.href.startsWith(app))
  const code = back.searchParams.get('code')
  return { back, session: code === null ? undefined : await client.exchangeCodeForSession(code) }
}

it('the server signs in with GitHub: the number is the person, the verified primary address is theirs', async () => {
  const { session } = await enter()
  expect(session?.data.user).toMatchObject({
    email: github.emails[1]?.email,
    app_metadata: { provider: 'github' },
    user_metadata: { full_name: 'octo', user_name: 'octo', avatar_url: 'https://avatars.test/1' },
  })
  const exchange = Object.fromEntries(github.exchanges.at(-1) ?? [])
  expect(exchange).toMatchObject({
    client_id: 'hoplet-at-github',
    client_secret: 'github-secret',
    redirect_uri: `${server.url}/auth/v1/callback`,
  })
  expect(exchange['code_verifier']).toMatch(/^[\w-]{43}$/)
  // The same login name with another id is another person.
  const first = session?.data.user?.id
  github.user = { ...github.user, id: ++serial }
  github.emails = [{ email: newEmail(), primary: true, verified: true }]
  expect((await enter()).session?.data.user?.id).not.toBe(first)
})

it('the server stores no address that GitHub does not vouch for', async () => {
  github.emails = [{ email: newEmail(), primary: true, verified: false }]
  expect((await enter()).session?.data.user?.email).toBe('')
})

it.each([
  ['bad code', 'server_error', 'The answer of GitHub could not be verified. Please try again.'],
  [
    'api down',
    'temporarily_unavailable',
    'GitHub does not answer right now. Please try again later.',
  ],
] as const)('the server names the fault at GitHub: %s', async (trouble, error, words) => {
  github.trouble = trouble
  const { back } = await enter()
  expect([back.searchParams.get('error'), back.searchParams.get('error_description')]).toEqual([
    error,
    words,
  ])
})

it('the server has no id_tokens', async () => {
  const answer = await request(server, '/token?grant_type=id_token', {
    body: { provider: 'github', id_token: 'x' },
  })
  expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_request'])
})
