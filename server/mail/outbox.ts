import type { z } from 'zod'
import type { Transaction } from '../postgres/database.ts'
import { type TemplateName, templates } from './templates.ts'

/** A mail to be sent; `data` is what its template asks for. */
export type Mail = {
  [Name in TemplateName]: {
    /** What it tells about, `receipt:in_123`: the same never makes two mails. */
    key: string
    template: Name
    recipient: string
    data: z.input<(typeof templates)[Name]['schema']>
  }
}[TemplateName]

/**
 * Writes a mail that goes out once the caller's transaction is through; `wake()` then saves it the few seconds until
 * the outbox is looked at anyway.
 *
 * @throws {z.ZodError} when `data` is not what the template needs
 */
export async function enqueueMail(db: Transaction, mail: Mail): Promise<void> {
  templates[mail.template].schema.parse(mail.data)
  await db.query(
    `insert into app.mail_outbox (key, template, recipient, data) values ($1, $2, $3, $4) on conflict (key) do nothing`,
    [mail.key, mail.template, mail.recipient, JSON.stringify(mail.data, storable)],
  )
}

/** Whether a mail of any kind was written to somebody in the last `seconds`, by a transaction that is through or this one. */
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

/** jsonb takes neither NUL nor half a surrogate pair; neither may undo the transaction of a payment. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/[\0\p{Cs}]/gu, ' ') : value
}
