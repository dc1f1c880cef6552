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

/** jsonb takes neither NUL nor half a surrogate pair; neither may undo the transaction of a payment. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/[\0\p{Cs}]/gu, ' ') : value
}
