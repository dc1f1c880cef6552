import { relyingParty } from '#server/auth/factors/webauthn.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { request, signIn } from '../requests.ts'
import { challenge, enroll } from './second-factor.ts'
import { makeSoftKey, type SoftKey } from './soft-key.ts'

const site = { origin: 'https://links.example', id: 'links.example' }
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ publicUrl: site.origin })
})
afterAll(() => server.close())

interface Ceremony {
  type: 'create' | 'request'
  credential_options: { publicKey: { challenge: string } & Record<string, unknown> }
}

interface Asked {
  id: string
  webauthn: Ceremony
  options: Ceremony['credential_options']['publicKey']
}

async function ask(token: string, factorId: string): Promise<Asked> {
  const { body } = await challenge(server, token, factorId)
  const webauthn = body['webauthn'] as Ceremony
  return { id: String(body['id']), webauthn, options: webauthn.credential_options.publicKey }
}

const answer = (
  token: string,
  factorId: string,
  asked: Asked,
  credential: unknown,
  type?: string,
) =>
  request(server, `/factors/${factorId}/verify`, {
    token,
    body: {
      challenge_id: asked.id,
      webauthn: {
        type: type ?? asked.webauthn.type,
        rpId: 'evil.example',
        rpOrigins: ['https://evil.example'],
        credential_response: credential,
      },
    },
  })

async function begin() {
  const user = await makeUser(server)
  const { body } = await enroll(server, user.accessToken, {
    factor_type: 'webauthn',
    friendly_name: 'Key',
  })
  return { user, factorId: String(body['id']), body, key: makeSoftKey() }
}

/** A person with a security key, and a session that has only the password. */
async function withKey() {
  const begun = await begin()
  const { user, factorId, key } = begun
  const asked = await ask(user.accessToken, factorId)
  const made = await answer(user.accessToken, factorId, asked, key.create(asked.options, site))
  if (made.status !== 200) throw new Error(JSON.stringify(made.body))
  const { body } = await signIn(server, user.email, user.password)
  return { ...begun, made, aal1: String(body['access_token']) }
}

it('the server says in the settings which factors can be set up', async () => {
  const { body } = await request(server, '/settings')
  expect(body['factors']).toEqual({ totp: true, webauthn: true, phone: false })
})

it('the server refuses a key with transports that cannot be stored', async () => {
  const { user, factorId, key } = await begin()
  const asked = await ask(user.accessToken, factorId)
  const created = key.create(asked.options, site) as { response: object }
  const strange = { ...created, response: { ...created.response, transports: ['us\0b'] } }
  const { status, body } = await answer(user.accessToken, factorId, asked, strange)
  expect([status, body['code']]).toEqual([400, 'validation_failed'])
  expect((await answer(user.accessToken, factorId, asked, created)).status).toBe(200)
})

const refused = [422, 'mfa_verification_failed']
const claims = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >

it('the server registers a key for this site and person, and accepts it', async () => {
  const { body, user, factorId, key } = await begin()
  expect(body).toEqual({ id: factorId, type: 'webauthn', friendly_name: 'Key' })
  const asked = await ask(user.accessToken, factorId)
  expect(asked.webauthn.type).toBe('create')
  expect(asked.options).toMatchObject({
    rp: { id: site.id, name: 'Hoplet' },
    user: { name: user.email, displayName: user.email },
    attestation: 'none',
    excludeCredentials: [],
  })
  const made = await answer(user.accessToken, factorId, asked, key.create(asked.options, site))
  expect(made.status).toBe(200)
  expect(claims(made.body['access_token'])).toMatchObject({
    aal: 'aal2',
    amr: [{ method: 'mfa/webauthn' }, { method: 'password' }],
  })

  const { body: later } = await signIn(server, user.email, user.password)
  const token = String(later['access_token'])
  const next = await ask(token, factorId)
  expect(next.webauthn.type).toBe('request')
  expect(next.options).toMatchObject({
    rpId: site.id,
    allowCredentials: [{ type: 'public-key', transports: ['usb'] }],
  })
  expect((await answer(token, factorId, next, key.get(next.options, site))).status).toBe(200)
})

it.each([
  ['another site', { ...site, origin: 'https://links.example.evil.example' }],
  ['another port', { ...site, origin: 'https://links.example:8443' }],
  ['http', { ...site, origin: 'http://links.example' }],
  ['another relying party', { ...site, id: 'evil.example' }],
])('the server refuses a key that was made for %s', async (_, elsewhere) => {
  const { user, factorId, key } = await begin()
  const asked = await ask(user.accessToken, factorId)
  const made = key.create(asked.options, elsewhere)
  const wrong = await answer(user.accessToken, factorId, asked, made)
  expect([wrong.status, wrong.body['code']]).toEqual(refused)
  const right = key.create(asked.options, site)
  expect((await answer(user.accessToken, factorId, asked, right)).status).toBe(200)
})

