import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commonLimits } from '#domain/plans.ts'
import { deleteOldRows } from '#test/delete-old-rows.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, makeAccounts, send } from '../accounts.ts'

let server: TestServer
let limited: TestServer
beforeAll(async () => {
  server = await startTestServer()
  limited = await startTestServer({ rateLimits: true })
})
afterAll(async () => {
  await server.close()
  await limited.close()
})

const url = 'https://example.com/'

async function makeLink(who: Account, code: string, where = server): Promise<number> {
  const row = { user_id: who.id, original_url: url, short_code: code }
  return (await send(where, who, 'POST', 'shortened_urls', row)).status
}

const removeLink = (who: Account, code: string) =>
  send(server, who, 'DELETE', `shortened_urls?short_code=eq.${code}`)

const visit = (code: string) =>
  server.sql('update app.shortened_urls set click_count = 1 where short_code = $1', [code])

async function totals(who: Account) {
  const [row] = await server.sql(
    'select total_custom_codes as codes, total_shortened_urls as links from app.user_usage where user_id = $1',
    [who.id],
  )
  return row
}

describe('changed rows', () => {
  const plant = async (where: TestServer, who: Account, count: number) => {
    await where.sql('insert into app.audiences (user_id) values ($1)', [who.id])
    await where.sql(
      `insert into app.leads (user_id, popup_version, email, consent_text, state, unsubscribe_token)
        select $1::uuid, 1, n || '@example.com', '', 'confirmed', $1::text || n from generate_series(1, $2::int) n`,
      [who.id, count],
    )
    return where.sql<{ id: string }>('select id from app.leads where user_id = $1', [who.id])
  }
  const tag = (where: TestServer, who: Account, filter: string, prefer = '') =>
    send(where, who, 'PATCH', `leads?${filter}`, { tags: ['new'] }, { prefer })

  it('are at most 1,000 of one request, with or without an answer', async () => {
    const ann = await makeAccount(server)
    await plant(server, ann, 1_001)
    for (const prefer of ['', 'return=representation'])
      expect(await tag(server, ann, 'state=eq.confirmed', prefer)).toMatchObject({
        status: 400,
        body: { code: 'PGRST124', message: 'One request changes at most 1000 rows' },
      })
    // The controls.
    expect((await tag(server, ann, 'email=neq.1@example.com')).status).toBe(204)
    expect(await server.sql(`select 1 from app.leads where tags <> '{}'`)).toHaveLength(1_000)
    expect((await send(server, ann, 'DELETE', 'leads?state=eq.confirmed')).status).toBe(204)
  })

  it('are limited for an account, one by one or many in a request', async () => {
    const own = await startTestServer({ rateLimits: true })
    try {
      const [ann, bob] = [await makeAccount(own), await makeAccount(own)]
      const leads = await plant(own, ann, 1_000)
      const ids = leads.map(({ id }) => id)
      const call = { _ids: ids, _add: ['old'] }
      for (let n = 0; n < 2; n++) {
        expect((await tag(own, ann, 'state=eq.confirmed')).status).toBe(204)
        expect((await send(own, ann, 'POST', 'rpc/tag_leads', call)).status).toBe(200)
      }
      const dayOf = (n: number) => new Date(Date.UTC(2026, 0, n + 1)).toISOString().slice(0, 10)
      const notes = Array.from({ length: 100 }, (_, n) => ({ day: dayOf(n), text: 'A note' }))
      const merged = { prefer: 'resolution=merge-duplicates' }
      const path = 'day_notes?on_conflict=user_id,day'
      expect((await send(own, ann, 'POST', path, notes, merged)).status).toBe(201)
      expect((await tag(own, ann, 'email=lt.9')).status).toBe(204)
      const refused = await tag(own, ann, 'state=eq.confirmed')
      expect(refused).toMatchObject({ status: 429, body: { code: 'PT429' } })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1)
      expect((await send(own, ann, 'POST', 'rpc/tag_leads', call)).status).toBe(429)
      // The controls: fewer rows, and another account.
      expect((await tag(own, ann, `id=eq.${ids[0]}`)).status).toBe(204)
      expect((await send(own, bob, 'POST', 'tags', { user_id: bob.id, name: 'Tag' })).status).toBe(
        201,
      )
    } finally {
      await own.close()
    }
  })
})

