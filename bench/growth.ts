import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reportReasons } from '#domain/report-form.ts'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { browser } from '#test/visits/visit.ts'
import { startBenchDatabase } from './shared/database.ts'
import { signUp } from './shared/people.ts'

// How many bytes a minute one free account, and one address without an account, can add to each table, with limits on
// (docs/data-growth.md). Each flood runs for BENCH_SECONDS (60) from 127.0.0.1 against a server with a separate database; the first minute has
// the bursts, so it is the worst one. Sizes include indexes and dead rows.

const seconds = Number(process.env['BENCH_SECONDS'] ?? 60)
const only = process.env['BENCH_FLOOD']
const folder = await mkdtemp(join(tmpdir(), 'hoplet-growth-'))
const postgres = await startBenchDatabase(folder)
const dataDir = join(folder, 'server')
const config = createConfig(
  parseVariables({
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    WEBHOOK_PRIVATE_ADDRESSES: 'on',
  }),
)
const server = await startHoplet(config, createLog('fatal'))

type Flood = (n: number) => Promise<Response>
/** Text that cannot be compressed. */
const long = (n: number, length: number) =>
  `${n}-${randomBytes(length).toString('base64url')}`.slice(0, length)
const json = { 'content-type': 'application/json' }
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  })

async function idOf(answer: Promise<Response>): Promise<Record<string, string>> {
  const response = await answer
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`)
  const body = (await response.json()) as Record<string, string> | Record<string, string>[]
  return (Array.isArray(body) ? body[0] : body) ?? {}
}

async function prepare(): Promise<[string, string, Flood][]> {
  const { id, headers } = await signUp(server.url)
  const returning = { ...headers, prefer: 'return=representation' }
  const link = await idOf(
    post(
      '/rest/v1/shortened_urls',
      { user_id: id, original_url: 'https://example.com/' },
      returning,
    ),
  )
  const popup = await idOf(post('/rest/v1/popups', { user_id: id, title: 'Offer' }, returning))
  const shown = await idOf(
    post(
      '/rest/v1/shortened_urls',
      {
        user_id: id,
        original_url: 'https://example.com/2',
        show_popup: true,
        popup_id: popup['id'],
      },
      returning,
    ),
  )
  // Nothing listens there, so that every event waits.
  for (let n = 0; n < 10; n++)
    await idOf(
      post(
        '/functions/v1/webhooks',
        { url: 'http://127.0.0.1:9/', events: ['link.created', 'link.updated', 'link.deleted'] },
        headers,
      ),
    )
  const key = await idOf(
    post(
      '/auth/v1/user/api-keys',
      {
        name: 'Flood',
        scopes: ['links:write', 'links:read', 'popups:write', 'popups:read'],
        expires_in_days: 1,
      },
      headers,
    ),
  )
  const program = { authorization: `Bearer ${key['key']}`, prefer: 'return=representation' }
  const client = await idOf(
    post('/auth/v1/oauth/clients/register', {
      client_name: 'Flood',
      redirect_uris: ['https://app.example/callback'],
      token_endpoint_auth_method: 'none',
    }),
  )
  const change = (n: number, how: Record<string, string>, more: Record<string, string> = {}) =>
    fetch(`${server.url}/rest/v1/shortened_urls?id=eq.${link['id']}`, {
      method: 'PATCH',
      headers: { ...json, ...how, ...more },
      body: JSON.stringify({ original_url: `https://example.com/${long(n, 2_000)}` }),
    })
  const authorize = (n: number) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client['client_id'] ?? '',
      redirect_uri: 'https://app.example/callback',
      scope: 'openid links:read',
      state: long(n, 512),
      nonce: long(n, 512),
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    return fetch(`${server.url}/auth/v1/oauth/authorize?${query}`, { redirect: 'manual' })
  }
  const account = 'an account'
  const address = 'an address'
  return [
    [account, 'changes a link, with ten webhooks', (n) => change(n, headers)],
    [
      account,
      'changes a link with an API key and Idempotency-Key',
      (n) => change(n, program, { 'idempotency-key': long(n, 255) }),
    ],
    [
      account,
      'makes links and popups in one request each, with Idempotency-Key',
      (n) =>
        post(
          '/rest/v1/popups',
          Array.from({ length: 20 }, () => ({
            user_id: id,
            title: long(n, 200),
            description: long(n, 500),
            cta_url: `https://example.com/${long(n, 1_900)}`,
          })),
          { ...returning, 'idempotency-key': long(n, 250) },
        ),
    ],
    [
      account,
      'makes and revokes API keys',
      async (n) => {
        const made = await post(
          '/auth/v1/user/api-keys',
          { name: long(n, 100), scopes: ['links:read'], expires_in_days: 1 },
          headers,
        )
        const { id: keyId } = (await made.clone().json()) as { id?: string }
        if (keyId !== undefined)
          await fetch(`${server.url}/auth/v1/user/api-keys/${keyId}`, { method: 'DELETE', headers })
        return made
      },
    ],
    [
      account,
      'begins second factors',
      (n) => post('/auth/v1/factors', { factor_type: 'totp', friendly_name: long(n, 60) }, headers),
    ],
    [
      address,
      'signs up',
      (n) =>
        post('/auth/v1/signup', {
          email: `${n}-${randomBytes(25).toString('hex')}@example.com`,
          password: 'correct horse 42',
          data: { display_name: long(n, 90) },
        }),
    ],
    [
      address,
      'tries to sign in',
      (n) =>
        post('/auth/v1/token?grant_type=password', {
          email: `${n}-${randomBytes(25).toString('hex')}@example.com`,
          password: 'wrong horse 42',
        }),
    ],
    [
      address,
      'asks for mails',
      (n) =>
        post('/auth/v1/otp', {
          email: `${n}-${randomBytes(25).toString('hex')}@example.com`,
          create_user: true,
        }),
    ],
    [address, 'starts requests of an app', authorize],
    [
      address,
      'registers apps',
      (n) =>
        post('/auth/v1/oauth/clients/register', {
          client_name: long(n, 190),
          redirect_uris: Array.from(
            { length: 10 },
            (_, at) => `https://app.example/${at}/${long(n, 2_000)}`,
          ),
          token_endpoint_auth_method: 'none',
        }),
    ],
    [
      address,
      'reports a link',
      (n) =>
        fetch(`${server.url}/report`, {
          method: 'POST',
          redirect: 'manual',
          headers: { origin: server.url },
          body: new URLSearchParams({
            name: link['short_code'] ?? '',
            reason: reportReasons[0].value,
            details: long(n, 900),
            email: '',
          }),
        }),
    ],
    [
      address,
      'visits a link, each time as another browser from another page',
      (n) =>
        fetch(
          `${server.url}/${link['short_code']}?utm_source=${long(n, 90)}&utm_campaign=${long(n, 90)}`,
          {
            redirect: 'manual',
            headers: {
              'user-agent': `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0.${n}.0 Safari/537.36`,
              referer: `https://example.com/${long(n, 400)}`,
              'accept-language': 'en',
            },
          },
        ),
    ],
    [
      address,
      'tells of a popup',
      () =>
        fetch(`${server.url}/${shown['short_code']}/popup/shown`, {
          method: 'POST',
          headers: {
            origin: server.url,
            'sec-fetch-site': 'same-origin',
            'user-agent': browser,
          },
        }),
    ],
  ]
}

