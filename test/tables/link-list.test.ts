import { beforeAll, describe, expect, it } from 'vitest'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from './accounts.ts'

interface Row {
  id: string
  short_code: string
  created_at: string
  click_count: number | null
  is_blocked: boolean | null
}

let server: TestServer
let ann: Account

beforeAll(async () => {
  server = await sharedServer()
  ann = await makeAccount(server, { plan: 'business' })
})
const list = (who: Account, args: object) => send(server, who, 'POST', 'rpc/list_links', args)

/** All pages of a list, each from the last row of the one before. */
async function allPages(who: Account, args: object, limit: number): Promise<string[]> {
  const codes: string[] = []
  for (let after: Row | undefined; ;) {
    const { status, body } = await list(who, { ...args, _after: after, _limit: limit })
    expect(status).toBe(200)
    const rows = body as Row[]
    codes.push(...rows.map(({ short_code }) => short_code))
    after = rows.at(-1)
    if (rows.length < limit) return codes
  }
}

/** Past the triggers, which would charge each row to its owner's plan. */
async function plant(who: Account, prefix: string, count: number): Promise<void> {
  await server.sql(
    `begin; set local session_replication_role = replica;
     insert into app.shortened_urls (user_id, short_code, original_url, created_at, click_count)
       select '${who.id}', '${prefix}' || n, 'https://' || case when n % 7 = 0 then 'rare' else 'often' end || '.example/' || n,
         now() - (n / 3) * interval '1 minute', (n * 37) % 11 from generate_series(1, ${count}) n;
     commit`,
  )
}

const byCode = (a: string, b: string) => (a < b ? -1 : 1)

