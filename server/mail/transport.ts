import type { SendMailOptions } from 'nodemailer'

/** Where mails go. */
export interface Transport {
  name: 'smtp' | 'file'
  /** Resolves when the mail is out of our hands. The same mail may come twice. @throws {MailRefusedError} */
  send(message: Message): Promise<void>
  close(): void
}

export interface Message extends SendMailOptions {
  /** Of its row in the outbox. */
  id: string
  template: string
  /** Its plain text; the first link in it goes to the log when no mail leaves this machine. */
  text: string
  date: Date
}

/** This mail will never be taken, however often it is tried; others may be. */
export class MailRefusedError extends Error {
  name = 'MailRefusedError'
}