it('the server refuses an answer signed by another key or for another challenge, and a copy of an answer', async () => {
  const { factorId, key, aal1 } = await withKey()
  const asked = await ask(aal1, factorId)
  const other: SoftKey = makeSoftKey()
  const stale = { challenge: Buffer.from('another challenge').toString('base64url') }
  const forged = {
    ...key.get(asked.options, site),
    response: other.get(asked.options, site)['response'],
  }
  for (const credential of [other.get(asked.options, site), forged, key.get(stale, site)]) {
    const wrong = await answer(aal1, factorId, asked, credential)
    expect([wrong.status, wrong.body['code']]).toEqual(refused)
  }
  const good = key.get(asked.options, site)
  expect((await answer(aal1, factorId, asked, good)).status).toBe(200)
  expect((await answer(aal1, factorId, asked, good)).body['code']).toBe('mfa_challenge_expired')
  const next = await ask(aal1, factorId)
  expect((await answer(aal1, factorId, next, good)).body['code']).toBe('mfa_verification_failed')
})

it('the server refuses a key with a counter that goes back: it is a copy', async () => {
  const { factorId, key, aal1 } = await withKey()
  const use = async (counter: number) => {
    const asked = await ask(aal1, factorId)
    return (await answer(aal1, factorId, asked, key.get(asked.options, site, counter))).status
  }
  expect([await use(5), await use(5), await use(4), await use(6)]).toEqual([200, 422, 422, 200])
})

it('the server keeps a key with one factor, and says which keys a person already has', async () => {
  const first = await withKey()
  const aal2 = String(first.made.body['access_token'])
  const second = await enroll(server, aal2, { factor_type: 'webauthn', friendly_name: 'Again' })
  const asked = await ask(aal2, String(second.body['id']))
  expect(asked.options['excludeCredentials']).toHaveLength(1)
  const same = first.key.create(asked.options, site)
  const twice = await answer(aal2, String(second.body['id']), asked, same)
  expect([twice.status, twice.body['code']]).toEqual(refused)
})

it.each([
  ['no answer', undefined],
  ['an empty one', {}],
  ['text', 'x'],
  [
    'nonsense',
    {
      id: 'a',
      rawId: 'a',
      type: 'public-key',
      response: {
        clientDataJSON: 'e30',
        attestationObject: 'oA',
        authenticatorData: 'AA',
        signature: 'AA',
      },
    },
  ],
  [
    'bytes that are not CBOR',
    {
      id: 'a',
      rawId: 'a',
      type: 'public-key',
      response: {
        clientDataJSON: '////',
        attestationObject: '____',
        authenticatorData: '',
        signature: '',
      },
    },
  ],
])('the server answers %s with 4xx', async (_, credential) => {
  const [begun, made] = [await begin(), await withKey()]
  for (const [token, factorId] of [
    [begun.user.accessToken, begun.factorId],
    [made.aal1, made.factorId],
  ] as const) {
    const asked = await ask(token, factorId)
    const { status, body } = await answer(token, factorId, asked, credential)
    expect([400, 422]).toContain(status)
    expect(['validation_failed', 'mfa_verification_failed']).toContain(body['code'])
    const other = asked.webauthn.type === 'create' ? 'request' : 'create'
    expect((await answer(token, factorId, asked, credential, other)).status).toBe(400)
  }
})

it.each([
  ['http://127.0.0.1:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
  ['http://[::1]', { id: 'localhost', origin: 'http://localhost' }],
  ['https://hop.example:8443', { id: 'hop.example', origin: 'https://hop.example:8443' }],
])('%s has keys for %o', (publicUrl, party) => {
  expect(relyingParty(publicUrl)).toEqual(party)
})

it.each(['http://10.0.0.7:3000', 'https://192.0.2.7', 'https://[2001:db8::7]'])(
  'the server names the setting to change when the site is reached at %s, and keeps the factors and sign-in methods as they are',
  async (publicUrl) => {
    const { user, factorId } = await withKey()
    const { config } = server.context
    config.publicUrl = publicUrl
    try {
      const { body } = await signIn(server, user.email, user.password)
      const token = String(body['access_token'])
      const other = await makeUser(server)
      const begun = await enroll(server, other.accessToken, { factor_type: 'webauthn' })
      const asked = await challenge(server, token, factorId)
      const calls = [
        [begun, 'mfa_webauthn_enroll_not_enabled'],
        [asked, 'mfa_webauthn_verify_not_enabled'],
      ] as const
      for (const [{ status, body: refusal }, code] of calls) {
        expect([status, refusal['code']]).toEqual([422, code])
        expect(refusal['message']).toContain('Set it to one such as https://links.example.com')
      }
      // The kinds that screens use; the others stay.
      const settings = await request(server, '/settings')
      expect(settings.body['factors']).toMatchObject({ webauthn: false, totp: true })
      expect((await enroll(server, other.accessToken)).status).toBe(200)
    } finally {
      config.publicUrl = site.origin
    }
    expect((await request(server, '/settings')).body['factors']).toMatchObject({ webauthn: true })
    const { body } = await signIn(server, user.email, user.password)
    const again = await challenge(server, String(body['access_token']), factorId)
    expect(again.status).toBe(200)
  },
)
