import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { oauthScopes } from '#domain/access/oauth-scopes.ts'
import { apiCatalog } from '#test/catalog.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type App, makeApp, sendForm, tokensFor } from './oauth-app.ts'
import { request } from '../requests.ts'

let server: TestServer
let owner: TestUser
let other: TestUser
let app: App
beforeAll(async () => {
  server = await sharedServer()
  owner = await makeUser(server, { plan: 'business', data: { display_name: 'Ann' } })
  other = await makeUser(server)
  app = await makeApp(server)
  await makeLink(server, owner, { short_code: 'owners-link' })
  await makeLink(server, other, { short_code: 'others-link' })
})
interface Sent {
  method?: string
  body?: unknown
  prefer?: string
}

async function table(token: string, path: string, { method, body, prefer }: Sent = {}) {
  const response = await fetch(`${server.url}/rest/v1/${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      apikey: server.anonKey,
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(prefer !== undefined && { prefer }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    body: text ? JSON.parse(text) : undefined,
    headers: response.headers,
  }
}

const tokenFor = async (scope: string, user = owner) =>
  (await tokensFor(server, user, app, scope)).access_token

const closed = { status: 403, body: { code: 'insufficient_scope' } }

describe('links:read', () => {
  it('links:read reads the person’s links, and public columns of other accounts', async () => {
    const token = await tokenFor('links:read')
    expect((await table(token, 'shortened_urls?select=short_code')).body).toEqual([
      { short_code: 'owners-link' },
    ])
    expect(
      (await table(token, 'rpc/search_links', { body: { _query: 'owners' } })).body,
    ).toHaveLength(1)
    expect(
      (await table(token, 'rpc/can_create_url', { body: { _user_id: owner.id } })).status,
    ).toBe(200)
    const found = await table(token, 'shortened_urls?short_code=eq.others-link&select=original_url')
    expect(found.body).toHaveLength(1)
  })

  it('writes nothing', async () => {
    const token = await tokenFor('links:read')
    const at = 'shortened_urls?short_code=eq.owners-link'
    const body = { original_url: 'https://example.com/x' }
    const row = { ...body, user_id: owner.id }
    expect(await table(token, 'shortened_urls', { body: row })).toMatchObject(closed)
    expect(await table(token, at, { method: 'PATCH', body })).toMatchObject(closed)
    expect(await table(token, at, { method: 'DELETE' })).toMatchObject(closed)
    const refused = await table(token, at, { method: 'DELETE' })
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="links:write"',
    )
    expect(refused.body.message).toBe('This app or API key was not allowed links:write')
  })
})

describe('links:write', () => {
  it('creates, changes and deletes the person’s links, and sees no more than their names', async () => {
    const token = await tokenFor('links:write')
    const created = await table(token, 'shortened_urls', {
      body: { original_url: 'https://example.com/a', user_id: owner.id },
      prefer: 'return=representation',
    })
    expect(created.status).toBe(201)
    expect(Object.keys(created.body[0])).toEqual(['id', 'short_code', 'domain'])
    const at = `shortened_urls?id=eq.${created.body[0].id}`
    const body = { original_url: 'https://example.com/b' }
    expect((await table(token, at, { method: 'PATCH', body })).status).toBe(204)
    const guess = await table(token, `${at}&original_url=like.*example*`, { method: 'PATCH', body })
    expect(guess.status).toBe(403)
    expect((await table(token, at, { method: 'DELETE' })).status).toBe(204)
    expect(await table(token, 'shortened_urls')).toMatchObject(closed)
    expect(await table(token, 'shortened_urls', { method: 'HEAD' })).toMatchObject({ status: 403 })
    expect(await table(token, 'rpc/search_links', { body: { _query: '' } })).toMatchObject(closed)
    expect(
      (await table(token, 'rpc/can_create_url', { body: { _user_id: owner.id } })).status,
    ).toBe(200)
  })

  it('does not reach other people’s links', async () => {
    const token = await tokenFor('links:read links:write')
    const at = 'shortened_urls?short_code=eq.others-link'
    expect((await table(token, at, { method: 'DELETE' })).status).toBe(204)
    expect((await table(token, at)).body).toHaveLength(1)
    const planted = await table(token, 'shortened_urls', {
      body: { original_url: 'https://example.com/', user_id: other.id },
    })
    expect(planted.status).toBe(403)
  })
})

describe('analytics:read', () => {
  const now = Date.now()
  const day = { _from: new Date(now - 86_400_000).toISOString(), _to: new Date(now).toISOString() }
  const questions: [string, object][] = [
    ['click_report', { _scope: 'account', _by: 'total', ...day }],
    ['click_hits', { _scope: 'account', ...day }],
    ['click_integrity', { _scope: 'account' }],
    ['click_trends', { _kind: 'link', _ids: [] }],
  ]
  const lists = ['live', 'clicks.csv', 'click-log']

  const ask = async (token: string, name: string, query = 'scope=account') => {
    const url = `${server.url}/functions/v1/${name}?${query}&from=${day._from}`
    const abort = new AbortController()
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(url, { headers, signal: abort.signal })
    const text = response.ok ? '' : await response.text()
    abort.abort()
    return { status: response.status, text, headers: response.headers }
  }

  it('reads reports, lists and the live stream of the person, and nothing without it', async () => {
    const token = await tokenFor('analytics:read')
    const without = await tokenFor('openid profile email offline_access links:read links:write')
    for (const [name, body] of questions) {
      expect([name, (await table(token, `rpc/${name}`, { body })).status]).toEqual([name, 200])
      expect(await table(without, `rpc/${name}`, { body })).toMatchObject(closed)
    }
    for (const name of lists) {
      expect([name, (await ask(token, name)).status]).toEqual([name, 200])
      const refused = await ask(without, name)
      expect([name, refused.status, refused.text]).toEqual([
        name,
        403,
        '{"error":"This app or API key was not allowed analytics:read"}',
      ])
      expect(refused.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_scope", scope="analytics:read"',
      )
    }
    expect(await table(token, 'shortened_urls')).toMatchObject(closed)
  })

  it('analytics:read opens the reports of the plan, and no more', async () => {
    const free = await tokenFor('analytics:read', other)
    for (const [name, body] of questions)
      expect(await table(free, `rpc/${name}`, { body })).toMatchObject({
        status: 403,
        body: { code: '42501', hint: 'plan' },
      })
    for (const name of lists)
      expect(await ask(free, name)).toMatchObject({
        status: 403,
        text: '{"error":"Upgrade to view clicks"}',
      })
  })

  it('a scope never opens an admin’s view of other accounts', async () => {
    const admin = await makeUser(server, { role: 'admin' })
    const token = await tokenFor('analytics:read', admin)
    const body = { _scope: 'account', _id: owner.id, ...day }
    const asked = (bearer: string) => table(bearer, 'rpc/click_hits', { body })
    expect((await asked(admin.accessToken)).status).toBe(200)
    expect(await asked(token)).toMatchObject({ status: 404, body: { code: 'P0002' } })
    const query = `scope=account&id=${owner.id}`
    expect((await ask(admin.accessToken, 'live', query)).status).toBe(200)
    expect((await ask(token, 'live', query)).status).toBe(404)
    expect((await ask(token, 'clicks.csv', query)).status).toBe(404)
  })
})

describe('popups and the bio page', () => {
  const popup = { title: 'Hello', cta_url: 'https://example.com/' }

  it('popups:read and popups:write open the person’s popups, also inside of links', async () => {
    const writer = await tokenFor('popups:write')
    const row = { ...popup, user_id: owner.id }
    const created = await table(writer, 'popups', { body: row, prefer: 'return=representation' })
    expect(created.status).toBe(201)
    expect(Object.keys(created.body[0])).toEqual(['id'])
    const at = `popups?id=eq.${created.body[0].id}`
    expect(await table(writer, at)).toMatchObject(closed)
    expect((await table(writer, at, { method: 'PATCH', body: { title: 'Hi' } })).status).toBe(204)
    const reader = await tokenFor('popups:read')
    expect((await table(reader, `${at}&select=title`)).body).toEqual([{ title: 'Hi' }])
    expect(await table(reader, at, { method: 'DELETE' })).toMatchObject(closed)
    expect(await table(reader, 'shortened_urls?select=id,popups(title)')).toMatchObject(closed)
    const both = await tokenFor('popups:read links:read')
    expect((await table(both, 'shortened_urls?select=id,popups(title)')).status).toBe(200)
    const uses = { body: { _popup_ids: [created.body[0].id] } }
    expect((await table(reader, 'rpc/popup_uses', uses)).body).toMatchObject([{ links: 0 }])
    expect(await table(writer, 'rpc/popup_uses', uses)).toMatchObject(closed)
    expect((await table(writer, at, { method: 'DELETE' })).status).toBe(204)
  })

  it('bio:read and bio:write open the person’s page; saving it answers with it, so that takes both', async () => {
    const page = { page: { slug: 'anns-page', title: 'Ann' }, links: [] }
    const save = async (scope: string) =>
      table(await tokenFor(scope), 'rpc/save_bio_page', { body: page })
    expect(await save('bio:write')).toMatchObject(closed)
    expect(await save('bio:read')).toMatchObject(closed)
    expect((await save('bio:read bio:write')).body).toMatchObject({ page: { slug: 'anns-page' } })
    const reader = await tokenFor('bio:read')
    expect((await table(reader, 'bio_pages?select=title,bio_links(title)')).body).toEqual([
      { title: 'Ann', bio_links: [] },
    ])
    const writer = await tokenFor('bio:write')
    const at = 'bio_pages?slug=eq.anns-page'
    expect(await table(writer, at)).toMatchObject(closed)
    expect((await table(writer, at, { method: 'PATCH', body: { title: 'B' } })).status).toBe(204)
    expect(await table(reader, at, { method: 'DELETE' })).toMatchObject(closed)
  })
})

describe('everything else', () => {
  const all = oauthScopes.join(' ')

  it('that decision 0062 does not list is closed to apps at the table door', async () => {
    const token = await tokenFor(all)
    const decision = await readFile('docs/decisions/0062-apps-act-with-scopes.md', 'utf8')
    const rows = decision.split('\n').filter((line) => /^\| `[a-z_:]+` \|/.test(line))
    expect(rows).toHaveLength(oauthScopes.length)
    const isOpen = (name: string) => rows.some((row) => row.includes(`\`${name}\``))
    const relations = [...apiCatalog.relations.keys()].filter((name) => !isOpen(name))
    for (const name of relations) {
      for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']) {
        const { status } = await table(token, `${name}?id=eq.1`, { method })
        expect([name, method, status]).toEqual([name, method, 403])
      }
    }
    const functions = [...apiCatalog.functions.keys()].filter((name) => !isOpen(name))
    for (const name of functions) {
      const answer = await table(token, `rpc/${name}`, { body: {} })
      expect([name, answer.body.code]).toEqual([name, 'insufficient_scope'])
    }
    expect([relations.length > 4, functions.length > 8]).toEqual([true, true])
    const own = `profiles?id=eq.${owner.id}`
    expect(await table(token, own, { method: 'PATCH', body: { display_name: 'x' } })).toMatchObject(
      closed,
    )
    expect(await table(token, own, { method: 'DELETE' })).toMatchObject(closed)
  })

  it('is closed to apps inside of embeddings', async () => {
    const token = await tokenFor(all.replace('popups:read', ''))
    for (const path of [
      'shortened_urls?select=id,popups(title)',
      'shortened_urls?select=id,popups()&popups=is.null',
      'shortened_urls?select=id,popups()&order=popups(title)',
    ])
      expect(await table(token, path)).toMatchObject(closed)
    expect((await table(token, 'shortened_urls?select=id')).status).toBe(200)
  })

  it('makes many links for writers, and shows them only their own input', async () => {
    const links = [{ original_url: 'https://example.com/secret', external_id: 'app-1' }]
    const make = async (scope: string, rows: object[]) =>
      table(await tokenFor(scope), 'rpc/create_links', { body: { _links: rows } })
    expect(await make('links:read', links)).toMatchObject(closed)
    expect((await make('links:write', links)).body).toMatchObject([{ status: 'created' }])
    const updated = await make('links:write', [{ external_id: 'app-1' }])
    expect(updated.body).toMatchObject([{ status: 'updated', link: { external_id: 'app-1' } }])
    expect(JSON.stringify(updated.body)).not.toContain('secret')
  })

  it('is closed to apps at the doors of functions and media', async () => {
    const token = await tokenFor(all)
    const send = async (path: string, bearer: string) => {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: '{}',
      })
      return response.status
    }
    for (const path of [
      '/functions/v1/generate-popup-content',
      '/functions/v1/generate-popup-image',
      '/functions/v1/create-checkout',
      '/functions/v1/check-subscription',
      '/media/uploads',
    ]) {
      expect([path, await send(path, token)]).toEqual([path, 403])
      expect(await send(path, owner.accessToken)).not.toBe(403)
    }
  })

  it('stays open to the person (control)', async () => {
    const token = owner.accessToken
    expect((await table(token, 'user_plans')).status).toBe(200)
    expect((await table(token, 'popups')).status).toBe(200)
    expect((await table(token, 'rpc/affiliate_summary', { body: {} })).status).toBe(200)
  })
})

