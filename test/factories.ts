import { randomBytes } from 'node:crypto'
import type { Plan } from '#domain/plans.ts'
import type { TestServer } from './server.ts'

export interface TestUser {
  id: string
  email: string
  password: string
  accessToken: string
  refreshToken: string
  /** The session as the official client keeps it. */
  session: Session
  /** `apikey` and `Authorization`, as the official clients send them. */
  headers: Record<string, string>
}

interface Session {
  access_token: string
  refresh_token: string
  user: { id: string }
}

interface NewUser {
  email?: string
  password?: string
  plan?: Plan
  role?: 'user' | 'admin'
  data?: Record<string, unknown>
}

type Server = Pick<TestServer, 'url' | 'anonKey' | 'sql'>

/** Signs somebody up over HTTP; plan and role are arranged in the database. */
export async function makeUser(server: Server, wanted: NewUser = {}): Promise<TestUser> {
  const email = wanted.email ?? `user-${randomBytes(6).toString('hex')}@example.com`
  const password = wanted.password ?? 'correct horse 42'
  const response = await fetch(`${server.url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: server.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, ...(wanted.data && { data: wanted.data }) }),
  })
  if (!response.ok) throw new Error(`sign-up answered ${response.status}: ${await response.text()}`)
  const session = (await response.json()) as Session
  if (wanted.plan) {
    await server.sql('update app.user_plans set plan_type = $2 where user_id = $1', [
      session.user.id,
      wanted.plan,
    ])
  }
  if (wanted.role) {
    await server.sql('update app.user_roles set role = $2 where user_id = $1', [
      session.user.id,
      wanted.role,
    ])
  }
  return {
    id: session.user.id,
    email,
    password,
    accessToken: session.access_token,
    refreshToken: session.refresh_token,
    session,
    headers: { apikey: server.anonKey, authorization: `Bearer ${session.access_token}` },
  }
}

export interface TestLink {
  id: string
  short_code: string
  original_url: string
}

/** Makes a link over the table door, with a random code unless one is given. */
export async function makeLink(
  server: Server,
  owner: TestUser,
  wanted: { short_code?: string; original_url?: string } = {},
): Promise<TestLink> {
  const response = await fetch(
    `${server.url}/rest/v1/shortened_urls?select=id,short_code,original_url`,
    {
      method: 'POST',
      headers: {
        ...owner.headers,
        'content-type': 'application/json',
        prefer: 'return=representation',
        accept: 'application/vnd.pgrst.object+json',
      },
      body: JSON.stringify({ original_url: 'https://example.com/', ...wanted, user_id: owner.id }),
    },
  )
  if (!response.ok)
    throw new Error(`creating a link answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as TestLink
}
