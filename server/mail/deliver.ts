import { z } from 'zod'
import type { Logger } from '../log.ts'
import { compose } from './compose.ts'
import { type Leased, mostAttempts } from './queue.ts'
import { isAddress, type Sender } from './settings.ts'
import { UnknownTemplateError } from './templates.ts'
import { MailRefusedError, type Transport } from './transport.ts'

/** `outage`: the mail server itself does not work, so the others need not be tried now. */
export type Delivery =
  | { sent: true }
  | { sent: false; reason: string; forGood: boolean; outage: boolean }

/** Tries to send one mail; never throws. */
export async function deliver(
  mail: Leased,
  transport: Transport,
  surroundings: { from: Sender; publicUrl: string; log: Logger },
): Promise<Delivery> {
  const { log } = surroundings
  const facts = { mail: mail.id, template: mail.template, attempts: mail.attempts }
  try {
    // It ended more than once between taking a mail and telling what came of it.
    if (mail.attempts > mostAttempts) throw new MailRefusedError('tried too often')
    if (!isAddress(mail.recipient)) throw new MailRefusedError('the recipient is no e-mail address')
    await transport.send(compose(mail, surroundings))
    log.debug(facts, 'mail sent')
    return { sent: true }
  } catch (error) {
    const judged = judge(error, mail.attempts)
    const told = { ...facts, ...codesOf(error), forGood: judged.forGood }
    if (judged.forGood) log.error(told, 'a mail is given up')
    else log.warn(told, 'a mail could not be sent')
    return judged
  }
}

function judge(error: unknown, attempts: number): Delivery & { sent: false } {
  const reason = error instanceof Error ? error.message : String(error)
  const own = error instanceof MailRefusedError || error instanceof z.ZodError
  return {
    sent: false,
    reason: plain(reason) || 'unknown',
    forGood: own || attempts >= mostAttempts,
    outage: !own && !(error instanceof UnknownTemplateError) && !isAboutOneMail(error),
  }
}

/** The server spoke of this recipient or content: "not now" (4xx). */
function isAboutOneMail(error: unknown): boolean {
  return (
    error instanceof Error && 'command' in error && /^(RCPT TO|DATA)$/.test(String(error.command))
  )
}

/** For the log: what a mail server says may hold the address, so only its numbers are told. */
function codesOf(error: unknown): Record<string, unknown> {
  const source: unknown = error instanceof MailRefusedError ? (error.cause ?? error) : error
  if (!(source instanceof Error)) return {}
  const { name, code, responseCode, command } = source as Error & Record<string, unknown>
  return { error: name, code, responseCode, command }
}

function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim()
}
