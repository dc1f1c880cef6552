import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { scriptInjections } from '#test/fixtures/script-injections.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, makeAccounts, send } from '#test/tables/accounts.ts'
import { openClients } from '#test/tables/held-open.ts'
import { refresh, request, signIn } from '#test/auth/requests.ts'
import { makeAdmin, rpc } from './calls.ts'

let server: TestServer
let admin: Account

beforeAll(async () => {
  server = await startTestServer()
  admin = await makeAdmin(server)
})
afterAll(() => server.close())

async function factsOf(id: string) {
  const [row] = await server.sql(
    `select p.display_name, r.role, l.plan_type from app.profiles p join app.user_roles r on r.user_id = p.id
      join app.user_plans l on l.user_id = p.id where p.id = $1`,
    [id],
  )
  return row
}

describe('the last admin', () => {
  // Four ways to be rid of the other one.
  const ways = [
    `update api.user_roles set role = 'user' where user_id = $1`,
    `insert into api.user_roles (user_id, role) values ($1, 'user') on conflict (user_id, role) do update set role = excluded.role`,
    `select api.admin_update_user($1, null, 'user', 'free')`,
    `select api.admin_delete_user($1)`,
  ]
  const attempt = (who: Account, whom: Account, way: number) => ({
    userId: who.id,
    claims: who.claims,
    text: ways[way % ways.length] ?? '',
    values: [whom.id],
  })
  const left = async (own: TestServer) =>
    (await own.sql(`select 1 from app.user_roles where role = 'admin'`)).length

  it(
    'stays, after 100 rounds of two admins against each other',
    { tags: ['extended'] },
    async () => {
      const own = await startTestServer()
      const clients = await openClients(own, 2)
      try {
        const pairs = await makeAccounts(own, 200)
        for (let round = 0; round < 100; round++) {
          const [one, other] = [pairs[2 * round], pairs[2 * round + 1]]
          if (!one || !other) throw new Error('two accounts a round')
          await own.sql(`update app.user_roles set role = 'admin' where user_id in ($1, $2)`, [
            one.id,
            other.id,
          ])
          await own.sql(
            `update app.user_roles set role = 'user' where role = 'admin' and user_id not in ($1, $2)`,
            [one.id, other.id],
          )
          await clients.race([
            attempt(one, other, round),
            attempt(other, one, Math.floor(round / 4)),
          ])
          expect([round, await left(own)]).toEqual([round, 1])
        }
        // Control: without the rule no admin is left.
        const [one, other] = await makeAccounts(own, 2)
        if (!one || !other) throw new Error('two accounts')
        await own.sql('alter table app.user_roles disable trigger before_write')
        await own.sql(
          `update app.user_roles set role = case when user_id in ($1, $2) then 'admin' else 'user' end`,
          [one.id, other.id],
        )
        await clients.race([attempt(one, other, 0), attempt(other, one, 0)])
        expect(await left(own)).toBe(0)
      } finally {
        await clients.close()
        await own.close()
      }
    },
  )
})

