import pg, { type ClientBase } from 'pg'
import { errorCode } from '../primitives/error-code.ts'

/**
 * The roles that transactions switch to. Nobody logs in as them: the one credential that the database gives us
 * (it needs CREATEROLE and CREATE on the database, never superuser) is a member of each, without inheriting.
 */
export const roles = [
  'hoplet_owner',
  'hoplet_auth',
  'hoplet_visits',
  'hoplet_worker',
  /** Reads clicks, and nothing else. */
  'hoplet_reports',
  'hoplet_billing',
  'anon',
  'authenticated',
  'service_role',
] as const

export type Role = (typeof roles)[number]

/** Makes the missing roles and memberships. Safe to run at every start, and by several servers at once. */
export async function ensureRoles(client: ClientBase): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`select pg_advisory_xact_lock(hashtextextended('hoplet.roles', 0))`)
    const { rows } = await client.query<{ version: number; database: string; encoding: string }>(
      `select current_setting('server_version_num')::int as version, current_database() as database,
        current_setting('server_encoding') as encoding`,
    )
    const server = rows[0]
    if (!server || server.version < 150_000) throw new Error('Hoplet needs PostgreSQL 15 or newer.')
    if (server.encoding !== 'UTF8')
      throw new Error(
        `The database ${server.database} has the encoding ${server.encoding}. Create one with the encoding UTF8 (docs/database.md).`,
      )
    // From 16 on a membership says itself whether it is inherited; before, the login role does.
    const modern = server.version >= 160_000
    for (const role of roles) await ensureRole(client, role, modern)
    await client.query(
      `grant create, connect on database ${pg.escapeIdentifier(server.database)} to hoplet_owner`,
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    if (error instanceof pg.DatabaseError && error.code === '42501') {
      throw new Error(
        `The database user may not set up Hoplet's roles (${error.message}). Give it CREATEROLE and CREATE on its ` +
          `database, or let an administrator run: grant ${roles.join(', ')} to <user>.`,
        { cause: error },
      )
    }
    if (errorCode(error) === '25006')
      throw new Error('The database takes no changes. DATABASE_URL has to lead to the primary.', {
        cause: error,
      })
    throw error
  }
}

async function ensureRole(client: ClientBase, role: Role, modern: boolean): Promise<void> {
  const { rows } = await client.query<{ member: boolean }>(
    `select pg_has_role(session_user, oid, $2) as member from pg_roles where rolname = $1`,
    [role, modern ? 'SET' : 'MEMBER'],
  )
  if (rows.length === 0) await client.query(`create role ${role} nologin`)
  if (!rows[0]?.member) {
    await client.query(
      `grant ${role} to session_user ${modern ? 'with set true, inherit false' : ''}`,
    )
  }
}
