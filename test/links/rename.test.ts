import { beforeAll, describe, expect, it, vi } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

interface Link {
  id: string
  short_code: string
  aliases: string[]
}

const destination = 'https://example.com/renamed'
const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }
let next = 0
const newCode = () => `re-${next++}-${Math.random().toString(36).slice(2, 8)}`

async function make(owner: Account, code?: string): Promise<Link> {
  const row = { user_id: owner.id, original_url: destination, ...(code && { short_code: code }) }
  const { status, body } = await send(server, owner, 'POST', 'shortened_urls', row, single)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body as Link
}

const rename = (owner: Account, { id }: Pick<Link, 'id'>, code: string) =>
  send(server, owner, 'POST', 'rpc/rename_link', { _link: id, _code: code })

const usageOf = async (owner: Account) =>
  (
    await server.sql<{ links: number; codes: number }>(
      'select total_shortened_urls as links, total_custom_codes as codes from app.user_usage where user_id = $1',
      [owner.id],
    )
  )[0]

const leadsTo = (code: string, location: string | undefined) =>
  vi.waitFor(async () => expect((await visit(server.url, `/${code}`)).location).toBe(location), {
    timeout: 240_000,
  })

describe('a renamed link', () => {
  it('has both codes, costs a custom code and no link, and changes back for free', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const [old, wanted] = [newCode(), newCode()]
    const link = await make(owner, old)
    await leadsTo(old, destination)
    const before = await usageOf(owner)
    const renamed = await rename(owner, link, wanted.toUpperCase())
    expect(renamed).toMatchObject({
      status: 200,
      body: [{ id: link.id, short_code: wanted, aliases: [old] }],
    })
    expect(await usageOf(owner)).toEqual({ links: before?.links, codes: (before?.codes ?? 0) + 1 })
    await leadsTo(wanted, destination)
    await leadsTo(old, destination)
    const path = `shortened_urls?select=short_code,original_url&short_code=eq.${old}`
    for (const who of [undefined, owner])
      expect((await send(server, who, 'GET', path)).body).toEqual([
        { short_code: wanted, original_url: destination },
      ])
    await server.sql('update app.shortened_urls set original_url = $2 where id = $1', [
      link.id,
      `${destination}/2`,
    ])
    await leadsTo(old, `${destination}/2`)

    expect((await rename(owner, link, old)).body).toMatchObject([
      { short_code: old, aliases: [wanted] },
    ])
    expect((await usageOf(owner))?.codes).toBe((before?.codes ?? 0) + 1)
    await leadsTo(wanted, `${destination}/2`)
  })

  it('gives nothing back until an alias is released, which is held if the link was visited', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const [random, kept, visited] = [newCode(), newCode(), newCode()]
    const link = await make(owner)
    await rename(owner, link, random)
    await rename(owner, link, kept)
    expect((await usageOf(owner))?.codes).toBe(2)
    const release = (code: string, who = owner) =>
      send(server, who, 'POST', 'rpc/release_alias', { _code: code })
    expect((await release(random, await makeAccount(server))).status).toBe(404)
    expect((await release(random)).status).toBe(204)
    expect((await usageOf(owner))?.codes).toBe(1)
    await leadsTo(random, '/404')
    const other = await makeAccount(server)
    expect((await make(other, random)).short_code).toBe(random)

    await rename(owner, link, visited)
    await server.sql('update app.shortened_urls set click_count = 1 where id = $1', [link.id])
    expect((await release(kept)).status).toBe(204)
    expect((await usageOf(owner))?.codes).toBe(2)
    const taken = { user_id: other.id, original_url: destination, short_code: kept }
    expect((await send(server, other, 'POST', 'shortened_urls', taken)).status).toBe(409)
    await server.sql(
      `update app.names set released_at = now() - interval '31 days' where name = $1`,
      [kept],
    )
    await server.sql('select app.end_old_holds(10)')
    expect(await usageOf(owner)).toEqual({ links: 1, codes: 1 })
  })

  it('gives up its aliases when it is deleted', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const [old, wanted] = [newCode(), newCode()]
    const link = await make(owner, old)
    await rename(owner, link, wanted)
    await leadsTo(old, destination)
    await vi.waitFor(
      async () => {
        const [row] = await server.sql<{ n: string }>(
          'select click_count as n from app.shortened_urls where id = $1',
          [link.id],
        )
        expect(Number(row?.n)).toBeGreaterThan(0)
      },
      { timeout: 240_000 },
    )
    expect((await send(server, owner, 'DELETE', `shortened_urls?id=eq.${link.id}`)).status).toBe(
      204,
    )
    await leadsTo(old, '/404')
    const held = await server.sql<{ name: string; kind: string }>(
      'select name, kind from app.names where owner_id = $1 and released_at is not null order by kind',
      [owner.id],
    )
    expect(held).toEqual([
      { name: old, kind: 'alias' },
      { name: wanted, kind: 'link' },
    ])
  })

  it('has at most five aliases, and no name of somebody else', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const other = await makeAccount(server)
    const slug = newCode()
    await send(server, other, 'POST', 'bio_pages', { user_id: other.id, slug, title: 'Page' })
    const link = await make(owner, newCode())
    for (const code of [slug, 'paypal', 'admin'])
      expect(await rename(owner, link, code)).toMatchObject({
        status: 409,
        body: { message: 'Code Already Taken' },
      })
    for (const code of ['ab', 'with blank', 'ümlaut', ''])
      expect(await rename(owner, link, code)).toMatchObject({
        status: 400,
        body: { message: 'Invalid Custom Code' },
      })
    for (let i = 0; i < 5; i++) expect((await rename(owner, link, newCode())).status).toBe(200)
    const sixth = await rename(owner, link, newCode())
    expect(sixth.status).toBe(400)
    expect((sixth.body as { message: string }).message).toContain('at most 5 former codes')
    expect((await rename(other, link, newCode())).status).toBe(404)
  })

  it('meets the limit of custom codes', async () => {
    const owner = await makeAccount(server)
    const link = await make(owner, newCode())
    expect((await rename(owner, link, newCode())).status).toBe(200)
    expect(await rename(owner, link, newCode())).toMatchObject({
      status: 400,
      body: { message: 'Limit Reached' },
    })
  })

  it('is blocked under each of its codes, and a blocked one keeps its code', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const admin = await makeAccount(server, { role: 'admin' })
    const [old, wanted] = [newCode(), newCode()]
    const link = await make(owner, old)
    await rename(owner, link, wanted)
    await leadsTo(old, destination)
    await leadsTo(wanted, destination)
    const block = (verb: string) =>
      send(server, admin, 'POST', `rpc/admin_${verb}`, { _kind: 'link', _value: old })
    expect((await block('block')).status).toBe(204)
    for (const code of [old, wanted])
      await vi.waitFor(async () => expect((await visit(server.url, `/${code}`)).status).toBe(410), {
        timeout: 240_000,
      })
    expect((await rename(owner, link, newCode())).status).toBe(400)
  })
})

describe('a write that names another code', () => {
  it('is refused, because only a rename changes it', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const link = await make(owner, newCode())
    const path = `shortened_urls?id=eq.${link.id}`
    expect((await send(server, owner, 'PATCH', path, { short_code: newCode() })).status).toBe(403)
    expect((await send(server, owner, 'PATCH', path, { title: 'Control' })).status).toBe(204)
  })
})
