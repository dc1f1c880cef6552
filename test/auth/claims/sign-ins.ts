import { expect } from 'vitest'
import { makeUser } from '#test/factories.ts'
import type { TestServer } from '#test/server.ts'
import { officialClient } from '../requests.ts'
import { makeBrowser } from '../stand-ins/browser.ts'
import type { Google } from '../stand-ins/google.ts'
import type { Issuer } from '../stand-ins/issuer.ts'

export interface Entered {
  id: string
  token: string
  refreshToken: string
}

/** Signs the person of the moment in at `google`, with the official client. */
export async function enterAtGoogle(
  server: TestServer,
  _google: Google,
  app: string,
): Promise<Entered> {
  const browser = makeBrowser()
  const client = officialClient(server, { flowType: 'pkce' })
  const { data } = await client.signInWithOAuth({
    provider: 'google',
    options: { redirectTo: app, skipBrowserRedirect: true },
  })
  const back = await browser.travel(data.url ?? '', (url) => url.href.startsWith(app))
  const exchanged = await client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
  expect(exchanged.error).toBeNull()
  return {
    id: exchanged.data.user?.id ?? '',
    token: exchanged.data.session?.access_token ?? '',
    refreshToken: exchanged.data.session?.refresh_token ?? '',
  }
}

/** Signs the person of the moment in at an issuer that may lie. */
export async function enterAtIssuer(
  server: TestServer,
  issuer: Issuer,
  app: string,
): Promise<Entered> {
  const browser = makeBrowser()
  const leave = await browser.open(
    `${server.url}/auth/v1/authorize?provider=acme&redirect_to=${app}`,
  )
  const away = new URL(leave.headers.get('location') ?? '')
  issuer.nonce = away.searchParams.get('nonce') ?? ''
  const state = away.searchParams.get('state') ?? ''
  const back = await browser.open(`${server.url}/auth/v1/callback?code=c&state=${state}`)
  const fragment = new URLSearchParams(new URL(back.headers.get('location') ?? '').hash.slice(1))
  const token = fragment.get('access_token') ?? ''
  const refreshToken = fragment.get('refresh_token') ?? ''
  expect(token).not.toBe('')
  const { sub } = JSON.parse(atob(token.split('.')[1] ?? '')) as { sub: string }
  return { id: sub, token, refreshToken }
}

/** Whether the doors take the session for an admin's. */
export async function isAdmin(server: TestServer, token: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const post = (path: string) =>
    fetch(`${server.url}${path}`, { method: 'POST', headers, body: '{}' })
  const image = `${server.url}/media/${'a'.repeat(64)}.webp`
  const [facts, blocks, status, takeDown, tables, functions] = await Promise.all([
    post('/rest/v1/rpc/session_facts'),
    post('/rest/v1/rpc/admin_blocks'),
    post('/functions/v1/system-status'),
    fetch(image, { method: 'DELETE', headers }),
    fetch(`${server.url}/rest/v1/`, { headers }),
    fetch(`${server.url}/functions/v1/openapi.json`, { headers }),
  ])
  expect(facts.status).toBe(200)
  const { role } = (await facts.json()) as { role: string }
  const isOne = role === 'admin'
  // Each door that asks for the role gives the same answer.
  expect([blocks.status, status.status]).toEqual(isOne ? [200, 200] : [403, 403])
  expect(takeDown.status === 403).toBe(!isOne)
  expect((await tables.text()).includes('/rpc/admin_blocks')).toBe(isOne)
  expect((await functions.text()).includes('/system-status')).toBe(isOne)
  return isOne
}

/** An admin by hand, so that no other one is the last. */
export async function makeKeptAdmin(server: TestServer): Promise<void> {
  const { id } = await makeUser(server)
  await server.sql(
    `insert into app.user_roles (user_id, role) values ($1, 'admin') on conflict (user_id) do update set role = 'admin'`,
    [id],
  )
}
