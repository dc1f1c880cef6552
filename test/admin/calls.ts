import { randomUUID } from 'node:crypto'
import { apiCatalog } from '#test/catalog.ts'
import type { TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'

/** One thing that only admins may do to an account. */
export interface AdminCall {
  name: string
  /** How the server answers it. */
  status(
    server: TestServer,
    who: Pick<Account, 'headers'> | undefined,
    victim: Account,
  ): Promise<number>
}

/** Values for each argument; a function with an argument that is not here fails the tests. */
const argumentsFor = (victim: Account): Record<string, unknown> => ({
  _user_id: victim.id,
  _person: victim.id,
  _affiliate: victim.id,
  _display_name: 'Renamed',
  _role: 'user',
  _plan_type: 'pro',
  _kind: 'user',
  _by: 'user',
  _value: victim.id,
  _id: randomUUID(),
  _uphold: true,
  _release: true,
})

// One row or 406: a request that finds nothing to change does not succeed.
const oneRow = {
  prefer: 'return=representation',
  accept: 'application/vnd.pgrst.object+json',
}

const table = (
  method: string,
  path: (victim: Account) => string,
  body?: (victim: Account) => unknown,
  headers: Record<string, string> = oneRow,
): AdminCall => ({
  name: `${method} ${path({ id: '…', claims: {}, headers: {} })}`,
  status: async (server, who, victim) =>
    (await send(server, who, method, path(victim), body?.(victim), headers)).status,
})

const upsert = { ...oneRow, prefer: 'return=representation,resolution=merge-duplicates' }

/** The calls that the specification names, every function for admins, and the status page. */
export const adminCalls: AdminCall[] = [
  table('GET', ({ id }) => `profiles?id=eq.${id}`),
  table('GET', ({ id }) => `user_plans?user_id=eq.${id}`),
  table('GET', ({ id }) => `user_roles?user_id=eq.${id}`),
  table(
    'PATCH',
    ({ id }) => `profiles?id=eq.${id}`,
    () => ({ display_name: 'Renamed' }),
  ),
  table(
    'PATCH',
    ({ id }) => `user_plans?user_id=eq.${id}`,
    () => ({ plan_type: 'business' }),
  ),
  table(
    'PATCH',
    ({ id }) => `user_roles?user_id=eq.${id}`,
    () => ({ role: 'admin' }),
  ),
  table(
    'POST',
    () => 'user_roles?on_conflict=user_id,role',
    ({ id }) => ({ user_id: id, role: 'admin' }),
    upsert,
  ),
  table('DELETE', ({ id }) => `profiles?id=eq.${id}`),
  ...[...apiCatalog.functions].filter(([name]) => name.startsWith('admin_')).map(functionCall),
  {
    name: 'system-status',
    status: async (server, who) => {
      const url = `${server.url}/functions/v1/system-status`
      const headers = who?.headers ?? { apikey: server.anonKey }
      return (await fetch(url, { method: 'POST', headers })).status
    },
  },
]

function functionCall([name, { args }]: [
  string,
  { args: readonly { name: string; optional: boolean }[] },
]): AdminCall {
  return {
    name,
    async status(server, who, victim) {
      // There has to be something to lift.
      if (name === 'admin_unblock') {
        await server.sql(
          `insert into app.blocks (kind, value) values ('user', $1) on conflict do nothing`,
          [victim.id],
        )
      }
      const values = argumentsFor(victim)
      if (name === 'admin_make_owner') values['_space'] = await plantSpace(server, victim)
      const required = args.filter((one) => !one.optional)
      for (const one of required) {
        if (!Object.hasOwn(values, one.name)) throw new Error(`${name} has a new ${one.name}`)
      }
      const body = Object.fromEntries(required.map((one) => [one.name, values[one.name]]))
      return (await send(server, who, 'POST', `rpc/${name}`, body)).status
    },
  }
}

/** A space with the person as a viewer; none when the person was deleted. */
async function plantSpace(server: TestServer, { id }: Account): Promise<string> {
  const [made] = await server.sql<{ id: string }>(
    `with account as (insert into auth.users (kind) values ('space') returning id),
      space as (insert into app.spaces (id, slug) select id, 's-' || left(id::text, 8) from account returning id)
      insert into app.members (account_id, person_id, role) select s.id, u.id, 'viewer' from space s, auth.users u where u.id = $1 returning account_id as id`,
    [id],
  )
  return made?.id ?? randomUUID()
}

/** Calls a function of the database, as the web app does. */
export function rpc(
  server: TestServer,
  who: Pick<Account, 'headers'> | undefined,
  name: string,
  body: Record<string, unknown> = {},
) {
  return send(server, who, 'POST', `rpc/${name}`, body)
}

/** An admin with a session that began some time ago. */
export async function makeAdmin(server: TestServer, minutesAgo = 0): Promise<Account> {
  const admin = await makeAccount(server, { role: 'admin' })
  await server.sql(
    `update auth.sessions set created_at = now() - $2 * interval '1 minute' where user_id = $1`,
    [admin.id, minutesAgo],
  )
  return admin
}
