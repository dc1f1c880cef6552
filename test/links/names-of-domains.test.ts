import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { plantLinks } from '../visits/plant.ts'

const host = 'go.acme.example'

let server: TestServer
let owner: TestUser
let domain: number
const destination = { own: 'https://example.com/own', domain: 'https://example.com/domain' }

beforeAll(async () => {
  server = await startTestServer({ publicUrl: 'https://hop.example' })
  owner = await makeUser(server)
  const [row] = await server.sql<{ id: number }>(
    'insert into app.domains (user_id, host, is_served) values ($1, $2, true) returning id',
    [owner.id, host],
  )
  domain = row?.id ?? 0
  await plantLinks(server.sql, [{ code: 'menu', url: destination.own }])
  await plantLinks(server.sql, [{ code: `${domain}/menu`, url: destination.domain }], owner.id)
  await vi.waitUntil(() => server.context.hosts.knownPlaceAt(host), { timeout: 60_000 })
})
afterAll(() => server.close())

const call = async (user: TestUser, name: string, args: object): Promise<unknown> => {
  const response = await fetch(`${server.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  })
  if (!response.ok) throw new Error(`${name}: ${await response.text()}`)
  return response.status === 204 ? undefined : response.json()
}

const value = async <Row>(text: string, values: unknown[] = []): Promise<Row | undefined> => {
  const [row] = await server.sql<{ value: Row }>(`select ${text} as value`, values)
  return row?.value
}

describe('the key of a name', () => {
  it('is read from a bare name, and from a host with a name, in any case', async () => {
    for (const [named, key] of [
      ['menu', 'menu'],
      [' Menu ', 'menu'],
      ['hop.example/menu', 'menu'],
      ['www.hop.example:443/menu', 'menu'],
      [`${host}/menu`, `${domain}/menu`],
      ['GO.Acme.example./MENU', `${domain}/menu`],
      [`${host}:443/menu`, `${domain}/menu`],
      ['unknown.example/menu', null],
      // The key itself is no address.
      [`${domain}/menu`, null],
      [`${host}/a/b`, null],
      [`https://${host}/menu`, null],
      ['/menu', null],
      ['a b', null],
      [`${'x'.repeat(5_000)}/menu`, null],
    ] as const)
      expect([named, await value('app.key_of($1)', [named])]).toEqual([named, key])
  })

  it('is shown as the host with the name, and as the name when the domain is gone', async () => {
    expect(await value('app.shown_name($1)', [`${domain}/menu`])).toBe(`${host}/menu`)
    expect(await value('app.shown_name($1)', ['menu'])).toBe('menu')
    expect(await value('app.shown_name($1)', ['2000000000/menu'])).toBe('menu')
  })

  it('of a host that is not served is none', async () => {
    await server.sql('update app.domains set is_served = false where id = $1', [domain])
    expect(await value('app.key_of($1)', [`${host}/menu`])).toBeNull()
    await server.sql('update app.domains set is_served = true where id = $1', [domain])
    expect(await value('app.key_of($1)', [`${host}/menu`])).toBe(`${domain}/menu`)
  })
})

describe('a name on a domain', () => {
  it('has its history under its host; the bare name is that of the own host', async () => {
    await server.sql(`insert into app.link_history (link_id, from_url)
      select id, 'https://example.com/before' from app.shortened_urls where short_code = '${domain}/menu'`)
    const history = (code: string) => call(owner, 'link_history', { _short_code: code })
    expect(await history(`${host}/menu`)).toMatchObject([
      { from_url: 'https://example.com/before' },
    ])
    expect(await history('menu')).toEqual([])
  })

  it('cannot be that of a brand', async () => {
    const claims = (name: string) => value('app.claim_name($1, $2, $3)', [name, 'link', owner.id])
    expect(await claims(`${domain}/paypal`)).toBe(false)
    expect(await claims(`${domain}/pay-pal`)).toBe(false)
    expect(await claims(`${domain}/lunch`)).toBe(true)
    // Pages of the own host are names as others there.
    expect(await claims(`${domain}/dashboard`)).toBe(true)
    expect(await claims('dashboard')).toBe(false)
  })

  it('is blocked alone, under its host, and admins read it so', async () => {
    const admin = await makeUser(server, { role: 'admin' })
    const block = { _kind: 'link', _value: `${host}/menu` }
    await call(admin, 'admin_block', { ...block, _reason: 'test' })
    expect(await value(`array(select value from app.blocks where kind = 'link')`)).toEqual([
      `${domain}/menu`,
    ])
    expect(await call(admin, 'admin_blocks', {})).toMatchObject([
      { kind: 'link', value: `${host}/menu` },
    ])
    expect(
      await call(admin, 'admin_find_links', { _by: 'code', _value: `${host}/MENU` }),
    ).toMatchObject([
      { short_code: `${host}/menu`, original_url: destination.domain, blocked: 'link' },
    ])
    expect(await call(admin, 'admin_find_links', { _by: 'code', _value: 'menu' })).toMatchObject([
      { short_code: 'menu', original_url: destination.own, blocked: null },
    ])
    await call(admin, 'admin_unblock', block)
    expect(await call(admin, 'admin_blocks', {})).toEqual([])
    await server.sql(
      `insert into app.abuse_reports (name, target_kind, reason) values ('${domain}/menu', 'unknown', 'spam')`,
    )
    expect(await call(admin, 'admin_reports', {})).toMatchObject([{ name: `${host}/menu` }])
  })

  it('is named with its host in the counts of missed codes, for those who had it', async () => {
    await server.sql('insert into app.former_codes (user_id, code) values ($1, $2)', [
      owner.id,
      `${domain}/gone`,
    ])
    await value('app.add_missed_visits($1)', [JSON.stringify({ [`${domain}/gone`]: 3, gone: 5 })])
    const today = new Date().toISOString().slice(0, 10)
    await server.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [owner.id])
    const missed = await call(owner, 'missed_codes', { _from: '2020-01-01', _to: today })
    expect(missed).toMatchObject([{ code: `${host}/gone`, visits: 3, is_free: false }])
  })
})
