import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, makeAccounts, send } from '../accounts.ts'
import { openClients } from '../held-open.ts'

let server: TestServer
let admin: Account

beforeAll(async () => {
  server = await startTestServer()
  admin = await makeAccount(server, { role: 'admin' })
})
afterAll(() => server.close())

const setRole = (who: Account, userId: string, role: string) =>
  send(
    server,
    who,
    'POST',
    'user_roles?on_conflict=user_id,role',
    { user_id: userId, role },
    { prefer: 'resolution=merge-duplicates' },
  )

it("the table door gives and takes the admin role with the specification's upsert: one row, and it binds at once", async () => {
  const ann = await makeAccount(server)
  const users = async () => (await send(server, ann, 'GET', 'profiles?select=id')).body as unknown[]
  expect(await users()).toHaveLength(1)
  // Another role is a new row, which takes the place of the old one.
  expect((await setRole(admin, ann.id, 'admin')).status).toBe(201)
  expect((await users()).length).toBeGreaterThan(1)
  expect((await setRole(admin, ann.id, 'admin')).status).toBe(200)
  expect((await setRole(admin, ann.id, 'user')).status).toBe(201)
  expect(await users()).toHaveLength(1)
  expect(await server.sql('select role from app.user_roles where user_id = $1', [ann.id])).toEqual([
    { role: 'user' },
  ])
})

it('the table door lets no person promote themselves', async () => {
  const ann = await makeAccount(server)
  const refusals = [
    await setRole(ann, ann.id, 'admin'),
    await send(server, ann, 'POST', 'user_roles', { user_id: ann.id, role: 'admin' }),
    await send(server, ann, 'POST', 'user_plans', { user_id: ann.id, plan_type: 'business' }),
    await send(server, ann, 'POST', 'commissions', {
      affiliate_user_id: ann.id,
      amount: 100,
      tier: 1,
    }),
    await send(server, ann, 'POST', 'affiliate_codes', {
      user_id: ann.id,
      code: 'ABCDEFGH',
      total_earnings: 100,
    }),
  ]
  expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  await send(server, ann, 'PATCH', `user_roles?user_id=eq.${ann.id}`, { role: 'admin' })
  await send(server, ann, 'PATCH', `user_plans?user_id=eq.${ann.id}`, { plan_type: 'business' })
  expect(
    await server.sql(
      'select role, plan_type from app.user_roles join app.user_plans using (user_id) where user_id = $1',
      [ann.id],
    ),
  ).toEqual([{ role: 'user', plan_type: 'free' }])
})

it('the table door keeps the last admin', async () => {
  const refused = {
    status: 400,
    body: { code: 'P0001', message: 'The last admin cannot be removed or demoted.' },
  }
  expect(await setRole(admin, admin.id, 'user')).toMatchObject(refused)
  expect(
    await send(server, admin, 'PATCH', `user_roles?user_id=eq.${admin.id}`, { role: 'user' }),
  ).toMatchObject(refused)
  expect(await send(server, admin, 'DELETE', `profiles?id=eq.${admin.id}`)).toMatchObject(refused)
})

it('the table door keeps one admin when two demote each other at once, 20 rounds', async () => {
  const clients = await openClients(server, 2)
  try {
    for (let round = 0; round < 20; round++) {
      await server.sql(`delete from app.user_roles where role = 'admin' and user_id <> $1`, [
        admin.id,
      ])
      const [second] = await makeAccounts(server, 1, { role: 'admin' })
      if (!second) throw new Error('an account')
      const demote = (who: Account, whom: string) => ({
        userId: who.id,
        claims: who.claims,
        text: `update api.user_roles set role = 'user' where user_id = $1`,
        values: [whom],
      })
      const endings = await clients.race([demote(admin, second.id), demote(second, admin.id)])
      expect(endings.map(({ code }) => code).sort()).toEqual(['P0001', 'ok'])
      expect(await server.sql(`select 1 from app.user_roles where role = 'admin'`)).toHaveLength(1)
      await server.sql(`update app.user_roles set role = 'admin' where user_id = $1`, [admin.id])
    }
  } finally {
    await clients.close()
  }
})

