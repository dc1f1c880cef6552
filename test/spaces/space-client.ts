import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import type { SpaceRole } from '#domain/access/space-roles.ts'
import type { Plan } from '#domain/plans.ts'
import type { TestServer } from '#test/server.ts'

/** A space, and its owner as they act for it. */
export interface TestSpace {
  id: string
  slug: string
  owner: Account
  /** A member with this role; `headers` act for the space, `person` is their own account. */
  join(role: SpaceRole): Promise<Account & { person: Account }>
}

/** The same person as they act for a space. */
export function actingFor(space: string, person: Account): Account {
  return { ...person, headers: { ...person.headers, 'x-hoplet-account': space } }
}

let spaces = 0

export async function makeSpace(
  server: TestServer,
  { plan = 'business', owner }: { plan?: Plan; owner?: Account } = {},
): Promise<TestSpace> {
  const maker = owner ?? (await makeAccount(server, { plan: 'business' }))
  const slug = `space-${++spaces}-${maker.id.slice(0, 8)}`
  const made = await send(server, maker, 'POST', 'rpc/create_space', {
    _slug: slug,
    _name: `Space ${spaces}`,
  })
  if (made.status !== 200) throw new Error(`create_space answered ${JSON.stringify(made.body)}`)
  const id = String(made.body)
  await server.sql('update app.user_plans set plan_type = $2 where user_id = $1', [id, plan])
  const acting = actingFor(id, maker)
  return {
    id,
    slug,
    owner: acting,
    async join(role) {
      const person = await makeAccount(server)
      const token = await inviteTo(server, acting, role)
      const joined = await send(server, person, 'POST', 'rpc/accept_invitation', { _token: token })
      if (joined.status !== 200) throw new Error(`joining answered ${JSON.stringify(joined.body)}`)
      return { ...actingFor(id, person), person }
    },
  }
}

/** The secret of a new invitation's link. */
export async function inviteTo(
  server: TestServer,
  owner: Account,
  role: SpaceRole,
  email?: string,
): Promise<string> {
  const made = await send(server, owner, 'POST', 'rpc/create_invitation', {
    _role: role,
    ...(email !== undefined && { _email: email }),
  })
  if (made.status !== 200)
    throw new Error(`create_invitation answered ${JSON.stringify(made.body)}`)
  return new URL(String(made.body)).hash.slice(1)
}