describe('rows of one owner', () => {
  it('are at most 1,000 popups, also when many inserts run at once', async () => {
    const ann = await makeAccount(server)
    const rows = (n: number) =>
      Array.from({ length: n }, () => ({ user_id: ann.id, title: 'Popup' }))
    await server.sql(
      `insert into app.popups (user_id, title) select $1, 'Popup' from generate_series(1, 990)`,
      [ann.id],
    )
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send(server, ann, 'POST', 'popups', rows(3))),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({
      status: 400,
      body: {
        code: 'P0001',
        hint: 'too_many_rows',
        message: expect.stringContaining(`${commonLimits.popups.toLocaleString('en-US')} popups`),
      },
    })
    expect(await send(server, ann, 'POST', 'popups', rows(1))).toMatchObject({ status: 201 })
    expect(await send(server, ann, 'POST', 'popups', rows(1))).toMatchObject({ status: 400 })
  })

  it.each([
    ['bio_links', 200, { title: 'a', url }],
    ['bio_social_links', 50, { platform: 'github', url }],
  ])('are on a page at most: %s %i', async (table, most, row) => {
    const ann = await makeAccount(server)
    const slug = table.replaceAll('_', '-')
    await send(server, ann, 'POST', 'bio_pages', { user_id: ann.id, slug, title: 'A' })
    const { body } = await send(server, ann, 'GET', `bio_pages?user_id=eq.${ann.id}&select=id`)
    const page = (body as { id: string }[])[0]?.id
    const rows = (n: number) => Array.from({ length: n }, () => ({ bio_page_id: page, ...row }))
    expect((await send(server, ann, 'POST', table, rows(most))).status).toBe(201)
    expect(await send(server, ann, 'POST', table, rows(1))).toMatchObject({
      status: 400,
      body: { hint: 'too_many_rows' },
    })
  })

  it('are at most 50 former destinations of a link, gone with it', async () => {
    const ann = await makeAccount(server)
    await makeLink(ann, 'turned-often')
    const turn = (n: number) =>
      send(server, ann, 'PATCH', 'shortened_urls?short_code=eq.turned-often', {
        original_url: `${url}${n}`,
      })
    for (let n = 0; n < 55; n++) await turn(n)
    const history = async () =>
      (await send(server, ann, 'POST', 'rpc/link_history', { _short_code: 'turned-often' }))
        .body as object[]
    expect(await history()).toHaveLength(50)
    expect((await history())[0]).toMatchObject({
      changed_by: ann.id,
      from_url: `${url}53`,
      to_url: `${url}54`,
    })
    expect(await server.sql(`select 1 from app.audit_log`)).toEqual([])
    const bob = await makeAccount(server)
    expect(
      await send(server, bob, 'POST', 'rpc/link_history', { _short_code: 'turned-often' }),
    ).toMatchObject({ body: [] })
    await removeLink(ann, 'turned-often')
    expect(await server.sql('select 1 from app.link_history')).toEqual([])
  })
})

