import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLab } from '../lab.ts'

/** Media types, bodies, PUT and preferences. */

let lab: Awaited<ReturnType<typeof openLab>>
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.close())

describe('media types, bodies and preferences', () => {
  const csv = { accept: 'text/csv' }
  it('answers CSV', async () => {
    const read = await lab.send('places?select=id,name,"a,b":tags&order=id', { headers: csv })
    expect(read.headers?.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(read.body).toBe(
      'id,name,"a,b"\n1,Attic,"{old,high}"\n2,"Barn, red","{old,wide}"\n3,Cellar,',
    )
    expect((await lab.send('places?select=id&id=eq.9', { headers: csv })).body).toBe('id\n')
  })

  it('takes CSV, a form, a list and one object', async () => {
    const prefer = 'return=representation'
    const post = (body: string, type: string, more = {}) =>
      lab.send('people?select=id,name,home', {
        method: 'POST',
        body,
        headers: { 'content-type': type, prefer, ...more },
      })
    expect(await post('id,name,home\n30,"Dee, ""D""",1\n31,Eve,NULL\n', 'text/csv')).toMatchObject({
      status: 201,
      body: [
        { id: 30, name: 'Dee, "D"', home: 1 },
        { id: 31, name: 'Eve', home: null },
      ],
    })
    expect(await post('id=32&name=Flo+G', 'application/x-www-form-urlencoded')).toMatchObject({
      status: 201,
      body: [{ id: 32, name: 'Flo G', home: null }],
    })
    const list = [
      { id: 33, name: 'Gus' },
      { id: 34, name: 'Hal', home: 1 },
    ]
    const missing = { prefer: `${prefer}, missing=default` }
    const inserted = await post(JSON.stringify(list), 'application/json', { ...missing, ...csv })
    expect(inserted.body).toBe('id,name,home\n33,Gus,\n34,Hal,1')
    for (const [body, type, status] of [
      ['id,name\n40,"open', 'text/csv', 400],
      ['id,name\n40', 'text/csv', 400],
      ['', 'text/csv', 400],
      ['<a/>', 'text/xml', 415],
      ['a\n1\n2\n3\n4\n5\n6', 'text/csv', 400],
    ] as const)
      expect(await post(body, type)).toMatchObject({ status, body: { code: 'PGRST102' } })
    await lab.sql('delete from lab.people where id >= 30')
  })

  it('puts one row under its key', async () => {
    const put = (path: string, body: unknown, prefer = 'return=representation') =>
      lab.send(path, { method: 'PUT', body: JSON.stringify(body), headers: { prefer } })
    const row = { id: 50, name: 'Ida' }
    expect(await put('people?id=eq.50', row)).toMatchObject({ status: 201, body: [row] })
    expect(await put('people?id=eq.50', { ...row, name: 'Ivy' })).toMatchObject({
      status: 200,
      body: [{ name: 'Ivy' }],
    })
    expect(await put('people?id=eq.50', row, 'return=minimal')).toMatchObject({ status: 204 })
    const stay = { person: 50, place: 1, nights: 2 }
    expect(await put('stays?person=eq.50&place=eq.1', stay)).toMatchObject({ status: 201 })
    for (const [path, body, status, code] of [
      ['people?name=eq.Ida', row, 405, 'PGRST105'],
      ['people?id=gt.1', row, 405, 'PGRST105'],
      ['people', row, 405, 'PGRST105'],
      ['people?id=eq.50&name=eq.Ida', row, 405, 'PGRST105'],
      ['stays?person=eq.50', stay, 405, 'PGRST105'],
      ['people?id=eq.51', row, 400, 'PGRST115'],
      ['people?id=eq.50', [row, row], 400, 'PGRST115'],
      ['people?id=eq.50&limit=1', row, 400, 'PGRST109'],
    ] as const)
      expect(await put(path, body)).toMatchObject({ status, body: { code } })
    await lab.sql('delete from lab.stays where person = 50; delete from lab.people where id = 50')
  })

  it('embeds in the answer of a change', async () => {
    const prefer = 'return=representation'
    const changed = await lab.send('people?select=id,passports(number),at:work(name)&id=eq.1', {
      method: 'PATCH',
      body: '{"work":3}',
      headers: { prefer },
    })
    expect(changed.body).toEqual([{ id: 1, passports: { number: 'X1' }, at: { name: 'Cellar' } }])
    await lab.sql('update lab.people set work = 2 where id = 1')
  })

  it('writes times in the zone that a client prefers, and refuses preferences that it would ignore', async () => {
    const at = (zone: string, more = '') =>
      lab.send('places?select=at&id=eq.1', { headers: { prefer: `timezone=${zone}${more}` } })
    expect(await at('Asia/Tokyo')).toMatchObject({ body: [{ at: '2026-01-01T21:00:00+09:00' }] })
    expect((await at('Asia/Tokyo')).headers?.get('preference-applied')).toBe('timezone=Asia/Tokyo')
    expect(await at('Mars/Base')).toMatchObject({ body: [{ at: '2026-01-01T12:00:00+00:00' }] })
    expect(await at('Mars/Base', ', handling=strict')).toMatchObject({
      status: 400,
      body: { code: 'PGRST122' },
    })
    expect(await lab.send('places', { headers: { prefer: 'tx=rollback' } })).toMatchObject({
      status: 400,
      body: { code: 'PGRST122' },
    })
  })
})
