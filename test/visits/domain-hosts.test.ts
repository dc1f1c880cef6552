import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { plantBio } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { plantDomain, plantLinks, plantOwner } from './plant.ts'
import { visit } from './visit.ts'

const url = 'https://example.com/of-the-link'
/** `Connection: keep-alive` stays on the fast lane, `close` is for node:http. */
const lanes = ['keep-alive', 'close'] as const

const known = (on: TestServer, host: string) =>
  expect.poll(() => on.context.hosts.mayHaveCertificate(host), { timeout: 60_000 }).toBe(true)

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ publicUrl: 'https://hop.example', unknownHosts: 'refuse' })
  await plantLinks(server.sql, [{ code: 'own', url }])
})
afterAll(() => server.close())

const get = (host: string, target: string, headers: Record<string, string> = {}) =>
  visit(server.url, target, { headers: { host, ...headers } })

describe('the root of a domain', () => {
  it('is a plain page without the app', async () => {
    await plantDomain(server.sql, 'plain.example')
    await known(server, 'plain.example')
    for (const target of ['/', '/?ref=x']) {
      const { status, body, header, rawHeaders } = await get('plain.example', target)
      expect([target, status, header('content-type')]).toEqual([
        target,
        200,
        'text/html; charset=utf-8',
      ])
      expect(body).toContain('<h1 class="notice-title">plain.example</h1>')
      expect(header('cache-control')).toBe('no-store')
      expect(rawHeaders.join(' ').toLowerCase()).not.toContain('set-cookie')
    }
    const posted = await visit(server.url, '/', {
      method: 'POST',
      headers: { host: 'plain.example' },
    })
    expect(posted.status).toBe(405)
    // The control: the own host has the app there.
    expect((await get('hop.example', '/')).body).not.toContain('notice-title')
  })

  it('leads to the address that its owner chose, and so do missing codes', async () => {
    const [root, missing] = ['https://acme.example/home', 'https://acme.example/lost?a=b']
    const { id, owner } = await plantDomain(server.sql, 'go.acme.example', {
      root_url: root,
      missing_url: missing,
    })
    await plantLinks(server.sql, [{ code: `${id}/menu`, url }], owner)
    await known(server, 'go.acme.example')
    for (const connection of lanes) {
      const at = (target: string) => get('go.acme.example', target, { connection })
      expect(await at('/')).toMatchObject({ status: 302, location: root })
      expect(await at('/?utm=1')).toMatchObject({ status: 302, location: root })
      expect((await at('/')).header('cache-control')).toBe('private, no-store')
      expect((await at('/menu')).location).toBe(url)
      for (const target of ['/own', '/own+', '/q/own', '/a/b/c', '/index.php', '/dashboard'])
        expect([target, (await at(target)).location]).toEqual([target, missing])
      // The page that says so stays, and so do the paths that are served.
      expect((await at('/404')).status).toBe(404)
      expect((await at('/favicon.ico')).location).toBe('/icon-192.png')
    }
  })

  it('leads to the bio page of the account, wherever that is', async () => {
    const { id, owner } = await plantDomain(server.sql, 'bio.example', {
      root_url: 'bio',
      missing_url: 'bio',
    })
    await known(server, 'bio.example')
    const { body, status } = await get('bio.example', '/')
    expect([status, body.includes('notice-title')]).toEqual([200, true])
    expect((await get('bio.example', '/nothing')).location).toBe('/404')
    await plantBio(server.sql, { columns: { user_id: owner, slug: 'acme-menu' } })
    const location = async () => (await get('bio.example', '/')).location
    await expect.poll(location, { timeout: 30_000 }).toBe('https://hop.example/acme-menu')
    expect((await get('bio.example', '/nothing')).location).toBe('https://hop.example/acme-menu')
    await server.sql(`
      begin; set local session_replication_role = replica;
      update app.bio_pages set slug = '${id}/menu' where slug = 'acme-menu'; commit;
      select pg_notify('hoplet_domains', '${id}')`)
    await expect.poll(location, { timeout: 30_000 }).toBe('https://bio.example/menu')
    await server.sql('delete from app.bio_pages where user_id = $1', [owner])
    await expect.poll(location, { timeout: 30_000 }).toBeUndefined()
  })

  it('leads nowhere while its account or the address is blocked', async () => {
    const root = 'https://soon-blocked.example/'
    const { owner } = await plantDomain(server.sql, 'blocked-root.example', { root_url: root })
    await known(server, 'blocked-root.example')
    const location = async () => (await get('blocked-root.example', '/')).location
    expect(await location()).toBe(root)
    for (const [kind, value] of [
      ['host', 'soon-blocked.example'],
      ['user', owner],
    ]) {
      await server.sql('insert into app.blocks (kind, value) values ($1, $2)', [kind, value])
      await expect.poll(location, { timeout: 30_000 }).toBeUndefined()
      await server.sql('delete from app.blocks where value = $1', [value])
      await expect.poll(location, { timeout: 30_000 }).toBe(root)
    }
  })

  it('does not lead to itself', async () => {
    await plantDomain(server.sql, 'circle.example', { root_url: 'https://CIRCLE.example/x' })
    await known(server, 'circle.example')
    expect((await get('circle.example', '/')).status).toBe(200)
  })
})