it('the table door deletes a person with everything they had, and keeps the ledger', async () => {
  const [ann, friend] = await makeAccounts(server, 2, { plan: 'pro' })
  if (!ann || !friend) throw new Error('two accounts')
  const insert = (table: string, row: object) => send(server, ann, 'POST', table, row)
  await insert('popups', { user_id: ann.id, title: 'Mine' })
  await insert('shortened_urls', {
    user_id: ann.id,
    original_url: 'https://example.com/',
    short_code: 'anns-link',
  })
  await insert('bio_pages', { user_id: ann.id, slug: 'anns-page', title: 'Ann' })
  const [page] = await server.sql<{ id: string }>(
    'select id from app.bio_pages where user_id = $1',
    [ann.id],
  )
  await insert('bio_links', { bio_page_id: page?.id, title: 'One', url: 'https://example.com/' })
  await insert('affiliate_codes', { user_id: ann.id, code: 'ANNSCODE' })
  await server.sql(
    `insert into app.commissions (affiliate_user_id, amount_cents, tier, provider, invoice_id, payer_id, kind, step, rate_percent,
       base_cents, due_at) values ($1, 175, 1, 'play_money', 'in_1', $2, 'earned', 0, 25, 700, now())`,
    [ann.id, friend.id],
  )
  await server.sql(
    'insert into app.referrals (referred_user_id, referrer_user_id) values ($1, $2)',
    [friend.id, ann.id],
  )

  // Names that were never visited would be free at once.
  await server.sql('update app.shortened_urls set click_count = 1 where user_id = $1', [ann.id])
  await server.sql('update app.bio_pages set visit_count = 1 where user_id = $1', [ann.id])
  expect((await send(server, admin, 'DELETE', `profiles?id=eq.${ann.id}`)).status).toBe(204)
  const [left] = await server.sql<Record<string, string>>(
    `select (select count(*) from auth.users where id = $1) + (select count(*) from auth.sessions where user_id = $1)
       + (select count(*) from app.profiles where id = $1) + (select count(*) from app.user_plans where user_id = $1)
       + (select count(*) from app.user_roles where user_id = $1) + (select count(*) from app.user_usage where user_id = $1)
       + (select count(*) from app.popups where user_id = $1) + (select count(*) from app.shortened_urls where user_id = $1)
       + (select count(*) from app.bio_pages where user_id = $1) + (select count(*) from app.bio_links where bio_page_id = $2)
       + (select count(*) from app.affiliate_codes where user_id = $1) as rows,
       (select count(*) from app.commissions where affiliate_user_id = $1)
         + (select count(*) from app.referrals where referrer_user_id = $1) as ledger,
       (select count(*) from app.names where name in ('anns-link', 'anns-page') and released_at is not null and owner_id is null) as names`,
    [ann.id, page?.id],
  )
  expect(left).toEqual({ rows: '0', ledger: '2', names: '2' })
  expect(await send(server, ann, 'GET', 'shortened_urls')).toMatchObject({
    status: 401,
    body: { code: 'PGRST303' },
  })
})

it('the table door attaches only popups of the same owner, and takes a deleted one off its links', async () => {
  const [ann, bob] = await makeAccounts(server, 2)
  if (!ann || !bob) throw new Error('two accounts')
  const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }
  const make = async (who: Account, table: string, row: object) =>
    (await send(server, who, 'POST', table, { user_id: who.id, ...row }, single)).body as {
      id: string
    }
  const mine = await make(ann, 'popups', { title: 'Mine' })
  const theirs = await make(bob, 'popups', { title: 'Theirs' })
  const link = await make(ann, 'shortened_urls', { original_url: 'https://example.com/' })
  const attach = (popup: string) =>
    send(server, ann, 'PATCH', `shortened_urls?id=eq.${link.id}`, {
      show_popup: true,
      popup_id: popup,
    })
  expect(await attach(theirs.id)).toMatchObject({
    status: 409,
    body: {
      code: '23503',
      message: 'This popup does not exist any more. Please choose another one.',
    },
  })
  expect((await attach(mine.id)).status).toBe(204)
  expect((await send(server, ann, 'DELETE', `popups?id=eq.${mine.id}`)).status).toBe(204)
  expect(
    (await send(server, ann, 'GET', `shortened_urls?id=eq.${link.id}&select=show_popup,popup_id`))
      .body,
  ).toEqual([{ show_popup: false, popup_id: null }])
})

it('the table door deletes a person who is creating links at that moment: nothing is left, nothing fails for long', async () => {
  for (const one of await makeAccounts(server, 10)) {
    const row = { user_id: one.id, original_url: 'https://example.com/' }
    const create = () => send(server, one, 'POST', 'shortened_urls', row)
    const [deleted, ...created] = await Promise.all([
      new Promise((resolve) => setTimeout(resolve, 10)).then(() =>
        send(server, admin, 'DELETE', `profiles?id=eq.${one.id}`),
      ),
      ...Array.from({ length: 10 }, create),
      send(server, one, 'DELETE', `shortened_urls?short_code=eq.${one.id}`),
    ])
    expect(deleted.status).toBe(204)
    expect(created.filter(({ status }) => ![201, 204, 401, 409].includes(status))).toEqual([])
    const rows = await server.sql('select 1 from app.shortened_urls where user_id = $1', [one.id])
    expect(rows).toEqual([])
  }
})
