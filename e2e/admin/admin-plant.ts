import { randomUUID } from 'node:crypto'
import { makeChain, payInvoice } from '#test/affiliates/plant.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import type { BuiltServer } from '../built-server.ts'

type Server = Pick<BuiltServer, 'url' | 'anonKey' | 'sql'>

export function makeAdmin(server: Server): Promise<TestUser> {
  return makeUser(server, {
    role: 'admin',
    plan: 'business',
    email: `admin-${randomUUID()}@example.com`,
  })
}

/** As if the person had signed in an hour ago. */
export async function ageSessions(server: Server, user: TestUser): Promise<void> {
  await server.sql(
    `update auth.sessions set created_at = now() - interval '1 hour' where user_id = $1`,
    [user.id],
  )
}

/** An affiliate with $1.75 due, $1.75 pending and a commission of $11.75 that is held. */
export async function makeAffiliate(
  server: Server,
  email: string,
): Promise<{ id: string; email: string; payer: string }> {
  const { payer, first } = await makeChain(server.sql)
  await server.sql('delete from app.referrals where referred_user_id = $1', [first])
  await rename(server, first, email)
  await payInvoice(server.sql, { payer, base: 700, age: 40 })
  await payInvoice(server.sql, { payer, base: 700, age: 5 })
  // From now on payer and affiliate have one mailbox.
  await rename(server, payer, email.replace('@', '+again@'))
  await payInvoice(server.sql, { payer, base: 4_700, age: 35 })
  return { id: first, email, payer }
}

async function rename(server: Server, id: string, email: string): Promise<void> {
  await server.sql('update auth.users set email = $2 where id = $1', [id, email])
  await server.sql('update app.profiles set email = $2 where id = $1', [id, email])
}

interface NewReport {
  name: string
  reason?: string
  details?: string
  destination?: string
  reporter?: string
}

/** A report as a visitor's form files it. */
export async function makeReport(server: Server, report: NewReport): Promise<void> {
  await server.sql(
    `insert into app.abuse_reports (name, target_kind, target_id, owner_id, destination, reason, details, reporter_email)
     select $1, t.kind, t.id, t.owner_id, coalesce($2, t.destination), $3, $4, $5 from app.reported_target($1) t`,
    [
      report.name,
      report.destination ?? null,
      report.reason ?? 'phishing',
      report.details ?? '',
      report.reporter ?? null,
    ],
  )
}
