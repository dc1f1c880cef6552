import type { TestUser } from '#test/factories.ts'
import type { BuiltServer } from '../built-server.ts'

/** A domain that is verified, without its checks. */
export async function plantDomain(
  server: BuiltServer,
  { id }: Pick<TestUser, 'id'>,
  host: string,
  { isDefault = false }: { isDefault?: boolean } = {},
): Promise<void> {
  const stored = new URL(`http://${host}`).hostname
  await server.sql(
    `insert into app.domains (user_id, host, is_served, is_proven, is_default, found, has_certificate, certificate_ends_at,
      is_probed, checked_at, next_check_at)
    values ($1, $2, true, true, $3, '{"txt": true, "direction": true}', true, now() + interval '80 days', true,
      now() - interval '40 seconds', now() + interval '1 day')`,
    [id, stored, isDefault],
  )
}
