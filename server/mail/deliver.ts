import { z } from 'zod'
import { defaultLanguage } from '#domain/texts/languages.ts'
import type { Logger } from '../log.ts'
import { inSpan } from '../tracing/span.ts'
import { renderEmail } from './layout.ts'
import { type LeasedEmail, maxAttempts } from './queue.ts'
import { asciiAddress, isAddress, type Sender } from './settings.ts'
import type { MailedSite } from './templates/template.ts'
import { UnknownTemplateError, unsubscribePath, writeEmail } from './templates/templates.ts'
import type { OutgoingMessage, Transport } from './transport.ts'
import { errorMessage, toError } from '../primitives/caught-error.ts'

interface MailFailure {
  reason: string
  forGood: boolean
  /** The mail server itself fails, so other emails need not be tried now. */
  outage: boolean
}

/** Age at which an email is given up that no mail server took; its attempts take about as long. */
const maxAgeMs = 4 * 24 * 60 * 60_000

/** This email will never be accepted; others may be. */
class MailRefusedError extends Error {
  name = 'MailRefusedError'
}

/** Tries to send one email; never throws. Undefined: it was sent. */
export async function deliver(
  mail: LeasedEmail,
  transport: Transport,
  deps: { from: Sender; site: MailedSite; log: Logger },
): Promise<MailFailure | undefined> {
  const { log } = deps
  const facts = { mail: mail.id, template: mail.template, attempts: mail.attempts }
  try {
    // The process ended more than once between claiming this email and storing its result.
    if (mail.attempts > maxAttempts) throw new MailRefusedError('tried too often')
    if (!isAddress(mail.recipient))
      throw new MailRefusedError('the recipient is not an email address')
    const attributes = { 'hoplet.template': mail.template, 'hoplet.attempts': mail.attempts }
    await inSpan('send email', { kind: 'client', attributes }, () =>
      transport.send(compose(mail, deps)),
    )
    log.debug(facts, 'email sent')
    return undefined
  } catch (error) {
    const failure = await judge(error, mail, transport)
    // The text of a mail server may contain the address, so only its codes are logged.
    const { name, code, responseCode, command } = answerIn(error)
    const details = { ...facts, error: name, code, responseCode, command, forGood: failure.forGood }
    if (failure.forGood) log.error(details, 'email given up')
    else log.warn(details, 'email could not be sent')
    return failure
  }
}

/** The whole message, identical for each attempt, so that an email that is sent twice after a crash is shown once. */
export function compose(
  { id, template, recipient, data, created_at: date }: Omit<LeasedEmail, 'attempts'>,
  { from, site }: { from: Sender; site: MailedSite },
): OutgoingMessage {
  const { publicUrl } = site
  const content = writeEmail(template, data, site, defaultLanguage)
  const { subject, text, html } = renderEmail(content, publicUrl, defaultLanguage)
  const unsubscribe = unsubscribePath(data)
  const address = asciiAddress(recipient)
  return {
    id,
    template,
    subject,
    text,
    html,
    date,
    from,
    to: { name: '', address },
    envelope: { from: from.address, to: [address] },
    messageId: `<${id}@${from.address.replace(/^.*@/, '')}>`,
    // Asks for no out-of-office replies.
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(unsubscribe !== undefined && {
        'List-Unsubscribe': `<${new URL(unsubscribe, publicUrl).href}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }
}

async function judge(
  error: unknown,
  { attempts, created_at: createdAt }: LeasedEmail,
  transport: Transport,
): Promise<MailFailure> {
  const { command, responseCode } = answerIn(error)
  // About this recipient or content. A failure of the login or the sender is for the operator to fix.
  const isAboutThis = /^(RCPT TO|DATA)$/.test(String(command))
  const isPermanent = Number(responseCode) >= 500 && Number(responseCode) < 600
  const isRefused =
    error instanceof MailRefusedError || error instanceof z.ZodError || (isAboutThis && isPermanent)
  const isAlone = isRefused || isAboutThis || error instanceof UnknownTemplateError
  // A lost connection, or 421, may be the answer to this recipient or content: a server that welcomes the next session is up.
  const isSender = /^(MAIL FROM|AUTH.*)$/.test(String(command))
  const outage = !isAlone && (isSender || !(await transport.isUp()))
  return {
    reason:
      errorMessage(error)
        .replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')
        .trim() || 'unknown',
    forGood: isRefused || attempts >= maxAttempts || Date.now() - createdAt.getTime() > maxAgeMs,
    outage,
  }
}

/** Fields of nodemailer's errors: the command that failed, and the reply of the mail server. */
function answerIn(error: unknown): Error & Record<string, unknown> {
  return toError(error) as Error & Record<string, unknown>
}