describe('the list of links', () => {
  it('link_kinds says which filters find something', async () => {
    const one = await makeAccount(server, { plan: 'business' })
    const other = await makeAccount(server, { plan: 'business' })
    const kinds = async (who: Account) => (await send(server, who, 'GET', 'rpc/link_kinds')).body
    await plant(one, 'kinds', 3)
    expect(await kinds(one)).toEqual({
      off: false,
      blocked: false,
      archived: false,
      findings: false,
    })
    await server.sql(
      `update app.shortened_urls set is_disabled = short_code = 'kinds1',
         archived_at = case short_code when 'kinds1' then now() end where user_id = $1`,
      [one.id],
    )
    expect(await kinds(one)).toEqual({ off: true, blocked: false, archived: true, findings: false })
    await server.sql(
      `insert into app.blocks (kind, value) values ('link', 'kinds1'), ('link', 'kinds2')`,
    )
    expect(await kinds(one)).toEqual({ off: true, blocked: true, archived: true, findings: false })
    await server.sql(`delete from app.blocks where value = 'kinds2'`)
    expect(await kinds(one)).toMatchObject({ blocked: false })
    await server.sql(`delete from app.blocks where value = 'kinds1'`)
    expect(await kinds(other)).toEqual({
      off: false,
      blocked: false,
      archived: false,
      findings: false,
    })
    expect(await send(server, undefined, 'GET', 'rpc/link_kinds')).toMatchObject({ status: 401 })
  })

  it('has four orders, and each page goes on where the one before ended', async () => {
    await plant(ann, 'sorted', 53)
    const rows = await server.sql<Row>(
      'select id, short_code, created_at::text, click_count::integer from app.shortened_urls where user_id = $1',
      [ann.id],
    )
    const place = ({ created_at, id }: Row) => `${created_at} ${id}`
    const newest = rows.toSorted((a, b) => byCode(place(b), place(a)))
    const clicks = newest.toSorted((a, b) => (b.click_count ?? 0) - (a.click_count ?? 0))
    const codes = (some: Row[]) => some.map(({ short_code }) => short_code)
    for (const [sort, expected] of [
      ['newest', codes(newest)],
      ['oldest', codes(newest.toReversed())],
      ['clicks', codes(clicks)],
      ['code', codes(rows).toSorted(byCode)],
    ] as const) {
      expect(await allPages(ann, { _sort: sort }, 10), sort).toEqual(expected)
    }
    expect(await list(ann, { _sort: 'id; drop table' })).toMatchObject({
      status: 400,
      body: { message: 'unknown _sort' },
    })
  })

  it('finds and filters in each order, also far beyond the first 2,000 rows', async () => {
    const bea = await makeAccount(server, { plan: 'pro' })
    await plant(bea, 'deep', 5_000)
    await server.sql(
      `update app.shortened_urls set original_url = 'https://needle.example/' || short_code, click_count = 0
       where short_code in ('deep10', 'deep2500', 'deep4999')`,
    )
    await server.sql(
      `insert into app.popups (id, user_id, title, cta_text) values (gen_random_uuid(), $1, 'p', 'go')`,
      [bea.id],
    )
    await server.sql(
      `update app.shortened_urls set show_popup = true, popup_id = (select id from app.popups where user_id = $1)
       where short_code in ('deep11', 'deep4999')`,
      [bea.id],
    )
    const found = { _search: 'NEEDLE\nno such text' }
    for (const [sort, expected] of [
      ['newest', ['deep10', 'deep2500', 'deep4999']],
      ['oldest', ['deep4999', 'deep2500', 'deep10']],
      ['code', ['deep10', 'deep2500', 'deep4999']],
    ] as const) {
      expect(await allPages(bea, { ...found, _sort: sort }, 2), sort).toEqual(expected)
      expect(await allPages(bea, { ...found, _sort: sort }, 50), sort).toEqual(expected)
    }
    expect(await allPages(bea, { ...found, _sort: 'clicks' }, 2)).toHaveLength(3)
    expect(await allPages(bea, { _with_popup: true }, 1)).toEqual(['deep11', 'deep4999'])
    expect(await allPages(bea, { ...found, _with_popup: true, _never_clicked: true }, 50)).toEqual([
      'deep4999',
    ])
    expect(await allPages(bea, { _never_clicked: true, _sort: 'code' }, 200)).toHaveLength(
      (
        await server.sql('select from app.shortened_urls where user_id = $1 and click_count = 0', [
          bea.id,
        ])
      ).length,
    )
    await server.sql(
      `update app.shortened_urls set is_disabled = true, archived_at = case when short_code = 'deep20' then now() end
       where short_code in ('deep20', 'deep2500', 'deep4999')`,
    )
    expect(await allPages(bea, { _off: true }, 1)).toEqual(['deep2500', 'deep4999'])
    expect(await allPages(bea, { _off: true, _archived: null }, 50)).toHaveLength(3)
    expect(await allPages(bea, { _search: 'e%d' }, 50)).toEqual([])
  })

  it('names blocked links, by code and by host, and filters by it', async () => {
    const cat = await makeAccount(server, { plan: 'pro' })
    await plant(cat, 'blocked', 20)
    await server.sql(
      `insert into app.blocks (kind, value) values ('link', 'blocked3'), ('host', 'rare.example'), ('link', 'sorted1')`,
    )
    const { body } = await list(cat, { _blocked: true, _sort: 'code' })
    expect((body as Row[]).map(({ short_code, is_blocked }) => [short_code, is_blocked])).toEqual([
      ['blocked14', true],
      ['blocked3', true],
      ['blocked7', true],
    ])
    await server.sql(`delete from app.blocks`)
    expect((await list(cat, { _blocked: true })).body).toEqual([])
  })

  it('is the caller’s own, and tells nothing of clicks that the plan hides', async () => {
    const dan = await makeAccount(server)
    await plant(dan, 'hidden', 4)
    const { body } = await list(dan, {})
    expect((body as Row[]).map(({ short_code, click_count }) => [short_code, click_count])).toEqual(
      expect.arrayContaining([['hidden1', null]]),
    )
    expect(body).toHaveLength(4)
    for (const args of [{ _sort: 'clicks' }, { _never_clicked: true }]) {
      expect(await list(dan, args)).toMatchObject({ status: 403, body: { code: '42501' } })
    }
    expect(await send(server, undefined, 'POST', 'rpc/list_links', {})).toMatchObject({
      status: 401,
    })
  })
})