describe('a deleted user', () => {
  it('is signed out at once, at every door, and is no longer charged', async () => {
    const user = await makeUser(server)
    const link = await makeLink(server, user, { short_code: 'gone-with-me' })
    await server.sql(
      `insert into app.billing_customers (provider, customer_id, user_id, account_id, subscription_id, status, plan)
        values ('stripe', 'cus_gone', $1, $1, 'sub_gone', 'active', 'pro')`,
      [user.id],
    )
    expect((await send(server, user, 'GET', 'shortened_urls?select=id')).body).toHaveLength(1)
    expect((await rpc(server, admin, 'admin_delete_user', { _user_id: user.id })).status).toBe(204)

    expect((await signIn(server, user.email, user.password)).status).toBe(400)
    expect((await refresh(server, user.refreshToken)).status).toBe(400)
    expect((await request(server, '/user', { token: user.accessToken })).status).toBe(403)
    expect((await send(server, user, 'GET', 'shortened_urls?select=id')).status).toBe(401)
    const visit = await fetch(`${server.url}/${link.short_code}`, { redirect: 'manual' })
    expect([visit.status, visit.headers.get('location')]).toEqual([302, '/404'])
    expect(
      await server.sql(
        `select user_id, account_id, cancel_requested_at is not null as wanted from app.billing_customers where customer_id = 'cus_gone'`,
      ),
    ).toEqual([{ user_id: null, account_id: user.id, wanted: true }])
    expect(await server.sql('select 1 from auth.sessions where user_id = $1', [user.id])).toEqual(
      [],
    )
    expect(
      (await rpc(server, admin, 'admin_delete_user', { _user_id: user.id })).body,
    ).toMatchObject({
      code: 'P0001',
      message: 'This user does not exist.',
    })
  })
})

describe('changing a role or deleting an account', () => {
  const again = {
    status: 400,
    body: {
      code: 'P0001',
      message: 'Please sign in again to confirm this.',
      hint: 'reauthentication_needed',
    },
  }
  const promotion = (user: Account) => ({ user_id: user.id, role: 'admin' })
  const upsert = { prefer: 'resolution=merge-duplicates' }

  it('is refused to a session of 16 minutes', async () => {
    const old = await makeAdmin(server, 16)
    const user = await makeAccount(server)
    const attempts = [
      () =>
        send(server, old, 'POST', 'user_roles?on_conflict=user_id,role', promotion(user), upsert),
      () => send(server, old, 'PATCH', `user_roles?user_id=eq.${user.id}`, { role: 'admin' }),
      () =>
        rpc(server, old, 'admin_update_user', {
          _user_id: user.id,
          _display_name: 'New',
          _role: 'admin',
          _plan_type: 'pro',
        }),
      () => send(server, old, 'DELETE', `profiles?id=eq.${user.id}`),
      () => rpc(server, old, 'admin_delete_user', { _user_id: user.id }),
    ]
    for (const one of attempts) expect(await one()).toMatchObject(again)
    // All or nothing: the name and the plan of the third attempt were not written either.
    expect(await factsOf(user.id)).toEqual({ display_name: null, role: 'user', plan_type: 'free' })
  })

  it('needs a recent sign-in; names, plans and blocks do not', async () => {
    const old = await makeAdmin(server, 16)
    const user = await makeAccount(server)
    const change = { _user_id: user.id, _display_name: ' New ', _role: 'user', _plan_type: 'pro' }
    expect((await rpc(server, old, 'admin_update_user', change)).status).toBe(204)
    expect(await factsOf(user.id)).toEqual({ display_name: 'New', role: 'user', plan_type: 'pro' })
    expect((await rpc(server, old, 'admin_block', { _kind: 'user', _value: user.id })).status).toBe(
      204,
    )
  })

  it('is allowed to a session of 14 minutes', async () => {
    const recent = await makeAdmin(server, 14)
    const user = await makeAccount(server)
    // Created: the row of the other role is replaced.
    expect(
      (
        await send(
          server,
          recent,
          'POST',
          'user_roles?on_conflict=user_id,role',
          promotion(user),
          upsert,
        )
      ).status,
    ).toBe(201)
    expect((await send(server, recent, 'DELETE', `profiles?id=eq.${user.id}`)).status).toBe(204)
  })
})

