import type { z } from 'zod'
import type { Transaction } from '../postgres/database.ts'
import { type TemplateName, templates } from './templates/templates.ts'

/** An email to send. `data` fits the schema of its template. */
export type Mail = {
  [Name in TemplateName]: {
    /** The subject, for example `receipt:in_123`. The same key is queued once. */
    key: string
    template: Name
    recipient: string
    data: z.input<(typeof templates)[Name]['data']>
  }
}[TemplateName]

/**
 * Queues an email in the caller's transaction. After the commit `wake()` sends it at once, else the next poll does.
 *
 * @throws {z.ZodError} when `data` does not fit the template
 */
export async function enqueueMail(db: Transaction, mail: Mail): Promise<void> {
  templates[mail.template].data.parse(mail.data)
  await db.query(
    `insert into app.mail_outbox (key, template, recipient, data) values ($1, $2, $3, $4) on conflict (key) do nothing`,
    [mail.key, mail.template, mail.recipient, JSON.stringify(mail.data, storable)],
  )
}

/** Whether any email to the recipient was queued in the last `seconds`. */
export async function wasMailed(
  db: Transaction,
  recipient: string,
  seconds: number,
): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from app.mail_outbox
      where recipient = $1 and created_at > clock_timestamp() - make_interval(secs => $2) limit 1`,
    [recipient, seconds],
  )
  return rows.length > 0
}

/** Replaces NUL and half surrogate pairs, which jsonb refuses: they must not roll back a payment. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/[\0\p{Cs}]/gu, ' ') : value
}
