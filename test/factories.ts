import { randomBytes } from 'node:crypto'
import { hashSync } from 'bcryptjs'
import type { QueryResultRow } from 'pg'
import type { ApiInserts } from '#domain/database.generated.ts'
import type { Plan } from '#domain/plans.ts'
import { insertUser } from '#server/auth/users.ts'
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
  /** For tests of the traces of a sign-up. */
  signsUp?: boolean
}

type Server = Pick<TestServer, 'url' | 'anonKey' | 'sql'> & Partial<Pick<TestServer, 'isPlain'>>

/**
 * A person with an account and a session; plan and role are arranged in the database. On a plain server the account is
 * planted with a cheap hash of its password and then signs in, because an honest hash costs as much as all else that a
 * short test does; on others, and with `signsUp`, it comes by sign-up.
 */
export async function makeUser(server: Server, wanted: NewUser = {}): Promise<TestUser> {
  const email = wanted.email ?? `user-${randomBytes(6).toString('hex')}@example.com`
  const password = wanted.password ?? 'correct horse 42'
  const { data, signsUp = !server.isPlain } = wanted
  if (!signsUp) await plantAccount(server, { email, password, metadata: data ?? {} })
  const path = signsUp ? '/signup' : '/token?grant_type=password'
  const response = await fetch(`${server.url}/auth/v1${path}`, {
    method: 'POST',
    headers: { apikey: server.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, ...(signsUp && data && { data }) }),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
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

async function plantAccount(
  { sql }: Server,
  account: { email: string; password: string; metadata: Record<string, unknown> },
): Promise<void> {
  const { email, password, metadata } = account
  const id = await insertUser(
    {
      query: async <Row extends QueryResultRow>(text: string, values?: unknown[]) => ({
        rows: await sql<Row>(text, values),
        rowCount: null,
        command: '',
        oid: 0,
        fields: [],
      }),
    },
    { email, passwordHash: hashSync(password, 4), confirmed: true, metadata },
  )
  if (id === undefined) throw new Error(`${email} has an account already`)
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
  wanted: Partial<ApiInserts['shortened_urls']> = {},
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
