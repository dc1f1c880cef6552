import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const settings = { format: 'L7160', dx: 0.5, dy: -1 }

it('settings of labels belong to their account, are in its export, and leave with it', async () => {
  const ann = await makeUser(server)
  const bob = await makeUser(server)
  const change = async (who: typeof ann, value: unknown) => {
    const path = `${server.url}/rest/v1/profiles?id=eq.${ann.id}`
    const response = await fetch(path, {
      method: 'PATCH',
      headers: {
        ...who.headers,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      body: JSON.stringify({ label_settings: value }),
    })
    return { status: response.status, body: (await response.json()) as unknown }
  }
  expect(await change(ann, settings)).toMatchObject({ body: [{ label_settings: settings }] })
  expect(await change(bob, { format: '5160' })).toEqual({ status: 200, body: [] })
  const exported = await fetch(`${server.url}/auth/v1/user/export`, { headers: ann.headers })
  expect(await exported.json()).toMatchObject({
    profile: { id: ann.id, label_settings: settings },
  })
  // No more than 200 bytes, and nothing but an object.
  const refused = {
    status: 400,
    body: { message: 'The settings of labels are an object of at most 200 bytes' },
  }
  for (const value of [[1], 'L7160', 5, { format: 'x'.repeat(200) }])
    expect(await change(ann, value)).toMatchObject(refused)
  // The control.
  expect((await change(ann, { format: 'x'.repeat(150) })).status).toBe(200)
  expect((await change(ann, settings)).status).toBe(200)
  // An owner of the address who takes the account over starts without them.
  await server.sql('select app.delete_claims($1)', [ann.id])
  expect(
    await server.sql('select label_settings from app.profiles where id = $1', [ann.id]),
  ).toEqual([{ label_settings: null }])
})
