import { makeUser, type TestUser } from '#test/factories.ts'
import type { SpaceRole } from '#domain/access/space-roles.ts'
import type { Plan } from '#domain/plans.ts'
import type { BuiltServer } from '../built-server.ts'

export interface StagedSpace {
  id: string
  slug: string
  name: string
  owner: TestUser
  /** A new person who is a member with this role. */
  join(role: SpaceRole): Promise<TestUser>
  /** The link of a new invitation. */
  invite(role: SpaceRole, email?: string): Promise<string>
}

let spaces = 0

/** A space with its owner, made as programs make one. */
export async function stageSpace(
  server: BuiltServer,
  { name = 'Harbour Books', plan = 'business' }: { name?: string; plan?: Plan } = {},
): Promise<StagedSpace> {
  const owner = await makeUser(server, { plan: 'business', data: { display_name: 'Mara Lind' } })
  const slug = `books-${process.pid}-${++spaces}`
  const id = (await callAs(server, owner, 'create_space', { _slug: slug, _name: name })) as string
  await server.sql('update app.user_plans set plan_type = $2 where user_id = $1', [id, plan])
  const invite = async (role: SpaceRole, email?: string) =>
    String(
      await callAs(
        server,
        owner,
        'create_invitation',
        { _role: role, ...(email !== undefined && { _email: email }) },
        id,
      ),
    )
  return {
    id,
    slug,
    name,
    owner,
    invite,
    async join(role) {
      const person = await makeUser(server, { data: { display_name: `${name} ${role}` } })
      const token = new URL(await invite(role)).hash.slice(1)
      await callAs(server, person, 'accept_invitation', { _token: token })
      return person
    },
  }
}

/** The answer of a procedure to a person, in a space if one is given. */
export async function callAs(
  server: BuiltServer,
  { session }: Pick<TestUser, 'session'>,
  name: string,
  body: object,
  space?: string,
): Promise<unknown> {
  const response = await fetch(`${server.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${session.access_token}`,
      'content-type': 'application/json',
      ...(space !== undefined && { 'x-hoplet-account': space }),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${name} answered ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
