import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { newApiKeyText } from '#server/tokens/api-key-text.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeSpace } from '../spaces/space-client.ts'
import { type Account, makeAccount, send } from '../tables/accounts.ts'
import { plantLinks } from '../visits/plant.ts'
import { addDomain, ask, type DomainAnswer } from './stage.ts'

let server: TestServer
let owner: Account
beforeAll(async () => {
  server = await startTestServer({
    publicUrl: 'https://www.hop.example',
    linksUrl: 'https://go.hop.example',
    domains: {
      ...createConfig(parseVariables({})).domains,
      // Nothing answers there.
      dns: { servers: ['127.0.0.1:9'], timeoutMs: 100 },
      checkEveryMs: 86_400_000,
    },
  })
})
afterAll(() => server.close())
beforeEach(async () => {
  owner = await makeAccount(server, { plan: 'business' })
})

const add = (host: unknown, who = owner) => ask(server, who, 'POST', 'domains', { host })
const messageOf = ({ body }: Awaited<ReturnType<typeof ask>>) =>
  (body as { message: string; details: string | null }).message
const rowsOf = async (who = owner) =>
  (await ask(server, who, 'GET', 'domains?order=host')).body as DomainAnswer[]

describe('the host of a new domain', () => {
  it.each([
    ['BÜCHER.example.', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['go.brand.co.uk', 'go.brand.co.uk', 'brand.co.uk'],
    ['a.b.c.brand.github.io', 'a.b.c.brand.github.io', 'brand.github.io'],
    ['sub.hop.example', 'sub.hop.example', 'hop.example'],
    ['go.hop.example.evil.com', 'go.hop.example.evil.com', 'evil.com'],
  ])('%s is stored as %s below %s', async (typed, host, registered) => {
    expect(await addDomain(server, owner, typed)).toMatchObject({ host })
    const [row] = await server.sql<{ registered: string }>(
      'select registered_domain as registered from app.domains where user_id = $1',
      [owner.id],
    )
    expect(row?.registered).toBe(registered)
  })

  it.each([
    ['co.uk', /public suffix/],
    ['github.io', /public suffix/],
    ['hop.example', /host of this server/],
    ['www.hop.example', /host of this server/],
    ['go.hop.example', /host of this server/],
    ['WWW.GO.HOP.EXAMPLE', /host of this server/],
    ['blocked.example', /blocked here/],
    ['deep.below.blocked.example', /blocked here/],
    ['https://go.example', /without https/],
    ['go.example:8443', /no port/],
    ['127.0.0.1', /IP address/],
    ['*.go.example', /wildcard/],
    ['pаypal.com', /several scripts/],
    ['', /enter a domain/],
    [null, /enter a domain/],
    [7, /enter a domain/],
    [{ host: 'go.example' }, /enter a domain/],
    ['go.example brand.example', /letters, digits/],
    ['go.example\tbrand.example', /letters, digits/],
  ])('%j is refused with a sentence', async (host, sentence) => {
    await server.sql(
      `insert into app.blocks (kind, value) values ('host', 'blocked.example') on conflict do nothing`,
    )
    const refused = await add(host)
    expect([refused.status, messageOf(refused)]).toEqual([400, expect.stringMatching(sentence)])
    expect(await rowsOf()).toEqual([])
    // The control.
    expect((await add('go.fine.example')).status).toBe(201)
  })

  it('is the only column of the host: nobody names another registered domain or a state', async () => {
    for (const column of [
      'registered_domain',
      'token',
      'is_verified',
      'is_served',
      'records',
      'id',
    ])
      expect(
        (await ask(server, owner, 'POST', 'domains', { host: 'go.x.example', [column]: '1' }))
          .status,
      ).toBeGreaterThanOrEqual(400)
    const { id } = await addDomain(server, owner, 'go.x.example')
    for (const change of [{ host: 'other.example' }, { is_verified: true }, { problem: null }])
      expect((await ask(server, owner, 'PATCH', `domains?id=eq.${id}`, change)).status).toBe(403)
    const merged = await send(
      server,
      owner,
      'POST',
      'domains',
      { id, host: 'other.example' },
      { prefer: 'resolution=merge-duplicates' },
    )
    expect(merged.status).toBeGreaterThanOrEqual(400)
  })
})

describe('the root and the missing codes of a domain', () => {
  it('lead to an address, to the bio page or nowhere', async () => {
    const { id } = await addDomain(server, owner, 'go.brand.example')
    const set = (change: object) => ask(server, owner, 'PATCH', `domains?id=eq.${id}`, change)
    for (const [given, stored] of [
      ['https://brand.example', 'https://brand.example'],
      ['HTTPS://Brand.Example/ü', 'https://brand.example/%C3%BC'],
      ['bio', 'bio'],
      ['', null],
      [null, null],
    ]) {
      const { body } = await set({ root_url: given, missing_url: given })
      expect(body).toMatchObject([{ root_url: stored, missing_url: stored }])
    }
    for (const refused of [
      'javascript:alert(1)',
      'brand.example',
      'bio ',
      'https://go.brand.example/loop',
      'https://hop.example/dashboard',
      'https://x.blocked.example/',
      7,
    ]) {
      expect([refused, (await set({ root_url: refused })).status]).toEqual([refused, 400])
      expect([refused, (await set({ missing_url: refused })).status]).toEqual([refused, 400])
    }
  })

  it('never lead to a domain that is served, nor does a link', async () => {
    const other = await makeAccount(server)
    await server.sql('insert into app.domains (user_id, host, is_served) values ($1, $2, true)', [
      other.id,
      'served.example',
    ])
    const { id } = await addDomain(server, owner, 'go.brand.example')
    const link = (url: string) =>
      ask(server, owner, 'POST', 'shortened_urls', { original_url: url })
    for (const host of ['served.example', 'SERVED.example.']) {
      const url = `https://${host}/x`
      const change = { root_url: url }
      expect((await ask(server, owner, 'PATCH', `domains?id=eq.${id}`, change)).status).toBe(400)
      expect(await link(url)).toMatchObject({ status: 400, body: { message: 'Invalid URL' } })
    }
    expect((await link('https://www.served.example/x')).status).toBe(201)
    expect((await link('https://go.brand.example/x')).status).toBe(201)
  })
})

describe('the default domain', () => {
  it('is one of an account', async () => {
    const [one, two] = [
      await addDomain(server, owner, 'a.example'),
      await addDomain(server, owner, 'b.example'),
    ]
    const other = await makeAccount(server)
    await ask(server, other, 'POST', 'domains', { host: 'c.example', is_default: true })
    for (const { id } of [one, two, one])
      await ask(server, owner, 'PATCH', `domains?id=eq.${id}`, { is_default: true })
    expect((await rowsOf()).map(({ is_default: isDefault }) => isDefault)).toEqual([true, false])
    await ask(server, owner, 'POST', 'domains', { host: 'd.example', is_default: true })
    expect((await rowsOf()).map(({ is_default: isDefault }) => isDefault)).toEqual([
      false,
      false,
      true,
    ])
    expect((await rowsOf(other)).map(({ is_default: isDefault }) => isDefault)).toEqual([true])
  })
})

describe('the limits of domains', () => {
  it.each([
    ['free', 1],
    ['pro', 3],
    ['business', 10],
  ] as const)('of %s are %d', async (plan, most) => {
    const account = await makeAccount(server, { plan })
    for (let n = 0; n < most; n++) {
      const added = await addDomain(server, account, `n${n}.${plan}${n}.example`)
      await server.sql('update app.domains set is_served = true where id = $1', [added.id])
    }
    const refused = await add('more.example', account)
    expect([refused.status, refused.body]).toMatchObject([400, { hint: 'plan' }])
    expect(messageOf(refused)).toContain(`Your plan allows ${most} domain`)
  })

  it('are 5 domains that are not verified at a time', async () => {
    for (let n = 0; n < 5; n++) await addDomain(server, owner, `n${n}.x${n}.example`)
    const refused = await add('more.example')
    expect([refused.status, messageOf(refused)]).toEqual([400, expect.stringMatching(/^5 of your/)])
    await server.sql(
      `update app.domains set is_served = true where user_id = $1 and host like 'n0%'`,
      [owner.id],
    )
    expect((await add('more.example')).status).toBe(201)
  })

  it('are 20 hosts of a registered domain in 7 days, removed ones included', async () => {
    const remove = (id: number) => ask(server, owner, 'DELETE', `domains?id=eq.${id}`)
    for (let n = 0; n < 20; n++)
      await remove((await addDomain(server, owner, `n${n}.farm.example`)).id)
    const refused = await add('more.farm.example')
    expect([refused.status, messageOf(refused)]).toEqual([
      400,
      'You can add 20 hosts of farm.example in 7 days.',
    ])
    expect((await add('more.other.example')).status).toBe(201)
    // One of the twenty counts once, however often it comes and goes.
    for (let n = 0; n < 3; n++) await remove((await addDomain(server, owner, 'n0.farm.example')).id)
    await server.sql(
      `update app.former_domains set created_at = now() - interval '8 days' where user_id = $1`,
      [owner.id],
    )
    expect((await add('more.farm.example')).status).toBe(201)
  })

  it('are 100 additions in 7 days', async () => {
    await server.sql(
      `insert into app.former_domains (id, user_id, host, registered_domain, created_at)
        select 1000000 + n, $1, 'n' || n || '.example', 'n' || n || '.example', now() from generate_series(1, 99) n`,
      [owner.id],
    )
    expect((await add('fine.example')).status).toBe(201)
    const refused = await add('more.example')
    expect([refused.status, messageOf(refused)]).toEqual([
      400,
      'You can add 100 domains in 7 days.',
    ])
  })

  it('hold for additions at once, and one host is added once', async () => {
    const free = await makeAccount(server)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => add(`n${n}.race.example`, free)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const twice = await Promise.all([1, 2, 3].map(() => add('same.example')))
    expect(twice.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
    expect(twice.map(messageOf)).toContain('You have this domain already')
    expect(await rowsOf()).toHaveLength(1)
  })
})

describe('a domain that is removed', () => {
  it('comes back to its account with its id, its links and another token', async () => {
    const first = await addDomain(server, owner, 'back.example')
    await plantLinks(
      server.sql,
      [{ code: `${first.id}/menu`, url: 'https://example.com/' }],
      owner.id,
    )
    await ask(server, owner, 'PATCH', `domains?id=eq.${first.id}`, { root_url: 'bio' })
    expect((await ask(server, owner, 'DELETE', `domains?id=eq.${first.id}`)).body).toMatchObject([
      { link_count: 1 },
    ])
    expect(await rowsOf()).toEqual([])

    const foreign = await makeAccount(server)
    const theirs = await addDomain(server, foreign, 'back.example')
    expect(theirs.id).not.toBe(first.id)
    expect(theirs.link_count).toBe(0)
    const again = await addDomain(server, owner, 'back.example')
    expect(again).toMatchObject({ id: first.id, link_count: 1, root_url: null })
    expect(again.records[0]?.value).not.toBe(first.records[0]?.value)
    expect(
      await server.sql('select from app.former_domains where user_id = $1', [owner.id]),
    ).toEqual([])
  })

  it('is forgotten after 7 days, unless it has links', async () => {
    const [plain, linked] = [
      await addDomain(server, owner, 'plain.example'),
      await addDomain(server, owner, 'linked.example'),
    ]
    const fresh = await addDomain(server, owner, 'fresh.example')
    await plantLinks(
      server.sql,
      [{ code: `${linked.id}/menu`, url: 'https://example.com/' }],
      owner.id,
    )
    await ask(server, owner, 'DELETE', `domains?user_id=eq.${owner.id}`)
    await server.sql(
      `update app.former_domains set removed_at = now() - interval '8 days' where id = any ($1)`,
      [[plain.id, linked.id]],
    )
    await server.context.domainChecks.runPass()
    const left = await server.sql<{ id: number }>(
      'select id from app.former_domains where user_id = $1 order by id',
      [owner.id],
    )
    expect(left.map(({ id }) => id)).toEqual([linked.id, fresh.id])
  })

  it('goes with its account', async () => {
    const { id } = await addDomain(server, owner, 'gone.example')
    const other = await addDomain(server, owner, 'gone-too.example')
    await ask(server, owner, 'DELETE', `domains?id=eq.${id}`)
    await server.sql('delete from auth.users where id = $1', [owner.id])
    for (const table of ['domains', 'former_domains'])
      expect(
        await server.sql(`select from app.${table} where id = any ($1)`, [[id, other.id]]),
      ).toEqual([])
  })
})

it('the count of links is that of the domain, not of another id with the same first digits', async () => {
  const { id } = await addDomain(server, owner, 'count.example')
  await plantLinks(
    server.sql,
    [`${id}/a-1`, `${id}/b-1`, `${id}0/c-1`, `${id}1/d-1`, `a${id}`].map((code) => ({
      code,
      url: 'https://example.com/',
    })),
    owner.id,
  )
  expect(await rowsOf()).toMatchObject([{ link_count: 2 }])
})

describe('rights on domains', () => {
  it('editors and viewers of a space see them, and owners alone write', async () => {
    const space = await makeSpace(server)
    const added = await addDomain(server, space.owner, 'team.example')
    for (const role of ['editor', 'viewer'] as const) {
      const member = await space.join(role)
      expect(await rowsOf(member)).toMatchObject([{ id: added.id, host: 'team.example' }])
      expect((await add('other.example', member)).status).toBe(403)
      for (const method of ['PATCH', 'DELETE'])
        expect(
          (await ask(server, member, method, `domains?id=eq.${added.id}`, { root_url: null }))
            .status,
        ).toBe(403)
      expect(await rowsOf(member.person)).toEqual([])
    }
    expect(await rowsOf(space.owner)).toHaveLength(1)
  })

  it('a key needs domains:write to change them, and links:read to see them', async () => {
    const { id } = await addDomain(server, owner, 'key.example')
    const outcomes = async (scope: string) => {
      const who = await keyOf(owner, scope)
      const read = await send(server, who, 'GET', `domains?id=eq.${id}&select=host,records`)
      const write = await send(server, who, 'PATCH', `domains?id=eq.${id}`, { root_url: null })
      const made = await send(server, who, 'POST', 'domains', {
        host: `${scope.length}.key.example`,
      })
      return [read.status, write.status, made.status]
    }
    expect(await outcomes('links:read')).toEqual([200, 403, 403])
    expect(await outcomes('links:write')).toEqual([403, 403, 403])
    expect(await outcomes('domains:write')).toEqual([403, 204, 201])
    expect(await outcomes('domains:write links:read')).toEqual([200, 204, 201])
  })

  it('nobody sees a domain of another account', async () => {
    await addDomain(server, owner, 'mine.example')
    const foreign = await makeAccount(server)
    expect(await rowsOf(foreign)).toEqual([])
    expect((await send(server, undefined, 'GET', 'domains')).status).toBe(401)
  })
})

/** An API key of the account with these scopes. */
async function keyOf({ id }: Account, scope: string): Promise<{ headers: Record<string, string> }> {
  const { text, hash, hint } = newApiKeyText()
  await server.sql(
    'insert into auth.api_keys (user_id, name, hash, hint, scope) values ($1, $2, $3, $4, $5)',
    [id, scope, hash, hint, scope],
  )
  return { headers: { authorization: `Bearer ${text}` } }
}
