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
  const [facts, admins] = await Promise.all([
    fetch(`${server.url}/rest/v1/rpc/session_facts`, { method: 'POST', headers, body: '{}' }),
    fetch(`${server.url}/rest/v1/rpc/admin_blocks`, { method: 'POST', headers, body: '{}' }),
  ])
  expect(facts.status).toBe(200)
  const { role } = (await facts.json()) as { role: string }
  expect(admins.status).toBe(role === 'admin' ? 200 : 403)
  return role === 'admin'
}

/** An admin by hand, so that no other one is the last. */
export async function makeKeptAdmin(server: TestServer): Promise<void> {
  const { id } = await makeUser(server)
  await server.sql(
    `insert into app.user_roles (user_id, role) values ($1, 'admin') on conflict (user_id) do update set role = 'admin'`,
    [id],
  )
}
