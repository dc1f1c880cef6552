import type { SendMailOptions } from 'nodemailer'

/** Sends emails. */
export interface Transport {
  name: 'smtp' | 'file'
  /** Resolves when the email was accepted. The same email may be sent twice. @throws {MailRefusedError} */
  send(message: OutgoingMessage): Promise<void>
  close(): void
}

export interface OutgoingMessage extends SendMailOptions {
  /** The id of its row in the outbox. */
  id: string
  template: string
  /** Plain text. Without a mail server its first link may go to the log. */
  text: string
  date: Date
}

/** This email will never be accepted; others may be. */
export class MailRefusedError extends Error {
  name = 'MailRefusedError'
}