describe('the name of a deleted link', () => {
  it('is free at once, with its place, when it was never visited', async () => {
    const [ann, bob] = await makeAccounts(server, 2)
    if (!ann || !bob) throw new Error('two accounts')
    await makeLink(ann, 'never-visited')
    await removeLink(ann, 'never-visited')
    expect(await totals(ann)).toEqual({ codes: 0, links: 0 })
    expect(await makeLink(bob, 'never-visited')).toBe(201)
  })

  it('is held for 30 days when it was visited, and its place with it', async () => {
    const [ann, bob] = await makeAccounts(server, 2)
    if (!ann || !bob) throw new Error('two accounts')
    for (const code of ['visited-1', 'visited-2']) {
      await makeLink(ann, code)
      await visit(code)
      await removeLink(ann, code)
    }
    expect(await totals(ann)).toEqual({ codes: 2, links: 2 })
    expect(await makeLink(ann, 'visited-3')).toBe(400)
    await send(server, ann, 'POST', 'rpc/increment_url_usage', { _user_id: ann.id })
    expect(await totals(ann)).toEqual({ codes: 2, links: 2 })
    expect(await makeLink(bob, 'visited-1')).toBe(409)
    // Its owner takes it again, with its place.
    expect(await makeLink(ann, 'visited-1')).toBe(201)
    expect(await totals(ann)).toEqual({ codes: 2, links: 2 })

    await server.sql(
      `update app.names set released_at = now() - interval '31 days' where name = 'visited-2'`,
    )
    await deleteOldRows(server.context)
    expect(await server.sql(`select 1 from app.names where name = 'visited-2'`)).toEqual([])
    expect(await totals(ann)).toEqual({ codes: 1, links: 1 })
    expect(await makeLink(bob, 'visited-2')).toBe(201)
  })

  it('is held for at most 5 deleted bio pages that were visited', async () => {
    const ann = await makeAccount(server)
    const make = async (n: number) =>
      (
        await send(server, ann, 'POST', 'bio_pages', {
          user_id: ann.id,
          slug: `held-page-${n}`,
          title: 'A',
        })
      ).status
    for (let n = 0; n < 5; n++) {
      expect(await make(n)).toBe(201)
      await server.sql('update app.bio_pages set visit_count = 1 where user_id = $1', [ann.id])
      await send(server, ann, 'DELETE', `bio_pages?user_id=eq.${ann.id}`)
    }
    expect(await make(5)).toBe(400)
    expect(await make(4)).toBe(201)
  })
})

describe('guessing names with refused inserts', () => {
  it('ends after 30 guesses, rolled back or not', async () => {
    const ann = await makeAccount(limited, { plan: 'business' })
    const statuses: number[] = []
    for (let n = 0; n < 40; n++) {
      // The bad row rolls the whole insert back, but says 409 instead of 400 when the code exists.
      const rows = [
        { user_id: ann.id, original_url: url, short_code: `guess-${n}` },
        { user_id: ann.id, original_url: url, short_code: 'x' },
      ]
      statuses.push((await send(limited, ann, 'POST', 'shortened_urls', rows)).status)
    }
    expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(17)
    expect(statuses.at(-1)).toBe(429)
  })

  it.each<[string, (who: Account, slug: string) => [path: string, body: unknown]]>([
    [
      'an insert that is rolled back',
      (who, slug) => [
        'bio_pages',
        [
          { user_id: who.id, slug, title: 'A' },
          { user_id: who.id, slug: 'not a slug', title: 'A' },
        ],
      ],
    ],
    [
      'a save of a bio page that is rolled back',
      (_who, slug) => [
        'rpc/save_bio_page',
        { page: { slug, title: 'A' }, links: [{ title: 'x'.repeat(10_000), url }] },
      ],
    ],
  ])('counts the slug of %s', async (_what, attempt) => {
    const own = await startTestServer({ rateLimits: true })
    try {
      const ann = await makeAccount(own)
      const statuses: number[] = []
      // One guess comes back every two seconds.
      while (statuses.length < 60 && statuses.at(-1) !== 429)
        statuses.push(
          (await send(own, ann, 'POST', ...attempt(ann, `guess-${statuses.length}`))).status,
        )
      expect(statuses[0]).toBe(400)
      expect(statuses.at(-1)).toBe(429)
      expect(await own.sql('select 1 from app.bio_pages')).toEqual([])
    } finally {
      await own.close()
    }
  })

  it('does not count saves of a bio page that succeed (control)', async () => {
    const own = await startTestServer({ rateLimits: true })
    try {
      const ann = await makeAccount(own)
      for (let n = 0; n < 40; n++) {
        const page = { slug: 'my-own-page', title: `Title ${n}` }
        expect((await send(own, ann, 'POST', 'rpc/save_bio_page', { page })).status).toBe(200)
      }
    } finally {
      await own.close()
    }
  })

  it('does not stop an owner of links with random codes (control)', async () => {
    const ann = await makeAccount(limited, { plan: 'business' })
    for (let n = 0; n < 35; n++) {
      const { status } = await send(limited, ann, 'POST', 'shortened_urls', {
        user_id: ann.id,
        original_url: url,
      })
      expect(status).toBe(201)
    }
  })
})

