import { randomBytes } from 'node:crypto'
import { AuthClient } from '@supabase/auth-js'
import type { PasswordHasher } from '#server/auth/password-hasher.ts'
import type { TestServer } from '#test/server.ts'

export type Body = Record<string, unknown> & { user?: Record<string, unknown> }

export interface Answer {
  status: number
  headers: Headers
  /** The JSON body; empty when the answer has none. */
  body: Body
}

interface Wanted {
  method?: string
  body?: unknown
  token?: string
  headers?: Record<string, string>
  /** The client's address, for servers that trust one proxy. */
  from?: string
}

/** A request to the auth door as official clients make it, without their code: wrong ones can be sent too. */
export async function request(
  server: Pick<TestServer, 'url' | 'anonKey'>,
  path: string,
  wanted: Wanted = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/auth/v1${path}`, {
    method: wanted.method ?? (wanted.body === undefined ? 'GET' : 'POST'),
    headers: {
      apikey: server.anonKey,
      'x-supabase-api-version': '2024-01-01',
      ...(wanted.body !== undefined && { 'content-type': 'application/json;charset=UTF-8' }),
      ...(wanted.token !== undefined && { authorization: `Bearer ${wanted.token}` }),
      ...(wanted.from !== undefined && { 'x-forwarded-for': wanted.from }),
      ...wanted.headers,
    },
    ...(wanted.body !== undefined && {
      body: typeof wanted.body === 'string' ? wanted.body : JSON.stringify(wanted.body),
    }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} }
}

export function signIn(
  server: Pick<TestServer, 'url' | 'anonKey'>,
  email: string,
  password: string,
  from?: string,
): Promise<Answer> {
  return request(server, '/token?grant_type=password', {
    body: { email, password },
    ...(from !== undefined && { from }),
  })
}

export function refresh(
  server: Pick<TestServer, 'url' | 'anonKey'>,
  token: unknown,
  from?: string,
): Promise<Answer> {
  return request(server, '/token?grant_type=refresh_token', {
    body: { refresh_token: token },
    ...(from !== undefined && { from }),
  })
}

export type OfficialClient = InstanceType<typeof AuthClient>

/** The official client, with separate memory; `fetch` lets it share the cookies of a test's browser. */
export function officialClient(
  server: Pick<TestServer, 'url' | 'anonKey'>,
  more: { flowType?: 'pkce' | 'implicit'; fetch?: typeof fetch } = {},
): OfficialClient {
  const memory = new Map<string, string>()
  return new AuthClient({
    url: `${server.url}/auth/v1`,
    headers: { apikey: server.anonKey },
    storageKey: randomBytes(6).toString('hex'),
    autoRefreshToken: false,
    persistSession: true,
    ...more,
    storage: {
      getItem: (key) => memory.get(key) ?? null,
      setItem: (key, value) => void memory.set(key, value),
      removeItem: (key) => void memory.delete(key),
    },
  })
}

/** The official client's admin calls, with the service key. */
export function officialAdmin({
  url,
  serviceRoleKey: key,
}: Pick<TestServer, 'url' | 'serviceRoleKey'>): OfficialClient['admin'] {
  return new AuthClient({
    url: `${url}/auth/v1`,
    headers: { apikey: key, Authorization: `Bearer ${key}` },
    persistSession: false,
    autoRefreshToken: false,
  }).admin
}

/** Compares in no time and counts, for tests of requests that get as far as the hash. */
export function countingHasher(): PasswordHasher & { verified: number } {
  return {
    verified: 0,
    hash: async (password) => `plain ${password}`,
    async verify(password, hash) {
      this.verified++
      return hash === `plain ${password}`
    },
    reserve: () => () => {},
    pending: () => 0,
    close: async () => {},
  }
}

export function newEmail(): string {
  return `person-${randomBytes(6).toString('hex')}@example.com`
}
