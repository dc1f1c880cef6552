import type { Transaction } from '../postgres/database.ts'

export interface Mail {
  /** What it tells about, `receipt:in_123`: the same never makes two mails. */
  key: string
  template: string
  recipient: string
  data: Record<string, unknown>
}

/** Writes a mail that goes out once the transaction is through. */
export async function enqueueMail(db: Transaction, mail: Mail): Promise<void> {
  await db.query(
    `insert into app.mail_outbox (key, template, recipient, data) values ($1, $2, $3, $4) on conflict (key) do nothing`,
    [mail.key, mail.template, mail.recipient, JSON.stringify(mail.data)],
  )
}
