import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAdmin as makeAdminByCommand } from '#server/commands/make-admin.ts'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, makeAccounts, send } from '#test/tables/accounts.ts'
import { adminCalls, makeAdmin } from './calls.ts'

let server: TestServer
let admin: Account

beforeAll(async () => {
  server = await startTestServer()
  admin = await makeAdmin(server)
})
afterAll(() => server.close())

/** Every call that answered with a success, and how. */
async function successes(who: Pick<Account, 'headers'> | undefined): Promise<string[]> {
  const victims = await makeAccounts(server, adminCalls.length)
  const found: string[] = []
  for (const [index, call] of adminCalls.entries()) {
    const victim = victims[index]
    if (!victim) throw new Error('a victim for each call')
    const status = await call.status(server, who, victim)
    if (status < 400) found.push(`${call.name}: ${status}`)
    else expect([400, 401, 403, 404, 406]).toContain(status)
  }
  return found
}

describe('every call for admins', () => {
  it('is open to an admin', async () => {
    const victims = await makeAccounts(server, adminCalls.length)
    for (const [index, call] of adminCalls.entries()) {
      const victim = victims[index]
      if (!victim) throw new Error('a victim for each call')
      expect([call.name, await call.status(server, admin, victim)]).not.toEqual([
        call.name,
        expect.toSatisfy((status: number) => [401, 403, 404, 406, 500].includes(status)),
      ])
    }
  })

  it('needs sign-in', async () => {
    expect(await successes(undefined)).toEqual([])
  })

  it('is refused to an account without the role', async () => {
    expect(await successes(await makeAccount(server))).toEqual([])
  })

  it('is refused with an admin’s expired token', async () => {
    const token = await server.context.tokens.sign(admin.claims, -3_600)
    const headers = { ...admin.headers, authorization: `Bearer ${token}` }
    expect(await successes({ headers })).toEqual([])
  })

  it('is refused to an admin who was demoted a moment ago', async () => {
    const second = await makeAdmin(server)
    const body = { user_id: second.id, role: 'user' }
    const headers = { prefer: 'resolution=merge-duplicates' }
    expect(
      (await send(server, admin, 'POST', 'user_roles?on_conflict=user_id,role', body, headers))
        .status,
    ).toBe(201)
    expect(await successes(second)).toEqual([])
  })

  it('is refused to an admin who was signed out or deleted', async () => {
    const [signedOut, deleted] = [await makeAdmin(server), await makeAdmin(server)]
    await server.sql('delete from auth.sessions where user_id = $1', [signedOut.id])
    expect((await send(server, admin, 'DELETE', `profiles?id=eq.${deleted.id}`)).status).toBe(204)
    expect(await successes(signedOut)).toEqual([])
    expect(await successes(deleted)).toEqual([])
  })

  it('would be noticed if one call did not check (control)', async () => {
    const broken = await startTestServer()
    try {
      await broken.sql(`create or replace function app.require_admin() returns void
        language plpgsql stable security definer set search_path = '' as 'begin end'`)
      const [user, victim] = await makeAccounts(broken, 2)
      if (!user || !victim) throw new Error('two accounts')
      const open: string[] = []
      for (const call of adminCalls) {
        if ((await call.status(broken, user, victim)) < 400) open.push(call.name)
      }
      expect(open).toContain('admin_users')
      expect(open).toContain('admin_delete_user')
    } finally {
      await broken.close()
    }
  })
})

describe('the first admin', () => {
  it('is made once by 20 commands at the same time, and the log has one line', async () => {
    const user = await makeAccount(server)
    const config = createConfig(parseVariables({ DATABASE_URL: server.databaseUrl }))
    const log = createLog('silent')
    const email = `${user.id}@example.com`
    const told = await Promise.all(
      Array.from({ length: 20 }, () => makeAdminByCommand([email], config, log)),
    )
    expect(told).toHaveLength(20)
    expect(
      await server.sql('select role from app.user_roles where user_id = $1', [user.id]),
    ).toEqual([{ role: 'admin' }])
    expect(
      await server.sql(
        'select actor_id, actor_role, action, before, after from app.audit_log where target_id = $1',
        [user.id],
      ),
    ).toEqual([
      {
        actor_id: null,
        actor_role: 'hoplet_worker',
        action: 'role.change',
        before: { role: 'user' },
        after: { role: 'admin' },
      },
    ])
  })

  it('cannot be made over HTTP: no setup page exists', async () => {
    const before = await server.sql(`select count(*) from app.user_roles where role = 'admin'`)
    for (const path of [
      '/setup',
      '/install',
      '/admin/setup',
      '/functions/v1/setup',
      '/auth/v1/setup',
      '/rest/v1/rpc/setup',
    ]) {
      const response = await fetch(server.url + path, { method: 'POST', body: '{}' })
      expect([path, response.status]).toEqual([path, expect.toSatisfy((s: number) => s >= 400)])
    }
    expect(await server.sql(`select count(*) from app.user_roles where role = 'admin'`)).toEqual(
      before,
    )
  })
})
