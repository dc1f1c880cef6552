import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plainQrLook } from '#domain/qr/qr-look.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

interface Look {
  id: string
  name: string
  look: unknown
  is_default: boolean
}

const returned = { prefer: 'return=representation' }
const add = (who: Account, row: object | object[]) =>
  send(server, who, 'POST', 'qr_looks', row, returned)
const looksOf = async (who: Account) =>
  (await send(server, who, 'GET', 'qr_looks?order=name')).body as Look[]
const defaultsOf = async (who: Account) =>
  (await looksOf(who)).filter((look) => look.is_default).map(({ name }) => name)

describe('looks of QR codes', () => {
  it('are stored complete, and belong to their account alone', async () => {
    const ann = await makeAccount(server)
    const bob = await makeAccount(server)
    const made = await add(ann, { name: ' Autumn ', look: { cells: 'dots', color: '#A8430A' } })
    const look = { ...plainQrLook, cells: 'dots', color: '#a8430a' }
    expect(made).toMatchObject({ status: 201, body: [{ name: 'Autumn', look, is_default: false }] })
    const id = (made.body as Look[])[0]?.id ?? ''
    expect(await looksOf(bob)).toEqual([])
    const where = `qr_looks?id=eq.${id}`
    expect((await send(server, bob, 'PATCH', where, { name: 'Mine' }, returned)).body).toEqual([])
    expect((await send(server, bob, 'DELETE', where, undefined, returned)).body).toEqual([])
    expect((await add(bob, { name: 'x', look: {}, user_id: ann.id })).status).toBe(403)
    const changed = await send(server, ann, 'PATCH', where, { look: { quiet: 6 } }, returned)
    expect(changed.body).toMatchObject([{ name: 'Autumn', look: { ...plainQrLook, quiet: 6 } }])
    // The control: the other account may have one with the same name.
    expect((await add(bob, { name: 'Autumn', look: {} })).status).toBe(201)
    expect((await send(server, ann, 'DELETE', where)).status).toBe(204)
    expect([await looksOf(ann), (await looksOf(bob)).length]).toEqual([[], 1])
  })

  it.for([
    [{ look: { cells: 'stars' } }, 'cells is one of squares, rounded, dots, leaves'],
    [{ look: { color: 'red' } }, 'color must look like #1a2b3c'],
    [{ look: { logo: 'https://example.com/logo.png' } }, 'logo is a PNG as a data URL'],
    [{ look: { glow: 1 } }, 'a look has no glow'],
    [{ look: null }, 'a look is an object'],
    [{ look: '{}' }, 'a look is an object'],
    [{ look: [] }, 'a look is an object'],
    [{ name: '' }, 'The name of a look has 1 to 60 characters, without line breaks'],
    [{ name: ' \u200b ' }, 'The name of a look has 1 to 60 characters, without line breaks'],
    [{ name: 'x'.repeat(61) }, 'The name of a look has 1 to 60 characters, without line breaks'],
    [{ name: 'a\nb' }, 'The name of a look has 1 to 60 characters, without line breaks'],
  ] as const)('refuse %j', async ([part, message]) => {
    const ann = await makeAccount(server)
    const row = { name: 'x'.repeat(60), look: {} }
    const where = `qr_looks?name=eq.${row.name}`
    expect((await add(ann, row)).status).toBe(201)
    const refused = { status: 400, body: { code: '23514', message } }
    expect(await add(ann, { name: 'Other', look: {}, ...part })).toMatchObject(refused)
    expect(await send(server, ann, 'PATCH', where, part)).toMatchObject(refused)
    expect(await looksOf(ann)).toMatchObject([row])
  })

  it('are bounded in bytes also without the door', async () => {
    const ann = await makeAccount(server)
    const insert = (bytes: number) =>
      server.sql(`insert into app.qr_looks (user_id, name, look) values ($1, $2, $3)`, [
        ann.id,
        String(bytes),
        JSON.stringify({ logo: 'x'.repeat(bytes) }),
      ])
    await insert(39_980)
    await expect(insert(40_001)).rejects.toThrow(/qr_looks_look/)
  })

  it('are at most 20, also when two are added at once', async () => {
    const ann = await makeAccount(server)
    const rows = Array.from({ length: 19 }, (_, i) => ({ name: `Look ${i}`, look: {} }))
    expect((await add(ann, rows)).status).toBe(201)
    const both = await Promise.all(['a', 'b'].map((name) => add(ann, { name, look: {} })))
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
    expect(both.find(({ status }) => status === 400)?.body).toMatchObject({
      message:
        'You have 20 looks of QR codes, which is the most that an account can have. Please delete some first.',
    })
    expect(await looksOf(ann)).toHaveLength(20)
  })

  it('have one default at most, which moves', async () => {
    const ann = await makeAccount(server)
    const bob = await makeAccount(server)
    await add(bob, { name: 'b', look: {}, is_default: true })
    await add(ann, { name: 'a', look: {}, is_default: true })
    expect(await defaultsOf(ann)).toEqual(['a'])
    await add(ann, { name: 'b', look: {}, is_default: true })
    expect(await defaultsOf(ann)).toEqual(['b'])
    await send(server, ann, 'PATCH', 'qr_looks?name=eq.a', { is_default: true })
    expect(await defaultsOf(ann)).toEqual(['a'])
    const names = ['c', 'd', 'e', 'f']
    const added = await Promise.all(
      names.map((name) => add(ann, { name, look: {}, is_default: true })),
    )
    expect(added.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(await defaultsOf(ann)).toHaveLength(1)
    // All in one statement, the present default among them.
    const all = await send(server, ann, 'PATCH', 'qr_looks?name=neq.x', { is_default: true })
    expect(all.status).toBe(204)
    expect(await defaultsOf(ann)).toHaveLength(1)
    await send(server, ann, 'PATCH', 'qr_looks?name=neq.x', { is_default: false })
    expect(await defaultsOf(ann)).toEqual([])
    expect(await defaultsOf(bob)).toEqual(['b'])
  })

  it('go with their account, and into its export', async () => {
    const ann = await makeAccount(server)
    await add(ann, { name: 'Mine', look: {} })
    const exported = await fetch(`${server.url}/auth/v1/user/export`, {
      headers: ann.headers,
    })
    expect(await exported.json()).toMatchObject({ qr_looks: [{ name: 'Mine', look: plainQrLook }] })
    await server.sql('delete from auth.users where id = $1', [ann.id])
    expect(await server.sql('select from app.qr_looks where user_id = $1', [ann.id])).toEqual([])
  })
})
