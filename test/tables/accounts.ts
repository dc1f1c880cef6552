import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Plan } from '#domain/plans.ts'
import type { TestServer } from '#test/server.ts'

/** A person with a live session, arranged in the database: signing up over HTTP would spend its time on password hashes. */
export interface Account {
  id: string
  claims: Record<string, unknown>
  headers: Record<string, string>
}

/** Makes `count` accounts with sessions. They are real rows and real tokens; only the password is missing. */
export async function makeAccounts(
  server: TestServer,
  count: number,
  wanted: { plan?: Plan; role?: 'user' | 'admin' } = {},
): Promise<Account[]> {
  const ids = Array.from({ length: count }, () => ({ id: randomUUID(), session: randomUUID() }))
  await server.sql(
    `insert into auth.users (id, email) select id::uuid, id || '@example.com' from unnest($1::text[]) as id`,
    [ids.map((one) => one.id)],
  )
  await server.sql(
    `insert into auth.sessions (id, user_id, refresh_key) select s, u, $3 from unnest($1::uuid[], $2::uuid[]) as t (s, u)`,
    [ids.map((one) => one.session), ids.map((one) => one.id), randomBytes(32)],
  )
  const all = [ids.map((one) => one.id)]
  if (wanted.plan) {
    await server.sql('update app.user_plans set plan_type = $2 where user_id = any ($1)', [
      ...all,
      wanted.plan,
    ])
  }
  if (wanted.role) {
    await server.sql('update app.user_roles set role = $2 where user_id = any ($1)', [
      ...all,
      wanted.role,
    ])
  }
  return Promise.all(
    ids.map(async ({ id, session }) => {
      const claims = { sub: id, role: 'authenticated', aud: 'authenticated', session_id: session }
      const token = await server.context.tokens.sign(claims, 3_600)
      return { id, claims, headers: { apikey: server.anonKey, authorization: `Bearer ${token}` } }
    }),
  )
}

export async function makeAccount(
  server: TestServer,
  wanted: { plan?: Plan; role?: 'user' | 'admin' } = {},
): Promise<Account> {
  const [account] = await makeAccounts(server, 1, wanted)
  if (!account) throw new Error('no account was made')
  return account
}

interface Sent {
  status: number
  body: unknown
  headers: Headers
}

/** One request to the table door. */
export async function send(
  server: TestServer,
  who: { headers: Record<string, string> } | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Sent> {
  const response = await fetch(`${server.url}/rest/v1/${path}`, {
    method,
    headers: {
      apikey: server.anonKey,
      ...who?.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return {
    status: response.status,
    body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
    headers: response.headers,
  }
}

/** The same until there is an answer: 503 from a slow machine says nothing about rights. */
export async function sendPatiently(...request: Parameters<typeof send>): Promise<Sent> {
  for (;;) {
    const sent = await send(...request)
    if (sent.status !== 503) return sent
    await sleep(1_000)
  }
}
