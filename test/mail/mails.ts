import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import { type Config, createConfig } from '#server/config.ts'
import type { Context } from '#server/context.ts'
import { parseVariables } from '#server/env.ts'
import { enqueueMail, type Mail } from '#server/mail/outbox.ts'
import type { TestServer } from '#test/server.ts'

/** The mail configuration of these variables, with an outbox that is read only on request. */
export function mailConfig(
  variables: Record<string, string>,
  timeoutMs = 5_000,
): Pick<Config, 'mail'> {
  const { mail } = createConfig(parseVariables(variables))
  return { mail: { ...mail, timeoutMs, pollIntervalMs: 3_600_000 } }
}

/** Writes mails as the billing core does, in one transaction. */
export async function enqueue(
  { context }: { context: Pick<Context, 'database'> },
  ...mails: Mail[]
) {
  await context.database.transactionAs({ role: 'hoplet_billing' }, async (db) => {
    for (const mail of mails) await enqueueMail(db, mail)
  })
}

export const aReceipt = (key: string, recipient = `${key}@example.com`): Mail => ({
  key,
  template: 'receipt',
  recipient,
  data: {
    plan: 'pro',
    amount: 700,
    currency: 'usd',
    number: `N-${key}`,
    paidAt: '2026-11-21T10:00:00.000Z',
    periodEnd: '2026-12-21T10:00:00.000Z',
  },
})

export interface OutboxRow extends Record<string, unknown> {
  key: string
  id: string
  attempts: number
  sent: boolean
  failed: boolean
  data: unknown
  last_error: string | null
  waits: number
}

export function outboxRows({ sql }: Pick<TestServer, 'sql'>): Promise<OutboxRow[]> {
  return sql<OutboxRow>(
    `select key, id, attempts, sent_at is not null as sent, failed_at is not null as failed, data, last_error,
        extract(epoch from next_attempt_at - now())::float8 as waits
      from app.mail_outbox order by key`,
  )
}

/** Makes everything that waits due now. */
export async function hurry({ sql }: Pick<TestServer, 'sql'>): Promise<void> {
  await sql('update app.mail_outbox set next_attempt_at = now() where sent_at is null')
}

export async function readFiles(
  dataDir: string,
): Promise<{ name: string; raw: string; mail: Email }[]> {
  const folder = join(dataDir, 'outbox')
  const names = (await readdir(folder).catch((): string[] => [])).sort()
  return Promise.all(
    names.map(async (name) => {
      const raw = await readFile(join(folder, name))
      return { name, raw: raw.toString('latin1'), mail: await PostalMime.parse(raw) }
    }),
  )
}
