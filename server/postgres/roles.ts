import type { ClientBase } from 'pg'
import pg from 'pg'

/**
 * The roles that transactions switch to. Nobody logs in as them: the one credential that the database gives us
 * (it needs CREATEROLE and CREATE on the database, never superuser) is a member of each, without inheriting.
 */
export const roles = [
  'hoplet_owner',
  'hoplet_auth',
  'hoplet_visits',
  'hoplet_worker',
  'anon',
  'authenticated',
  'service_role',
] as const

export type Role = (typeof roles)[number]

/** Makes the missing roles and memberships. Safe to run at every start, and by several servers at once. */
export async function ensureRole(client: ClientBase, role: Role, modern: boolean): Promise<void> {
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
