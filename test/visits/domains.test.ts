import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countOf, plantLinks, plantOwner } from './plant.ts'
import { visit } from './visit.ts'

const publicUrl = 'https://hop.example'
const [acme, beta] = ['go.acme.example', 'beta.example'] as const
const hosts = ['hop.example', acme, beta] as const
/** Names on each host: `shared` on all of them, with another destination each. */
const namesAt = {
  'hop.example': ['shared', 'own', 'counted'],
  [acme]: ['shared', 'acme', 'auth', 'dashboard', 'counted'],
  [beta]: ['shared', 'beta'],
} as const
const urlOf = (host: string, name: string) => `https://example.com/${host}/${name}`

let server: TestServer
const links: Record<string, string> = {}

async function plantDomain(on: TestServer, host: string, owner: string): Promise<number> {
  const [row] = await on.sql<{ id: number }>(
    'insert into app.domains (user_id, host, is_served) values ($1, $2, true) returning id',
    [owner, host],
  )
  if (!row) throw new Error('nothing planted')
  const isServed = () => on.context.hosts.knownPlaceAt(host)?.prefix === `${row.id}/`
  await vi.waitUntil(isServed, { timeout: 60_000 })
  return row.id
}

const pageColumns = `id, user_id, slug, title`
async function plantPage(owner: string, key: string, title: string): Promise<void> {
  const id = randomUUID()
  await server.sql(`
    begin;
    set local session_replication_role = replica;
    insert into app.names (name, kind, owner_id) values ('${key}', 'bio', '${owner}');
    insert into app.bio_pages (${pageColumns}) values ('${id}', '${owner}', '${key}', '${title}');
    commit`)
}

beforeAll(async () => {
  server = await startTestServer({ publicUrl, unknownHosts: 'serve' })
  for (const host of hosts) {
    const owner = await plantOwner(server.sql)
    const prefix = host === 'hop.example' ? '' : `${await plantDomain(server, host, owner)}/`
    const planted = await plantLinks(
      server.sql,
      namesAt[host].map((name) => ({ code: prefix + name, url: urlOf(host, name) })),
      owner,
    )
    for (const { code, id } of planted) links[`${host}/${code.replace(prefix, '')}`] = id
    await plantPage(owner, `${prefix}page`, `Page of ${host}`)
  }
})
afterAll(() => server.close())

/** `Connection: keep-alive` stays on the fast lane, `close` is for node:http. */
const lanes = ['keep-alive', 'close'] as const
const get = (host: string, target: string, headers: Record<string, string> = {}) =>
  visit(server.url, target, { headers: { host, ...headers } })

