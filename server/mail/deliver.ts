import { z } from 'zod'
import type { Logger } from '../log.ts'
import { compose } from './compose.ts'
import { type LeasedEmail, maxAttempts } from './queue.ts'
import { isAddress, type Sender } from './settings.ts'
import { UnknownTemplateError } from './templates.ts'
import { MailRefusedError, type Transport } from './transport.ts'

/** `outage`: the mail server itself fails, so other emails need not be tried now. */
export type MailDelivery =
  | { sent: true }
  | { sent: false; reason: string; forGood: boolean; outage: boolean }

/** Tries to send one email; never throws. */
export async function deliver(
  mail: LeasedEmail,
  transport: Transport,
  deps: { from: Sender; publicUrl: string; log: Logger },
): Promise<MailDelivery> {
  const { log } = deps
  const facts = { mail: mail.id, template: mail.template, attempts: mail.attempts }
  try {
    // The process ended more than once between claiming this email and storing its result.
    if (mail.attempts > maxAttempts) throw new MailRefusedError('tried too often')
    if (!isAddress(mail.recipient))
      throw new MailRefusedError('the recipient is not an email address')
    await transport.send(compose(mail, deps))
    log.debug(facts, 'email sent')
    return { sent: true }
  } catch (error) {
    const judged = judge(error, mail.attempts)
    const told = { ...facts, ...codesOf(error), forGood: judged.forGood }
    if (judged.forGood) log.error(told, 'email given up')
    else log.warn(told, 'email could not be sent')
    return judged
  }
}

function judge(error: unknown, attempts: number): MailDelivery & { sent: false } {
  const reason = error instanceof Error ? error.message : String(error)
  const own = error instanceof MailRefusedError || error instanceof z.ZodError
  return {
    sent: false,
    reason: plain(reason) || 'unknown',
    forGood: own || attempts >= maxAttempts,
    outage: !own && !(error instanceof UnknownTemplateError) && !isAboutOneMail(error),
  }
}

/** A temporary failure (4xx) of this recipient or content. */
function isAboutOneMail(error: unknown): boolean {
  return (
    error instanceof Error && 'command' in error && /^(RCPT TO|DATA)$/.test(String(error.command))
  )
}

/** For the log. The text of a mail server may contain the address, so only its codes are logged. */
function codesOf(error: unknown): Record<string, unknown> {
  const source: unknown = error instanceof MailRefusedError ? (error.cause ?? error) : error
  if (!(source instanceof Error)) return {}
  const { name, code, responseCode, command } = source as Error & Record<string, unknown>
  return { error: name, code, responseCode, command }
}

function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim()
}
