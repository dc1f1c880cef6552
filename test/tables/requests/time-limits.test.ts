/** @module-tag extended */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'

// A row of a link is locked for six seconds: longer than a write to one table may take, shorter than a change of all links.
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const write = async (owner: TestUser, method: string, path: string, body?: object) => {
  const { status } = await fetch(server.url + path, {
    method,
    headers: { ...owner.headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return status
}

/** An account with a link that has a tag and a popup, and the lock of the link. */
async function makeLocked() {
  const owner = await makeUser(server)
  const [popup] = await server.sql<{ id: string }>(
    `insert into app.popups (user_id, title) values ($1, 'x') returning id`,
    [owner.id],
  )
  const { id } = await makeLink(server, owner, {
    tags: ['one'],
    show_popup: true,
    popup_id: popup?.id ?? null,
  })
  const lock = server.sql(
    `with locked as materialized (select id from app.shortened_urls where id = $1 for update)
      select pg_sleep(6) from locked`,
    [id],
  )
  return { owner, id, popup: popup?.id, lock }
}

describe('a write that waits for six seconds', () => {
  it('is refused where it changes one link (control)', async () => {
    const { owner, id, lock } = await makeLocked()
    const path = `/rest/v1/shortened_urls?id=eq.${id}`
    expect(await write(owner, 'PATCH', path, { title: 'x' })).toBe(503)
    await lock
    expect(await write(owner, 'PATCH', path, { title: 'x' })).toBe(204)
  })

  it('renames a tag on all links', async () => {
    const { owner, lock } = await makeLocked()
    expect(await write(owner, 'PATCH', '/rest/v1/tags?name=eq.one', { name: 'two' })).toBe(204)
    await lock
    expect(
      await server.sql('select tags from app.shortened_urls where user_id = $1', [owner.id]),
    ).toEqual([{ tags: ['two'] }])
  })

  it('deletes a popup of all links', async () => {
    const { owner, popup, lock } = await makeLocked()
    expect(await write(owner, 'DELETE', `/rest/v1/popups?id=eq.${popup}`)).toBe(204)
    await lock
  })

  it('deletes an account', async () => {
    const { owner, lock } = await makeLocked()
    expect(await write(owner, 'DELETE', '/auth/v1/user', {})).toBe(204)
    await lock
    expect(await server.sql('select from auth.users where id = $1', [owner.id])).toEqual([])
  })
})
