import { beforeAll, describe, expect, it } from 'vitest'
import { plantBio } from '#test/pages/plant.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from './accounts.ts'

let server: TestServer
let ann: Account
let bob: Account
beforeAll(async () => {
  server = await sharedServer()
  ann = await makeAccount(server, { plan: 'business' })
  bob = await makeAccount(server, { plan: 'business' })
})
async function usesOf(who: Account, ids: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.url}/rest/v1/rpc/popup_uses`, {
    method: 'POST',
    headers: { ...who.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ _popup_ids: ids }),
  })
  return { status: response.status, body: await response.json() }
}

async function plantPopupOf(owner: Account): Promise<string> {
  const [row] = await server.sql<{ id: string }>(
    `insert into app.popups (user_id, title) values ($1, 'Hello') returning id`,
    [owner.id],
  )
  return row?.id ?? ''
}

async function plantLinks(owner: Account, popup: string, count: number): Promise<void> {
  await server.sql(
    `insert into app.shortened_urls (user_id, short_code, original_url, show_popup, popup_id)
      select $1, 'uses-' || left($2::text, 8) || n, 'https://example.com/', true, $2::uuid from generate_series(1, $3::integer) n`,
    [owner.id, popup, count],
  )
}

describe('where popups are used', () => {
  it('is counted for each of one’s own, and said of the bio page', async () => {
    const [unused, used] = [await plantPopupOf(ann), await plantPopupOf(ann)]
    await plantLinks(ann, used, 3)
    await plantBio(server.sql, { columns: { user_id: ann.id, popup_id: used } })
    const { status, body } = await usesOf(ann, [unused, used])
    expect(status).toBe(200)
    expect(body).toHaveLength(2)
    expect(body).toEqual(
      expect.arrayContaining([
        { popup_id: unused, links: 0, bio_page: false },
        { popup_id: used, links: 3, bio_page: true },
      ]),
    )
  })

  it('uses of other people’s popups are hidden, and need a sign-in', async () => {
    const popup = await plantPopupOf(ann)
    await plantLinks(ann, popup, 1)
    expect(await usesOf(bob, [popup])).toEqual({ status: 200, body: [] })
    const nobody = { ...bob, headers: { apikey: server.anonKey } } as unknown as Account
    expect((await usesOf(nobody, [popup])).status).toBe(401)
  })

  it('is counted up to 1,000, and nothing but a list of ids is asked for', async () => {
    const popup = await plantPopupOf(bob)
    await server.sql('alter table app.shortened_urls disable trigger user')
    await plantLinks(bob, popup, 1_200)
    await server.sql('alter table app.shortened_urls enable trigger user')
    expect((await usesOf(bob, [popup])).body).toEqual([
      { popup_id: popup, links: 1_000, bio_page: false },
    ])
    for (const ids of [null, {}, 7]) expect((await usesOf(bob, ids)).body).toEqual([])
    expect((await usesOf(bob, ['no id'])).status).toBe(400)
  })
})