describe('www. of a domain', () => {
  it.each(lanes)('leads to it if it is a registered domain (%s)', async (connection) => {
    const apex = `${connection}-apex.example`
    await plantDomain(server.sql, apex, { registered_domain: apex })
    await plantDomain(server.sql, `go.${apex}`, { registered_domain: apex })
    await known(server, `www.${apex}`)
    await known(server, `go.${apex}`)
    const at = (host: string, target: string) => get(host, target, { connection })
    for (const [host, target] of [
      [`www.${apex}`, '/menu?a=b&c=%20d'],
      [`WWW.${apex}.:443`, '/'],
      [`www.${apex}`, '//evil.example/x'],
      [`www.${apex}`, '/a/b+c'],
    ] as const) {
      const { status, location, header } = await at(host, target)
      expect([status, location]).toEqual([308, `https://${apex}${target}`])
      expect(header('cache-control')).toBe('private, max-age=90')
    }
    expect((await at(`www.go.${apex}`, '/menu')).status).toBe(421)
    expect((await at(`www.www.${apex}`, '/menu')).status).toBe(421)
  })

  it('is a domain itself if an account has it', async () => {
    await plantDomain(server.sql, 'both.example', { registered_domain: 'both.example' })
    const www = await plantDomain(server.sql, 'www.both.example', {
      registered_domain: 'both.example',
    })
    await plantLinks(server.sql, [{ code: `${www.id}/menu`, url }], www.owner)
    await known(server, 'both.example')
    for (const connection of lanes) {
      const found = async () => (await get('www.both.example', '/menu', { connection })).location
      await expect.poll(found, { timeout: 30_000 }).toBe(url)
    }
    await server.sql('update app.domains set is_served = false, is_proven = false where id = $1', [
      www.id,
    ])
    for (const connection of lanes) {
      const found = async () => (await get('www.both.example', '/menu', { connection })).location
      await expect.poll(found, { timeout: 30_000 }).toBe('https://both.example/menu')
    }
  })
})

describe('/.well-known/hoplet', () => {
  const path = '/.well-known/hoplet'

  it('names the installation at every host, also before it is served', async () => {
    const [row] = await server.sql<{ id: string }>('select public_id as id from app.installation')
    await plantDomain(server.sql, 'proven.example', { is_served: false })
    await known(server, 'proven.example')
    for (const connection of lanes)
      for (const host of [
        'hop.example',
        'proven.example',
        'nobody.example',
        '192.0.2.7',
        'plain.example',
        'x y',
      ])
        for (const target of [path, `${path}?x=1`]) {
          const { status, body, header } = await get(host, target, { connection })
          expect([host, status, JSON.parse(body)]).toEqual([host, 200, { hoplet: row?.id }])
          expect(header('content-type')).toBe('application/json')
          expect(header('strict-transport-security')).toBeUndefined()
        }
    // The control: nothing else is served there.
    expect((await get('proven.example', '/own')).status).toBe(421)
    expect((await get('proven.example', `${path}/x`)).status).toBe(421)
    const posted = await visit(server.url, path, { method: 'POST' })
    expect(posted.status).toBe(405)
  })
})

describe('the domains in memory', () => {
  it('follow a change by its row alone', async () => {
    const quiet = await startTestServer({ publicUrl: 'https://hop.example' })
    const ids = await Promise.all(
      ['one.example', 'two.example'].map((host) => plantDomain(quiet.sql, host)),
    )
    await known(quiet, 'one.example')
    await known(quiet, 'two.example')
    const { domains } = quiet.context.hosts
    const change = vi.spyOn(domains, 'change')
    const { id } = ids[1] ?? { id: 0 }
    await quiet.sql(`update app.domains set root_url = 'https://two.example.com/' where id = $1`, [
      id,
    ])
    await vi.waitFor(() => expect(domains.placeAt('two.example')?.root).toBeDefined(), 30_000)
    // Columns of checks cost the servers nothing.
    await quiet.sql('update app.domains set checked_at = now() where id = $1', [id])
    await quiet.sql('delete from app.domains where id = $1', [id])
    await vi.waitFor(() => expect(domains.allows('two.example')).toBe(false), 30_000)
    expect(change.mock.calls.map(([changed, rows]) => [changed, rows.length])).toEqual([
      [[id], 1],
      [[id], 0],
    ])
    expect(domains.allows('one.example')).toBe(true)
    await quiet.close()
  })

  it('agree with the rows after 300 random changes', async () => {
    const hosts = Array.from({ length: 6 }, (_, i) => `random-${i}.example`)
    const owner = await plantOwner(server.sql)
    const changes = fc.record({
      host: fc.constantFrom(...hosts),
      isGone: fc.boolean(),
      isServed: fc.boolean(),
      isProven: fc.boolean(),
    })
    for (const { host, isGone, isServed, isProven } of fc.sample(changes, {
      numRuns: 300,
      seed: 54,
    }))
      if (isGone)
        await server.sql('delete from app.domains where (host, user_id) = ($1, $2)', [host, owner])
      else
        await server.sql(
          `insert into app.domains (host, user_id, is_served, is_proven) values ($1, $2, $3, $4)
            on conflict (user_id, host) do update set is_served = $3, is_proven = $4`,
          [host, owner, isServed, isProven],
        )
    const rows = async () =>
      server.sql<{ host: string; is_served: boolean; allowed: boolean }>(
        `select h as host, coalesce(d.is_served, false) as is_served, coalesce(d.is_served or d.is_proven, false) as allowed
          from unnest($1::text[]) h left join app.domains d on d.host = h and d.user_id = $2`,
        [hosts, owner],
      )
    const inMemory = () =>
      hosts.map((host) => ({
        host,
        is_served: server.context.hosts.knownPlaceAt(host) !== undefined,
        allowed: server.context.hosts.mayHaveCertificate(host),
      }))
    const expected = await rows()
    await expect.poll(inMemory, { timeout: 30_000 }).toEqual(expected)
  })
})
