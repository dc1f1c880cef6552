import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request } from '#test/auth/requests.ts'
import { makeLink, makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { makeAdmin, rpc } from './calls.ts'

let server: TestServer
let admin: Account

beforeAll(async () => {
  server = await startTestServer()
  admin = await makeAdmin(server)
})
afterAll(() => server.close())

interface Line {
  id: number
  actor_id: string | null
  actor_role: string
  action: string
  target_kind: string
  target_id: string
  before: unknown
  after: unknown
  request_id: string | null
}

async function lines(): Promise<Line[]> {
  return (await server.sql('select * from app.audit_log order by id')) as unknown as Line[]
}

/** The lines that an act added. */
async function added<T>(act: () => Promise<T>): Promise<{ answer: T; lines: Line[] }> {
  const before = (await lines()).length
  const answer = await act()
  return { answer, lines: (await lines()).slice(before) }
}

const upsert = { prefer: 'resolution=merge-duplicates' }

describe('the audit log of an admin', () => {
  type Act = (user: Account) => ReturnType<typeof send>
  const born = { display_name: null, role: 'user', plan_type: 'free' }
  const acts: [
    string,
    Act,
    { action: string; target_kind?: string; before: unknown; after: unknown },
  ][] = [
    [
      'a name, by the table call',
      ({ id }) => send(server, admin, 'PATCH', `profiles?id=eq.${id}`, { display_name: 'New' }),
      {
        action: 'user.update',
        before: expect.objectContaining({ display_name: null }),
        after: expect.objectContaining({ display_name: 'New' }),
      },
    ],
    [
      'a plan, by the table call',
      ({ id }) => send(server, admin, 'PATCH', `user_plans?user_id=eq.${id}`, { plan_type: 'pro' }),
      { action: 'plan.change', before: { plan_type: 'free' }, after: { plan_type: 'pro' } },
    ],
    [
      'a role, by the specification’s upsert',
      ({ id }) =>
        send(
          server,
          admin,
          'POST',
          'user_roles?on_conflict=user_id,role',
          { user_id: id, role: 'admin' },
          upsert,
        ),
      { action: 'role.change', before: { role: 'user' }, after: { role: 'admin' } },
    ],
    [
      'a role, by the table call',
      ({ id }) => send(server, admin, 'PATCH', `user_roles?user_id=eq.${id}`, { role: 'admin' }),
      { action: 'role.change', before: { role: 'user' }, after: { role: 'admin' } },
    ],
    [
      'a deletion, by the table call',
      ({ id }) => send(server, admin, 'DELETE', `profiles?id=eq.${id}`),
      { action: 'user.delete', before: expect.objectContaining(born), after: null },
    ],
    [
      'a deletion, by the function',
      ({ id }) => rpc(server, admin, 'admin_delete_user', { _user_id: id }),
      { action: 'user.delete', before: expect.objectContaining(born), after: null },
    ],
    [
      'name, role and plan at once',
      ({ id }) =>
        rpc(server, admin, 'admin_update_user', {
          _user_id: id,
          _display_name: 'New',
          _role: 'admin',
          _plan_type: 'business',
        }),
      {
        action: 'user.update',
        before: expect.objectContaining(born),
        after: expect.objectContaining({
          display_name: 'New',
          role: 'admin',
          plan_type: 'business',
        }),
      },
    ],
    [
      'a block',
      ({ id }) => rpc(server, admin, 'admin_block', { _kind: 'user', _value: id, _reason: 'Spam' }),
      { action: 'block', before: null, after: { reason: 'Spam', hides_published: true } },
    ],
  ]
  it.each(acts)(
    'leaves one line for %s, with before, after and the request',
    async (_, act, wanted) => {
      const user = await makeAccount(server)
      const { answer, lines: found } = await added(() => act(user))
      expect(answer.status).toBeLessThan(300)
      const requestId = answer.headers.get('x-request-id')
      expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
      expect(found).toEqual([
        expect.objectContaining({
          actor_id: admin.id,
          actor_role: 'authenticated',
          target_kind: 'user',
          target_id: user.id,
          request_id: requestId,
          ...wanted,
        }),
      ])
    },
  )

  it('leaves one line for lifting a block, and none for a change of nothing', async () => {
    const user = await makeAccount(server)
    const block = { _kind: 'user', _value: user.id }
    await rpc(server, admin, 'admin_block', block)
    const again = await added(() => rpc(server, admin, 'admin_block', block))
    expect([again.answer.status, again.lines]).toEqual([204, []])
    const lifted = await added(() => rpc(server, admin, 'admin_unblock', block))
    expect(lifted.lines).toMatchObject([{ action: 'unblock', target_id: user.id, after: null }])
    const same = { _user_id: user.id, _display_name: null, _role: 'user', _plan_type: 'free' }
    expect((await added(() => rpc(server, admin, 'admin_update_user', same))).lines).toEqual([])
    // A time zone is no fact of the log: its line would name no change.
    const text = `update app.profiles set time_zone = 'Europe/Berlin' where id = $1`
    expect((await added(() => server.sql(text, [user.id]))).lines).toEqual([])
  })

  it('leaves no line when it was refused', async () => {
    const refused = await added(async () => {
      const user = await makeAccount(server)
      const change = { _user_id: user.id, _display_name: 'New', _role: 'admin', _plan_type: 'gold' }
      expect((await rpc(server, admin, 'admin_update_user', change)).status).toBe(400)
      expect((await rpc(server, user, 'admin_delete_user', { _user_id: user.id })).status).toBe(403)
      expect(
        (
          await send(server, user, 'PATCH', `user_plans?user_id=eq.${user.id}`, {
            plan_type: 'pro',
          })
        ).status,
      ).toBe(204)
    })
    expect(refused.lines).toEqual([])
  })

  it('logs bans by the admin API of the auth protocol, and nothing else that it changes', async () => {
    const user = await makeUser(server)
    const put = (body: object) =>
      request(server, `/admin/users/${user.id}`, {
        method: 'PUT',
        token: server.serviceRoleKey,
        body,
      })
    const banned = await added(() => put({ ban_duration: '24h' }))
    expect(banned.answer.status).toBe(200)
    const line = { actor_id: null, actor_role: 'service_role', target_id: user.id }
    expect(banned.lines).toMatchObject([
      {
        ...line,
        action: 'user.ban',
        before: { banned_until: null },
        after: { banned_until: expect.any(String) as string },
        request_id: expect.any(String) as string,
      },
    ])
    const lifted = await added(() => put({ ban_duration: 'none' }))
    expect(lifted.lines).toMatchObject([{ ...line, action: 'user.unban' }])
    const renamed = await added(() => put({ user_metadata: { display_name: 'Ada' } }))
    expect([renamed.answer.status, renamed.lines.map(({ action }) => action)]).toEqual([200, []])
  })

  it('logs changes by the service too, but not changes of one’s own name', async () => {
    const user = await makeAccount(server)
    const service = {
      headers: { apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` },
    }
    const changed = await added(() =>
      send(server, service, 'PATCH', `user_plans?user_id=eq.${user.id}`, { plan_type: 'pro' }),
    )
    expect(changed.lines).toMatchObject([
      { actor_id: null, actor_role: 'service_role', action: 'plan.change' },
    ])
    const own = await added(() =>
      send(server, user, 'PATCH', `profiles?id=eq.${user.id}`, { display_name: 'Me' }),
    )
    expect([own.answer.status, own.lines]).toEqual([204, []])
    const signedUp = await added(() => makeUser(server, { data: { display_name: 'New here' } }))
    expect(signedUp.lines).toEqual([])
  })
})

describe('the audit log', () => {
  const changes = [
    `update app.audit_log set action = 'nothing'`,
    'delete from app.audit_log',
    'truncate app.audit_log',
  ]

  async function refusals(arrange: string): Promise<string[]> {
    const client = new pg.Client({ connectionString: server.superuserUrl })
    await client.connect()
    const codes: string[] = []
    try {
      for (const change of changes) {
        await client.query('begin')
        await client.query(arrange)
        codes.push(
          await client.query(change).then(
            () => 'done',
            (error: unknown) =>
              error instanceof pg.DatabaseError ? (error.code ?? '') : String(error),
          ),
        )
        await client.query('rollback')
      }
    } finally {
      await client.end()
    }
    return codes
  }

  it.each(['service_role', 'hoplet_worker', 'hoplet_billing', 'authenticated'])(
    'is append-only for %s',
    async (role) => {
      expect(await refusals(`set local role ${role}`)).toEqual(['42501', '42501', '42501'])
    },
  )

  it('is append-only for hoplet_owner: its DELETE finds only lines of more than two years', async () => {
    expect(await refusals('set local role hoplet_owner')).toEqual(['42501', 'done', '42501'])
    const before = await server.sql('select count(*) as n from app.audit_log')
    await server.sql('begin; set local role hoplet_owner; delete from app.audit_log; commit')
    expect(await server.sql('select count(*) as n from app.audit_log')).toEqual(before)
    expect(before).not.toEqual([{ n: '0' }])
  })

  it('is append-only even for a superuser, as long as its triggers are on', async () => {
    expect(await refusals('select 1')).toEqual(['42501', '42501', '42501'])
    expect(await refusals('alter table app.audit_log disable trigger user')).toEqual([
      'done',
      'done',
      'done',
    ])
  })

  it('cannot be named through the table door, not even by an admin or the service', async () => {
    const service = {
      headers: { apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` },
    }
    for (const who of [undefined, admin, service]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { action: 'nothing' } : undefined
        expect((await send(server, who, method, 'audit_log?id=gt.0', body)).status).toBe(404)
      }
    }
  })

  it('is read newest first, page by page, and searched', async () => {
    type Page = (Line & { actor_email: string; target_email: string | null })[]
    const read = async (body: Record<string, unknown>) =>
      (await rpc(server, admin, 'admin_audit', body)).body as Page
    const all = await read({ _limit: 200 })
    expect(all.length).toBeGreaterThan(8)
    const [first, second] = await read({ _limit: 2 })
    expect([first?.id, second?.id]).toEqual([all[0]?.id, all[1]?.id])
    expect((await read({ _before_id: second?.id, _limit: 1 }))[0]?.id).toBe(all[2]?.id)
    const hit = all.find((line) => line.action === 'plan.change' && line.actor_id !== null)
    if (!hit) throw new Error('a change of plan')
    const byTarget = await read({ _search: hit.target_id })
    expect(byTarget.map(({ id }) => id)).toEqual([hit.id])
    expect(byTarget[0]).toMatchObject({
      actor_email: `${admin.id}@example.com`,
      target_email: `${hit.target_id}@example.com`,
    })
    expect((await read({ _search: `${admin.id}@` })).length).toBeGreaterThan(7)
    expect(await read({ _search: '%' })).toEqual([])
  })
})

describe('a link with a changed destination', () => {
  it('keeps the old and the new address for its owner and for admins, and does not count as an act of an admin', async () => {
    const owner = await makeUser(server)
    const link = await makeLink(server, owner, {
      short_code: 'bait',
      original_url: 'https://good.example/',
    })
    const { lines: found } = await added(() =>
      send(server, owner, 'PATCH', `shortened_urls?id=eq.${link.id}`, {
        original_url: 'https://switch.example/',
      }),
    )
    expect(found).toEqual([])
    for (const who of [owner, admin]) {
      expect((await rpc(server, who, 'link_history', { _short_code: 'bait' })).body).toMatchObject([
        {
          changed_by: owner.id,
          from_url: 'https://good.example/',
          to_url: 'https://switch.example/',
        },
      ])
    }
  })
})
