import { randomBytes } from 'node:crypto'
import { reportReasons } from '#domain/forms/report-form.ts'
import { browser } from '#test/visits/visit.ts'
import { signUp } from './shared/people.ts'

/** Sends its request number `n`. */
export type Flood = (n: number) => Promise<Response>

/** Text that cannot be compressed. */
const long = (n: number, length: number) =>
  `${n}-${randomBytes(length).toString('base64url')}`.slice(0, length)
const json = { 'content-type': 'application/json' }
const post = (address: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(address, {
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

type NamedFlood = [name: string, flood: Flood]

/** The floods with their senders. */
export async function prepareFloods(url: string): Promise<[sender: string, ...NamedFlood][]> {
  const target = await prepareTarget(url)
  const by = (sender: string, floods: NamedFlood[]) =>
    floods.map(([name, flood]): [string, ...NamedFlood] => [sender, name, flood])
  return [
    ...by('an account', floodsOfAccount(target)),
    ...by('an address', floodsOfAddress(target)),
  ]
}

type Target = Awaited<ReturnType<typeof prepareTarget>>

/** An account with a link, a link with a popup, ten webhooks and an API key; and an app. */
async function prepareTarget(url: string) {
  const { id, headers } = await signUp(url)
  const returning = { ...headers, prefer: 'return=representation' }
  const link = await idOf(
    post(
      `${url}/rest/v1/shortened_urls`,
      { user_id: id, original_url: 'https://example.com/' },
      returning,
    ),
  )
  const popup = await idOf(
    post(`${url}/rest/v1/popups`, { user_id: id, title: 'Offer' }, returning),
  )
  const shown = await idOf(
    post(
      `${url}/rest/v1/shortened_urls`,
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
        `${url}/functions/v1/webhooks`,
        { url: 'http://127.0.0.1:9/', events: ['link.created', 'link.updated', 'link.deleted'] },
        headers,
      ),
    )
  const key = await idOf(
    post(
      `${url}/auth/v1/user/api-keys`,
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
    post(`${url}/auth/v1/oauth/clients/register`, {
      client_name: 'Flood',
      redirect_uris: ['https://app.example/callback'],
      token_endpoint_auth_method: 'none',
    }),
  )
  return { url, id, headers, returning, link, shown, program, client }
}

function floodsOfAccount({ url, id, headers, returning, link, program }: Target): NamedFlood[] {
  const change = (n: number, how: Record<string, string>, more: Record<string, string> = {}) =>
    fetch(`${url}/rest/v1/shortened_urls?id=eq.${link['id']}`, {
      method: 'PATCH',
      headers: { ...json, ...how, ...more },
      body: JSON.stringify({ original_url: `https://example.com/${long(n, 2_000)}` }),
    })
  return [
    ['changes a link, with ten webhooks', (n) => change(n, headers)],
    [
      'changes a link with an API key and Idempotency-Key',
      (n) => change(n, program, { 'idempotency-key': long(n, 255) }),
    ],
    [
      'makes links and popups in one request each, with Idempotency-Key',
      (n) =>
        post(
          `${url}/rest/v1/popups`,
          Array.from({ length: 20 }, () => ({
            user_id: id,
            title: long(n, 200),
            description: long(n, 500),
            cta_url: `https://example.com/${long(n, 1_900)}`,
          })),
          { ...returning, 'idempotency-key': long(n, 250) },
        ),
    ],
    ['saves the rules of a link', saveRules({ url, headers, link })],
    [
      'saves a bio page',
      (n) =>
        post(
          `${url}/rest/v1/rpc/save_bio_page`,
          {
            page: { slug: `flood-${id.slice(0, 8)}`, title: 'Flood' },
            links: Array.from({ length: 30 }, (_, i) => ({
              title: `Number ${i}`,
              url: `https://example.com/${long(n, 1_900)}`,
            })),
          },
          headers,
        ),
    ],
    [
      'makes and revokes API keys',
      async (n) => {
        const made = await post(
          `${url}/auth/v1/user/api-keys`,
          { name: long(n, 100), scopes: ['links:read'], expires_in_days: 1 },
          headers,
        )
        const { id: keyId } = (await made.clone().json()) as { id?: string }
        if (keyId !== undefined)
          await fetch(`${url}/auth/v1/user/api-keys/${keyId}`, { method: 'DELETE', headers })
        return made
      },
    ],
    [
      'changes profile data',
      (n) =>
        fetch(`${url}/auth/v1/user`, {
          method: 'PUT',
          headers: { ...json, ...headers },
          body: JSON.stringify({ data: { [long(n, 2_000)]: null, x: long(n, 2_000) } }),
        }),
    ],
    [
      'begins second factors',
      (n) =>
        post(
          `${url}/auth/v1/factors`,
          { factor_type: 'totp', friendly_name: long(n, 60) },
          headers,
        ),
    ],
  ]
}

/** Rules of 58 kB. A save with an old version learns the last one. */
function saveRules({ url, headers, link }: Pick<Target, 'url' | 'headers' | 'link'>): Flood {
  let version = 0
  return async (n) => {
    const rules = Array.from({ length: 40 }, (_, i) => ({
      when: [{ fact: 'city', is: Array.from({ length: 7 }, (__, j) => long(n + i + j, 190)) }],
      to: 'https://example.com/',
    }))
    const body = { _link: link['id'], _rules: rules, _version: version }
    const saved = await post(`${url}/rest/v1/rpc/save_link_rules`, body, headers)
    const answer = (await saved.clone().json()) as number | { details?: string }
    if (typeof answer === 'number') version = answer
    else if (saved.status === 409)
      version = Number(/\d+/.exec(answer.details ?? '')?.[0] ?? version)
    return saved
  }
}

function floodsOfAddress({ url, link, shown, client }: Target): NamedFlood[] {
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
    return fetch(`${url}/auth/v1/oauth/authorize?${query}`, { redirect: 'manual' })
  }
  return [
    [
      'signs up',
      (n) =>
        post(`${url}/auth/v1/signup`, {
          email: `${n}-${randomBytes(25).toString('hex')}@example.com`,
          password: 'correct horse 42',
          data: { display_name: long(n, 90) },
        }),
    ],
    [
      'tries to sign in',
      (n) =>
        post(`${url}/auth/v1/token?grant_type=password`, {
          email: `${n}-${randomBytes(25).toString('hex')}@example.com`,
          password: 'wrong horse 42',
        }),
    ],
    [
      'asks for mails',
      (n) =>
        post(`${url}/auth/v1/otp`, {
          email: `${n}-${randomBytes(25).toString('hex')}@example.com`,
          create_user: true,
        }),
    ],
    ['starts requests of an app', authorize],
    [
      'registers apps',
      (n) =>
        post(`${url}/auth/v1/oauth/clients/register`, {
          client_name: long(n, 190),
          redirect_uris: Array.from(
            { length: 10 },
            (_, at) => `https://app.example/${at}/${long(n, 2_000)}`,
          ),
          token_endpoint_auth_method: 'none',
        }),
    ],
    [
      'reports a link',
      (n) =>
        fetch(`${url}/report`, {
          method: 'POST',
          redirect: 'manual',
          headers: { origin: url },
          body: new URLSearchParams({
            name: link['short_code'] ?? '',
            reason: reportReasons[0],
            details: long(n, 900),
            email: '',
          }),
        }),
    ],
    [
      'visits a link, each time as another browser from another page',
      (n) =>
        fetch(
          `${url}/${link['short_code']}?utm_source=${long(n, 90)}&utm_campaign=${long(n, 90)}`,
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
      'tells of a popup',
      () =>
        fetch(`${url}/${shown['short_code']}/popup/shown`, {
          method: 'POST',
          headers: {
            origin: url,
            'sec-fetch-site': 'same-origin',
            'user-agent': browser,
          },
        }),
    ],
  ]
}