describe('profile and email', () => {
  it('open one’s own profile, and the address only with email', async () => {
    const profile = await table(await tokenFor('profile'), 'profiles')
    expect(profile.body).toEqual([
      {
        id: owner.id,
        display_name: 'Ann',
        created_at: expect.any(String),
        time_zone: null,
        label_settings: null,
      },
    ])
    expect((await table(await tokenFor('profile'), 'profiles?select=email')).status).toBe(403)
    expect((await table(await tokenFor('profile'), 'profiles?email=like.a*')).status).toBe(403)
    const whole = await table(await tokenFor('profile email'), 'profiles')
    expect(whole.body[0].email).toBe(owner.email)
    expect(await table(await tokenFor('email links:read'), 'profiles')).toMatchObject(closed)
  })

  it('scopes never open an admin’s view of other accounts', async () => {
    const admin = await makeUser(server, { role: 'admin' })
    const control = await table(admin.accessToken, 'profiles?select=id')
    expect(control.body.length).toBeGreaterThan(1)
    const token = await tokenFor('profile links:read', admin)
    expect((await table(token, 'profiles?select=id')).body).toEqual([{ id: admin.id }])
    expect((await table(token, 'shortened_urls?select=id')).body).toEqual([])
  })

  it('scopes decide the fields of GET /user for an app', async () => {
    const seen = async (scope: string) => {
      const { status, body } = await request(server, '/user', { token: await tokenFor(scope) })
      expect([status, body['id']]).toEqual([200, owner.id])
      return body
    }
    expect(Object.keys(await seen('links:read'))).toEqual(['id', 'aud', 'role'])
    expect(Object.keys(await seen('email'))).toEqual(['id', 'aud', 'role', 'email'])
    const profile = await seen('profile')
    expect(profile['user_metadata']).toEqual({ display_name: 'Ann' })
    expect(profile).not.toHaveProperty('email')
    expect(JSON.stringify(profile)).not.toMatch(/identities|app_metadata|factors/)
  })

  it('scopes decide the claims of userinfo; openid opens it', async () => {
    const seen = async (scope: string) =>
      request(server, '/oauth/userinfo', { token: await tokenFor(scope) })
    expect((await seen('openid')).body).toEqual({ sub: owner.id })
    expect((await seen('openid profile')).body).toMatchObject({ sub: owner.id, name: 'Ann' })
    expect((await seen('openid email')).body).toEqual({
      sub: owner.id,
      email: owner.email,
      // Automatic confirmation does not prove that mail to the address arrives.
      email_verified: false,
    })
    await server.sql('update auth.users set email_proven_at = now() where id = $1', [owner.id])
    expect((await seen('openid email')).body['email_verified']).toBe(true)
    const closedTo = await seen('profile email')
    expect([closedTo.status, closedTo.body['error']]).toEqual([403, 'insufficient_scope'])
    const own = await request(server, '/oauth/userinfo', { token: owner.accessToken })
    expect(own.status).toBe(403)
    const nobody = await request(server, '/oauth/userinfo')
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ])
    const posted = await sendForm(
      server,
      '/oauth/userinfo',
      {},
      {
        authorization: `Bearer ${await tokenFor('openid')}`,
      },
    )
    expect(posted.status).toBe(200)
  })

  it('the access token carries the app and its scope, and nothing of the person beyond them', async () => {
    const token = await tokenFor('links:read')
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ client_id: app.client_id, scope: 'links:read', sub: owner.id })
    expect(JSON.stringify(claims)).not.toContain(owner.email)
    expect(JSON.stringify(claims)).not.toContain('Ann')
  })
})

it('a banned person’s apps stop at once', async () => {
  const user = await makeUser(server)
  const tokens = await tokensFor(server, user, app, 'links:read offline_access')
  expect((await table(tokens.access_token, 'shortened_urls')).status).toBe(200)
  await server.sql(`update auth.users set banned_until = 'infinity' where id = $1`, [user.id])
  expect((await table(tokens.access_token, 'shortened_urls')).status).toBe(401)
  const refreshed = await sendForm(server, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: app.client_id,
    refresh_token: tokens.refresh_token,
  })
  expect(refreshed.body['error']).toBe('invalid_grant')
})
