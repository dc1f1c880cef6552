import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt, importJWK, SignJWT } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import type { Keys } from '#server/tokens/keys.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { refresh, request } from './requests.ts'

let server: TestServer
let user: TestUser
let other: TestUser
beforeAll(async () => {
  server = await sharedServer()
  user = await makeUser(server)
  other = await makeUser(server)
})
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token by hand, so that the header can say anything. */
function forge(
  header: Record<string, unknown>,
  payload: unknown,
  signer: (input: string) => string,
): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${signer(input)}`
}

async function ownSigningKey(): Promise<CryptoKey | Uint8Array> {
  const text = await readFile(join(server.context.config.dataDir, 'keys.json'), 'utf8')
  const keys = JSON.parse(text) as Keys
  return importJWK(keys.signingKey, 'ES256')
}

async function badTokens(): Promise<Record<string, string>> {
  const [head = '', body = '', signature = ''] = user.accessToken.split('.')
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, unknown>
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
  const theirs = JSON.parse(
    Buffer.from(other.accessToken.split('.')[1] ?? '', 'base64url').toString(),
  ) as Record<string, unknown>
  const jwk = server.context.tokens.jwks.keys[0]
  if (!jwk) throw new Error('the server has no key')
  const pem = createPublicKey({ key: { ...jwk }, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const strangerJwk = stranger.publicKey.export({ format: 'jwk' })
  const es256 = (input: string) =>
    sign('sha256', Buffer.from(input), {
      key: stranger.privateKey,
      dsaEncoding: 'ieee-p1363',
    }).toString('base64url')
  const hs256 = (secret: string | Buffer) => (input: string) =>
    createHmac('sha256', secret).update(input).digest('base64url')
  const now = Math.floor(Date.now() / 1000)
  const ownKey = await ownSigningKey()
  /** With the server's own key and any header and times. */
  const signed = (more: Record<string, unknown>, payload: Record<string, unknown>) =>
    new SignJWT(payload).setProtectedHeader({ ...header, alg: 'ES256', ...more }).sign(ownKey)
  const issue: TestServer['context']['tokens']['sign'] = (...args) =>
    server.context.tokens.sign(...args)

  return {
    'alg none, no signature': forge({ alg: 'none', typ: 'JWT' }, claims, () => ''),
    'alg None, old signature': forge({ ...header, alg: 'None' }, claims, () => signature),
    'HS256 with the public key as PEM': forge(
      { ...header, alg: 'HS256' },
      claims,
      hs256(String(pem)),
    ),
    'HS256 with the public key as JWK': forge(
      { ...header, alg: 'HS256' },
      claims,
      hs256(JSON.stringify(jwk)),
    ),
    'HS256 with an empty secret': forge(
      { ...header, alg: 'HS256' },
      claims,
      hs256(Buffer.alloc(0)),
    ),
    'RS256 of a stranger': forge({ ...header, alg: 'RS256' }, claims, (input) =>
      sign('sha256', Buffer.from(input), rsa.privateKey).toString('base64url'),
    ),
    'ES256 of a stranger': forge(header, claims, es256),
    'its own key in the header': forge({ ...header, jwk: strangerJwk }, claims, es256),
    'a key to fetch': forge({ ...header, jku: 'http://127.0.0.1:9/jwks.json' }, claims, es256),
    'a certificate to fetch': forge({ ...header, x5u: 'http://127.0.0.1:9/x.pem' }, claims, es256),
    'a kid that is a path': forge({ ...header, kid: '../../../../dev/null' }, claims, es256),
    'a kid that is SQL': forge({ ...header, kid: `' or 1=1 --` }, claims, hs256('')),
    'an unknown critical header': forge({ ...header, crit: ['b64'], b64: false }, claims, es256),
    'another payload': `${head}.${encode({ ...claims, sub: other.id })}.${signature}`,
    'another header': `${encode({ ...header, kid: 'x', typ: 'at+jwt' })}.${body}.${signature}`,
    'no signature': `${head}.${body}.`,
    'two parts': `${head}.${body}`,
    'four parts': `${user.accessToken}.${signature}`,
    'half a signature': `${head}.${body}.${signature.slice(0, 40)}`,
    'a zero signature': `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
    'expired by 5 minutes': await issue(claims, -300),
    'not valid for another 5 minutes': await issue({ ...claims, nbf: now + 300 }, 3600),
    'made in 5 minutes': await signed({}, { ...claims, iat: now + 300, exp: now + 3_600 }),
    'another key id': await signed({ kid: 'another' }, claims),
    'an empty key id': await signed({ kid: '' }, claims),
    'another issuer': await issue({ ...claims, iss: 'https://other.example/auth/v1' }, 3600),
    'the issuer of an older address': await issue(
      { ...claims, iss: 'http://127.0.0.1:1/auth/v1' },
      3600,
    ),
    'the issuer of the API keys': await issue({ ...claims, iss: 'hoplet' }, 3600),
    'no issuer': await issue({ ...claims, iss: undefined }, 3600),
    'the service role from our address': await issue({ role: 'service_role' }, 3600),
    'the service role of no issuer': await issue({ role: 'service_role', iss: undefined }, 3600),
    'another audience': await issue({ ...claims, aud: 'elsewhere' }, 3600),
    'a role of the database': await issue({ ...claims, role: 'hoplet_owner' }, 3600),
    'the role postgres': await issue({ ...claims, role: 'postgres' }, 3600),
    'no role': await issue({ ...claims, role: undefined }, 3600),
    'no subject': await issue({ ...claims, sub: undefined }, 3600),
    'a subject that is SQL': await issue({ ...claims, sub: `' or true --` }, 3600),
    'no session': await issue({ ...claims, session_id: undefined }, 3600),
    'a session that is not there': await issue({ ...claims, session_id: randomUUID() }, 3600),
    'another account’s session': await issue({ ...claims, session_id: theirs['session_id'] }, 3600),
    'a list of audiences': await issue(
      { ...claims, aud: ['authenticated', 'x'], role: 'admin' },
      3600,
    ),
    'a token of 13 kB': await issue({ ...claims, padding: 'x'.repeat(9_500) }, 3600),
    'no token at all': 'x',
    'the refresh token': user.refreshToken,
  }
}