/** By table; the partitions of a table together. */
async function sizes(): Promise<Map<string, number>> {
  const rows = await postgres.sql<{ name: string; bytes: string }>(
    `select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name, sum(pg_total_relation_size(c.oid)) as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('app', 'auth') and c.relkind in ('r', 'p') group by 1`,
  )
  const journal = await bytesIn(dataDir)
  return new Map([
    ...rows.map(({ name, bytes }) => [name, Number(bytes)] as const),
    ['files of the server', journal],
  ])
}

async function bytesIn(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true }).catch(() => [])
  const found = await Promise.all(
    names.map((name) => stat(join(path, name)).catch(() => undefined)),
  )
  return found.reduce((sum, each) => sum + (each?.isFile() === true ? each.size : 0), 0)
}

async function run(flood: Flood): Promise<{ answers: Map<number, number>; sent: number }> {
  const answers = new Map<number, number>()
  const end = performance.now() + seconds * 1_000
  let sent = 0
  const worker = async () => {
    while (performance.now() < end) {
      const { status, body } = await flood(++sent)
      await body?.cancel()
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  return { answers, sent }
}

try {
  for (const [who, name, flood] of await prepare()) {
    if (only !== undefined && !name.includes(only)) continue
    const before = await sizes()
    const { answers } = await run(flood)
    const counts = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ')
    process.stdout.write(`\n${who} ${name}: ${counts} in ${seconds} s\n`)
    const grown = [...(await sizes())]
      .map(([table, bytes]) => [table, bytes - (before.get(table) ?? 0)] as const)
      .filter(([, bytes]) => bytes >= 8_192)
      .toSorted(([, a], [, b]) => b - a)
    for (const [table, bytes] of grown)
      process.stdout.write(
        `  ${table}: ${(((bytes / seconds) * 60) / 1e6).toFixed(2)} MB a minute\n`,
      )
  }
} finally {
  await server.stop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