describe('admin_update_user', () => {
  it.each([
    ['a role that is none', { _role: 'owner' }],
    ['a plan that is none', { _plan_type: 'gold' }],
    ['a name that is too long', { _display_name: 'x'.repeat(101) }],
  ])('refuses %s and writes nothing of it', async (_, wrong) => {
    const user = await makeAccount(server)
    const change = {
      _user_id: user.id,
      _display_name: 'New',
      _role: 'admin',
      _plan_type: 'business',
      ...wrong,
    }
    expect((await rpc(server, admin, 'admin_update_user', change)).status).toBe(400)
    expect(await factsOf(user.id)).toEqual({ display_name: null, role: 'user', plan_type: 'free' })
  })

  it('leaves a name, role or plan that the call does not name as it is', async () => {
    const user = await makeAccount(server)
    const born = { display_name: 'Ada', role: 'user', plan_type: 'pro' }
    const change = async (named: Record<string, unknown>) => {
      const call = { _user_id: user.id, ...named }
      expect((await rpc(server, admin, 'admin_update_user', call)).status).toBe(204)
      return factsOf(user.id)
    }
    expect(await change({ _display_name: 'Ada', _role: 'user', _plan_type: 'pro' })).toEqual(born)
    const nothing = { _display_name: null, _role: null, _plan_type: null }
    for (const none of [{}, nothing]) expect(await change(none)).toEqual(born)
    expect(await change({ _role: 'admin' })).toEqual({ ...born, role: 'admin' })
    expect(await change({ _plan_type: 'free' })).toMatchObject({ role: 'admin', plan_type: 'free' })
    expect(await change({ _display_name: '' })).toMatchObject({ display_name: null, role: 'admin' })
  })
})

interface Users {
  total: number
  matching: number
  rows: {
    id: string
    email: string
    display_name: string | null
    role: string
    plan_type: string
  }[]
}

describe('admin_users', () => {
  const users = async (body: Record<string, unknown> = {}) =>
    (await rpc(server, admin, 'admin_users', body)).body as Users

  it('searches names and addresses, and treats no character as a pattern', async () => {
    const [one, other] = await makeAccounts(server, 2)
    if (!one || !other) throw new Error('two accounts')
    await server.sql(`update app.profiles set display_name = 'Zoë_100% \\ Möller' where id = $1`, [
      one.id,
    ])
    for (const _search of ['zoë', '_100%', '\\ mö', one.id.slice(0, 13).toUpperCase()]) {
      const found = await users({ _search })
      expect([_search, found.matching, found.rows.map(({ id }) => id)]).toEqual([
        _search,
        1,
        [one.id],
      ])
    }
    expect(await users({ _search: '100_' })).toMatchObject({ matching: 0, rows: [] })
    expect((await users({ _search: '  ' })).matching).toBe((await users()).total)
  })

  it.each(['email', 'display_name', 'role', 'plan_type', 'created_at'] as const)(
    'sorts by %s both ways, and the pages leave no account out',
    async (_sort) => {
      const own = await users({ _sort, _descending: false, _limit: 1000 })
      expect(own.rows).toHaveLength(own.total)
      const pages: string[] = []
      for (let _offset = 0; _offset < own.total; _offset += 7) {
        const page = await users({ _sort, _descending: true, _limit: 7, _offset })
        pages.push(...page.rows.map(({ id }) => id))
      }
      expect(pages.toReversed()).toEqual(own.rows.map(({ id }) => id))
      // The other query plan: sorted by a column of another table than the searched ones.
      expect((await users({ _sort, _search: '@example.com', _limit: 1000 })).rows).toHaveLength(
        own.total,
      )
    },
  )

  it('refuses another order', async () => {
    expect((await rpc(server, admin, 'admin_users', { _sort: 'id; drop table x' })).status).toBe(
      400,
    )
  })

  it('returns hostile text unchanged, as JSON', async () => {
    const user = await makeAccount(server)
    for (const text of scriptInjections.map((one) => one.slice(0, 100))) {
      const change = { _user_id: user.id, _display_name: text, _role: 'user', _plan_type: 'free' }
      expect((await rpc(server, admin, 'admin_update_user', change)).status).toBe(204)
      const answer = await rpc(server, admin, 'admin_users', { _search: user.id.slice(0, 18) })
      expect((answer.body as Users).rows[0]?.display_name).toBe(text.trim())
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })
})