it('the list of links keeps when a link was clicked first and last, and shows it where the plan shows clicks', async () => {
  const eve = await makeAccount(server, { plan: 'pro' })
  const read = async () => {
    const { body } = await send(
      server,
      eve,
      'GET',
      'shortened_urls?select=click_count,first_click_at,last_click_at&short_code=eq.dated',
    )
    return (
      body as {
        click_count: number | null
        first_click_at: string | null
        last_click_at: string | null
      }[]
    )[0]
  }
  await send(server, eve, 'POST', 'shortened_urls', {
    user_id: eve.id,
    original_url: 'https://example.com/',
    short_code: 'dated',
  })
  expect(await read()).toEqual({ click_count: 0, first_click_at: null, last_click_at: null })
  await send(server, undefined, 'POST', 'rpc/count_visit', { short_code: 'dated' })
  const first = await read()
  expect(first?.first_click_at).not.toBeNull()
  expect(first?.last_click_at).toBe(first?.first_click_at)
  await send(server, undefined, 'POST', 'rpc/count_visit', { short_code: 'dated' })
  const second = await read()
  expect(second?.first_click_at).toBe(first?.first_click_at)
  expect(second?.last_click_at).not.toBe(first?.first_click_at)
  await server.sql(`update app.user_plans set plan_type = 'free' where user_id = $1`, [eve.id])
  expect(await read()).toEqual({ click_count: null, first_click_at: null, last_click_at: null })
})

it('the list of links makes a link together with a popup of its owner, and of no one else', async () => {
  const [fay, gil] = [await makeAccount(server), await makeAccount(server)]
  const popupOf = async (who: Account) => {
    const { body } = await send(
      server,
      who,
      'POST',
      'popups',
      { user_id: who.id, title: 'Sale', cta_text: 'Look' },
      { prefer: 'return=representation' },
    )
    return (body as { id: string }[])[0]?.id
  }
  const create = (popup: string | undefined) =>
    send(server, fay, 'POST', 'shortened_urls', {
      user_id: fay.id,
      original_url: 'https://example.com/',
      show_popup: true,
      popup_id: popup,
    })
  expect(await create(await popupOf(fay))).toMatchObject({ status: 201 })
  expect((await create(await popupOf(gil))).status).toBeGreaterThanOrEqual(400)
  expect(
    await server.sql('select show_popup from app.shortened_urls where user_id = $1', [fay.id]),
  ).toEqual([{ show_popup: true }])
})

describe('whether a code is free', () => {
  const free = (who: Account | undefined, code: string) =>
    send(server, who, 'POST', 'rpc/free_code', { _short_code: code })

  it('is the code itself, or the nearest free one; a held name is free to its owner', async () => {
    const [hal, ivy] = [await makeAccount(server), await makeAccount(server)]
    expect((await free(hal, 'Open-One')).body).toBe('open-one')
    for (const short_code of ['taken', 'taken-2'])
      await send(server, hal, 'POST', 'shortened_urls', {
        user_id: hal.id,
        original_url: 'https://example.com/',
        short_code,
      })
    expect((await free(hal, 'taken')).body).toBe('taken-3')
    expect((await free(hal, 'x'.repeat(50))).body).toBe('x'.repeat(50))
    expect((await free(hal, 'links')).body).toBe('links-2')
    expect((await free(hal, 'paypal')).body).toBe('paypal-2')
    expect((await free(hal, 'no blanks')).body).toBeNull()
    await server.sql(`update app.shortened_urls set click_count = 1 where short_code = 'taken'`)
    await server.sql(`delete from app.shortened_urls where short_code = 'taken'`)
    expect((await free(hal, 'taken')).body).toBe('taken')
    expect((await free(ivy, 'taken')).body).toBe('taken-3')
    expect((await free(undefined, 'taken')).status).toBe(401)
  })

  it('costs a guess each time, so that nobody tries codes faster this way than by opening them', async () => {
    const limited = await startTestServer({ rateLimits: true })
    try {
      const jon = await makeAccount(limited)
      const statuses: number[] = []
      // One guess comes back every two seconds.
      while (statuses.length < 60 && statuses.at(-1) !== 429) {
        const { status } = await send(limited, jon, 'POST', 'rpc/free_code', {
          _short_code: `guess-${statuses.length}`,
        })
        statuses.push(status)
      }
      expect(statuses[0]).toBe(200)
      expect(statuses.at(-1)).toBe(429)
    } finally {
      await limited.close()
    }
  })
})