it('the clean-up deletes lines of the audit log after two years only, for every role', async () => {
  await server.sql(`insert into app.audit_log (actor_role, action, target_kind, target_id, at) values
    ('system', 'old', 'user', '1', now() - interval '3 years'), ('system', 'new', 'user', '1', now() - interval '1 year')`)
  await deleteOldRows(server.context)
  expect(await server.sql('select action from app.audit_log')).toEqual([{ action: 'new' }])
  await expect(server.sql('delete from app.audit_log')).rejects.toThrow('append-only')
})

it('the clean-up deletes apps that registered themselves and that no person gave consent', async () => {
  const ann = await makeAccount(server)
  await server.sql(`insert into auth.oauth_clients (client_name, redirect_uris, scope, registration, created_at) values
    ('old', '{https://a.example/}', 'openid', 'dynamic', now() - interval '8 days'),
    ('used', '{https://a.example/}', 'openid', 'dynamic', now() - interval '8 days'),
    ('manual', '{https://a.example/}', 'openid', 'manual', now() - interval '8 days'),
    ('new', '{https://a.example/}', 'openid', 'dynamic', now())`)
  await server.sql(
    `insert into auth.oauth_consents (user_id, client_id, scope) select $1, id, 'openid' from auth.oauth_clients where client_name = 'used'`,
    [ann.id],
  )
  await deleteOldRows(server.context)
  const left = await server.sql<{ name: string }>(
    'select client_name as name from auth.oauth_clients order by 1',
  )
  expect(left.map(({ name }) => name)).toEqual(['manual', 'new', 'used'])
})

describe('single hits', () => {
  /** Hits of a new account of this plan, that many each so many days ago. */
  async function plantHits(plan: 'free' | 'pro', hits: readonly [days: number, count: number][]) {
    const { id } = await makeAccount(server, { plan })
    const [scope] = await server.sql<{ id: number }>(
      `insert into app.click_scopes (kind, ref, user_id) values ('account', $1, $1) returning id`,
      [id],
    )
    for (const [days, count] of hits) {
      await server.sql(`select app.store_hits(array[
        string_agg((extract(epoch from now() - interval '${days} days') * 1000)::bigint::text, e'\n'),
        string_agg(n::text, e'\n'), string_agg('${scope?.id}', e'\n'), string_agg('${scope?.id}', e'\n'),
        string_agg('0', e'\n'), string_agg('0', e'\n'), string_agg('0', e'\n'), string_agg('c', e'\n'), string_agg('l', e'\n')])
        from generate_series(1, ${count}) n`)
    }
    const left = async () => {
      const [row] = await server.sql<{ n: number }>(
        'select count(*)::int as n from app.click_events where account = $1',
        [scope?.id],
      )
      return row?.n
    }
    return { id, left }
  }

  it('go after the days of their plan, and newer ones stay', async () => {
    const free = await plantHits('free', [
      [92, 12_000],
      [88, 7],
    ])
    const pro = await plantHits('pro', [
      [402, 50],
      [398, 5],
      [92, 3],
    ])
    await deleteOldRows(server.context)
    expect(await free.left()).toBe(7)
    expect(await pro.left()).toBe(8)
  })

  it('go with their account, and leave no trace of it', async () => {
    const gone = await plantHits('pro', [[3, 600]])
    const other = await plantHits('pro', [[3, 600]])
    await server.context.analytics.rollups.run()
    const figures = () =>
      server.sql<{ rollups: number; samples: number; days: number; scopes: number }>(
        `select (select count(distinct scope)::int from app.click_rollups) as rollups,
          (select count(distinct account)::int from app.click_samples where at > now() - interval '5 days') as samples,
          (select count(distinct account)::int from app.click_account_days where day > app.today() - 5) as days,
          (select count(*)::int from app.click_scopes where user_id in ('${gone.id}', '${other.id}')) as scopes`,
      )
    expect(await figures()).toEqual([{ rollups: 2, samples: 2, days: 2, scopes: 2 }])
    await server.sql('delete from auth.users where id = $1', [gone.id])
    await deleteOldRows(server.context)
    expect(await gone.left()).toBe(0)
    expect(await other.left()).toBe(600)
    expect(await figures()).toEqual([{ rollups: 1, samples: 1, days: 1, scopes: 1 }])
  })
})