describe('a domain', () => {
  it.each(lanes)(
    'has its own links beside those of the server and of other domains (%s)',
    async (connection) => {
      for (const host of hosts)
        for (const name of new Set(Object.values(namesAt).flat())) {
          const answer = await get(host, `/${name.toUpperCase()}?x=1`, { connection })
          const names: readonly string[] = namesAt[host]
          // '/auth' and '/dashboard' are pages of the server.
          const isPage = host === 'hop.example' && ['auth', 'dashboard'].includes(name)
          if (isPage) expect(answer.location).toBeUndefined()
          else
            expect([host, name, answer.location]).toEqual([
              host,
              name,
              names.includes(name) ? urlOf(host, name) : '/404',
            ])
        }
    },
  )

  it('shows no name of another host in 2,000 random requests', async () => {
    const requests = fc.record({
      host: fc.constantFrom(
        acme,
        beta,
        'hop.example',
        'GO.ACME.example.',
        'beta.example:443',
        'www.beta.example',
        'unknown.example',
      ),
      name: fc.constantFrom('shared', 'own', 'acme', 'beta', 'page'),
      form: fc.constantFrom('/{}', '/q/{}', '/{}+', '/q/{}/t1', '/{}/', '//{}', '/{}).', '/{}%20'),
      connection: fc.constantFrom(...lanes),
    })
    const strangers: unknown[] = []
    let found = 0
    await Promise.all(
      fc.sample(requests, { numRuns: 2_000, seed: 54 }).map(async (sample) => {
        const { host, name, form, connection } = sample
        const { location = '', body } = await get(host, form.replace('{}', name), { connection })
        const shown = `${location} ${body}`
        const at = host.toLowerCase().replace(/\.?(:443)?$/, '')
        // `www.` of a domain is no domain, and gets the links of the server, as unknown hosts do.
        const own = at === acme || at === beta ? at : 'hop.example'
        if (shown.includes(`example.com/${own}/`) || shown.includes(`Page of ${own}`)) found++
        for (const other of hosts)
          if (
            other !== own &&
            (shown.includes(`example.com/${other}/`) || shown.includes(`Page of ${other}`))
          )
            strangers.push({ sample, shown: shown.slice(0, 200) })
      }),
    )
    expect(strangers.slice(0, 2)).toEqual([])
    expect(found).toBeGreaterThan(500)
  })

  it('counts visits at the link that was visited', async () => {
    const counts = () =>
      Promise.all(
        [acme, 'hop.example'].map((host) => countOf(server.sql, links[`${host}/counted`] ?? '')),
      )
    const before = await counts()
    const visitAs = (language: string) => get(acme, '/counted', { 'accept-language': language })
    await Promise.all(['fr', 'de', 'it'].map(visitAs))
    const added = async () => (await counts()).map((count, i) => count - (before[i] ?? 0))
    await expect.poll(added, { timeout: 120_000 }).toEqual([3, 0])
  })

  it('counts visits to its missing codes apart', async () => {
    await get(acme, '/printed-once', { connection: 'close' })
    await get('hop.example', '/printed-once', { connection: 'close' })
    await server.context.visits.missedCodes.flush()
    const rows = await server.sql<{ code: string }>(
      `select code from app.missed_codes where code like '%printed-once' order by code`,
    )
    const [domain] = await server.sql<{ id: number }>(
      'select id from app.domains where host = $1',
      [acme],
    )
    expect(rows.map(({ code }) => code).sort()).toEqual(
      [`${domain?.id}/printed-once`, 'printed-once'].sort(),
    )
  })

  it('has pages with its own address, and links to the app with that of the server', async () => {
    const { status, body, header } = await get(acme, '/page')
    expect(status).toBe(200)
    expect(body).toContain(`<meta property="og:url" content="https://${acme}/page"/>`)
    expect(body).toContain(`content="https://${acme}/og/page.png"`)
    expect(body).toContain('href="https://hop.example/auth"')
    expect(body).not.toMatch(/href="\/(auth|")/)
    expect(header('set-cookie')).toBeUndefined()
    const own = await get('hop.example', '/page')
    expect(own.body).toContain('<meta property="og:url" content="https://hop.example/page"/>')
    expect(own.body).toContain('href="/auth"')
    const picture = await get(acme, '/og/page.png')
    expect([picture.status, picture.header('content-type')]).toEqual([200, 'image/png'])
  })

  it('serves neither the app nor an API nor a sign-in', async () => {
    const refused = [
      '/auth/v1/settings',
      '/rest/v1/shortened_urls',
      '/functions/v1/openapi.json',
      '/mcp',
      '/docs',
      '/admin/users',
      '/index.html',
      '/manifest.webmanifest',
      '/og/home.png',
      '/health/live',
      '/.well-known/oauth-authorization-server',
      '/demo',
      '/analytics/shared/x',
      '/sandbox/',
      '/oauth/consent',
      '/assets/index.js',
      '/media',
      '/report/x',
    ]
    for (const target of refused) {
      const { status, location, body, rawHeaders } = await get(acme, target)
      // A path that could be a name is a missing code.
      if (status !== 404) expect([target, status, location]).toEqual([target, 302, '/404'])
      else if (!target.startsWith('/og/')) expect(body).toContain('Page not found')
      expect(rawHeaders.join(' ').toLowerCase()).not.toContain('set-cookie')
    }
    for (const target of ['/report', '/report?name=shared', '/favicon.ico', '/report/sent'])
      expect([target, (await get(acme, target)).status < 400]).toEqual([target, true])
    // The control: the own host has them.
    expect((await get('hop.example', '/auth/v1/settings')).status).not.toBe(404)
    expect((await get('hop.example', '/demo')).status).toBe(200)
    const posted = await visit(server.url, '/auth/v1/token', {
      method: 'POST',
      headers: { host: acme },
    })
    expect(posted.status).toBe(405)
  })

  it('takes reports of its names, wherever the form is', async () => {
    const file = (host: string, name: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = {
          host,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        }
        const options = { port: new URL(server.url).port, path: '/report', method: 'POST', headers }
        request(options, (answer) => {
          answer.resume()
          resolve(answer.statusCode ?? 0)
        })
          .on('error', reject)
          .end(new URLSearchParams({ name, reason: 'spam', details: '', email: '' }).toString())
      })
    expect(await file('hop.example', `https://${acme}/shared`)).toBe(303)
    expect(await file('hop.example', 'shared')).toBe(303)
    expect(await file(beta, 'shared')).toBe(303)
    expect(await file(beta, 'https://hop.example/shared')).toBe(303)
    for (const host of hosts) expect(await file(host, 'https://unknown.example/shared')).toBe(422)
    const rows = await server.sql<{ destination: string }>(
      'select destination from app.abuse_reports order by created_at',
    )
    expect(rows.map(({ destination }) => destination)).toEqual(
      [acme, 'hop.example', beta, 'hop.example'].map((host) => urlOf(host, 'shared')),
    )
  })

  it('has its blocks: one of a name is for that host alone', async () => {
    const [domain] = await server.sql<{ id: number }>(
      'select id from app.domains where host = $1',
      [beta],
    )
    const key = `${domain?.id}/beta`
    await server.sql(`insert into app.blocks (kind, value) values ('link', $1)`, [key])
    await server.sql(`select pg_notify('hoplet_names', $1)`, [key])
    await expect.poll(async () => (await get(beta, '/beta')).status).toBe(410)
    expect((await get(beta, '/shared')).location).toBe(urlOf(beta, 'shared'))
  })

  it('is dark as soon as it is not served, and shows no link of the server before', async () => {
    const owner = await plantOwner(server.sql)
    const id = await plantDomain(server, 'short-lived.example', owner)
    await plantLinks(server.sql, [{ code: `${id}/gone-soon`, url: urlOf('x', 'gone-soon') }], owner)
    for (const connection of lanes) {
      expect((await get('short-lived.example', '/gone-soon', { connection })).status).toBe(302)
      expect((await get('short-lived.example', '/own', { connection })).location).toBe('/404')
    }
    await server.sql('update app.domains set is_served = false where id = $1', [id])
    for (const connection of lanes)
      await expect
        .poll(async () => (await get('short-lived.example', '/gone-soon', { connection })).location)
        .toBe('/404')
    // Now it is an unknown host, and the setting decides.
    expect((await get('short-lived.example', '/own')).location).toBe(urlOf('hop.example', 'own'))
  })

  it('belongs to one account at a time, and an unproven row blocks nobody', async () => {
    const [one, other] = [await plantOwner(server.sql), await plantOwner(server.sql)]
    const insert = (owner: string, isServed: boolean) =>
      server.sql('insert into app.domains (user_id, host, is_served) values ($1, $2, $3)', [
        owner,
        'twice.example',
        isServed,
      ])
    await insert(one, false)
    await insert(other, true)
    await expect(insert(one, true)).rejects.toThrow('domains_served')
  })
})
