import { z } from 'zod'
import type { Logger } from '../log.ts'
import { compose } from './compose.ts'
import { type LeasedEmail, maxAttempts } from './queue.ts'
import { isAddress, type Sender } from './settings.ts'
import { UnknownTemplateError } from './templates.ts'
import type { Transport } from './transport.ts'

/** `outage`: the mail server itself fails, so other emails need not be tried now. */
export type MailDelivery =
  | { sent: true }
  | { sent: false; reason: string; forGood: boolean; outage: boolean }

/** This email will never be accepted; others may be. */
class MailRefusedError extends Error {
  name = 'MailRefusedError'
}

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
    const failure = judge(error, mail.attempts)
    // The text of a mail server may contain the address, so only its codes are logged.
    const { name, code, responseCode, command } = answerIn(error)
    const told = { ...facts, error: name, code, responseCode, command, forGood: failure.forGood }
    if (failure.forGood) log.error(told, 'email given up')
    else log.warn(told, 'email could not be sent')
    return failure
  }
}

function judge(error: unknown, attempts: number): MailDelivery & { sent: false } {
  const { command, responseCode } = answerIn(error)
  // About this recipient or content. A failure of the login or the sender is for the operator to fix.
  const isAboutThis = /^(RCPT TO|DATA)$/.test(String(command))
  const isPermanent = Number(responseCode) >= 500 && Number(responseCode) < 600
  const isRefused =
    error instanceof MailRefusedError || error instanceof z.ZodError || (isAboutThis && isPermanent)
  const reason = error instanceof Error ? error.message : String(error)
  return {
    sent: false,
    reason: reason.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim() || 'unknown',
    forGood: isRefused || attempts >= maxAttempts,
    outage: !isRefused && !isAboutThis && !(error instanceof UnknownTemplateError),
  }
}

/** What nodemailer puts into an error: the command that failed, and the reply of the mail server. */
function answerIn(error: unknown): Partial<Record<string, unknown>> {
  return error instanceof Error ? (error as Error & Record<string, unknown>) : {}
}