/** Each is a call that succeeds for a good token; @returns the doors' answers' statuses */
async function knock(token: string): Promise<number[]> {
  const authorization = `Bearer ${token}`
  const table = (headers: Record<string, string>) =>
    fetch(`${server.url}/rest/v1/user_plans?select=plan_type`, { headers })
  return [
    (await request(server, '/user', { token })).status,
    (await request(server, '/user', { method: 'PUT', token, body: { data: { a: 1 } } })).status,
    (await request(server, '/logout?scope=others', { method: 'POST', token })).status,
    (await table({ authorization, apikey: server.anonKey })).status,
    (await table({ apikey: token })).status,
  ]
}

it('the server accepts none of 44 bad tokens at any door', async () => {
  const accepted: string[] = []
  for (const [what, token] of Object.entries(await badTokens())) {
    const statuses = await knock(token)
    if (statuses.some((status) => status < 400)) accepted.push(`${what}: ${statuses.join()}`)
    expect(statuses.filter((status) => status >= 500)).toEqual([])
  }
  expect(accepted).toEqual([])
})

it('the check would accept most of them without checks of signature and claims (control)', async () => {
  const bad = Object.values(await badTokens())
  const checking = server.context.tokens
  server.context.tokens = {
    ...checking,
    verify: async (token) => {
      const claims = decodeJwt(token)
      return { role: 'authenticated', claims: { ...claims, sub: String(claims.sub) } }
    },
  }
  try {
    let accepted = 0
    for (const token of bad) {
      const answer = await request(server, '/user', { token }).catch(() => undefined)
      if (answer?.status === 200) accepted++
    }
    expect(accepted).toBeGreaterThan(20)
  } finally {
    server.context.tokens = checking
  }
})

it('the server accepts a valid token at each of these doors, and one that expired within the last minute', async () => {
  expect(await knock(user.accessToken)).toEqual([200, 200, 204, 200, 200])
  const { claims } = await server.context.tokens.verify(user.accessToken)
  expect(await knock(await server.context.tokens.sign(claims, -40))).toEqual([
    200, 200, 204, 200, 200,
  ])
})

it('the server accepts a token of its own key without a key id, and one issued up to a minute ahead', async () => {
  const { claims } = await server.context.tokens.verify(user.accessToken)
  const now = Math.floor(Date.now() / 1000)
  const ahead = { ...claims, iat: now + 40, exp: now + 3_600 }
  const token = await new SignJWT(ahead)
    .setProtectedHeader({ alg: 'ES256' })
    .sign(await ownSigningKey())
  expect(await knock(token)).toEqual([200, 200, 204, 200, 200])
})

it('the server keeps the API keys valid when the public address changes, and voids the tokens of people', async () => {
  const { signingKey } = JSON.parse(
    await readFile(join(server.context.config.dataDir, 'keys.json'), 'utf8'),
  ) as Keys
  const moved = await startTestServer({
    signingKey: JSON.stringify(signingKey),
    databaseUrl: server.databaseUrl,
    publicUrl: 'https://moved.example',
  })
  try {
    const there = { url: moved.url, anonKey: server.anonKey }
    expect((await request(there, '/user', { token: user.accessToken })).status).toBe(403)
    const { status, body } = await refresh(there, user.refreshToken)
    expect(status).toBe(200)
    const token = String(body['access_token'])
    expect((await request(there, '/user', { token })).status).toBe(200)
    const users = await request(there, '/admin/users', { token: server.serviceRoleKey })
    expect(users.status).toBe(200)
  } finally {
    await moved.close()
  }
})

it('the server refuses headers that only look like a bearer token', async () => {
  const { accessToken } = await makeUser(server)
  for (const authorization of [
    'Bearer',
    'Bearer  ',
    `Basic ${accessToken}`,
    accessToken,
    `Bearer ${accessToken} x`,
    `Token ${accessToken}`,
  ]) {
    const { status, body } = await request(server, '/user', { headers: { authorization } })
    expect([status, body['code']]).toEqual([401, 'no_authorization'])
  }
})
