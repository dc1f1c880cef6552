import * as z from 'zod'
import type { SecurityEventName } from '#domain/access/security-events.ts'
import { limitKey } from '../../http/client-address.ts'
import type { Transaction } from '../../postgres/database.ts'
import { takeToken } from '../../postgres/token-bucket.ts'
import type { BucketPolicy } from '../../primitives/token-bucket.ts'
import { type AuthCall, readAccountBody, transaction } from '../call.ts'
import { metadata, normalizeEmail, optionalText } from '../credentials.ts'
import { authErrors } from '../errors.ts'
import { type Challenge, readChallenge } from '../flow-states.ts'
import type { SignedInCall } from '../guards.ts'
import { opensSignUp, takeInvitation } from '../invitations.ts'
import { emailMark, recordEvent, recordOwnEvent } from '../record-event.ts'
import { allowedRedirect } from '../redirects.ts'
import { insertUser, lockAccountOf, type LockedAccount } from '../users.ts'
import { emailAddressChange } from './email-change.ts'
import { emailToken } from './emails.ts'
import { consumeToken, type EmailToken, findByCode } from './one-time-tokens.ts'

/** Purposes of requested emails, with the words for a person who has to wait. Each has separate limits. */
const requestable = {
  confirmation: 'another confirmation email',
  recovery: 'another password reset email',
  magiclink: 'another sign-in email',
  email_change: 'another email for a change of address',
  reauthentication: 'another confirmation code',
}

type RequestableEmail = keyof typeof requestable

const onePerMinute: BucketPolicy = { name: 'mail', burst: 1, windowSeconds: 60 }
const perTarget: BucketPolicy = { name: 'mail target', burst: 6, windowSeconds: 1_800 }
const perClient: BucketPolicy = { name: 'mail client', burst: 30, windowSeconds: 3_600 }

/**
 * Admits one email of a kind per minute to each address, whether it has an account or not, so that a refusal tells
 * nothing. Addresses are stored as keyed digests.
 *
 * @throws {AuthError} 429 over_email_send_rate_limit
 */
export async function admitMail(
  call: AuthCall,
  what: RequestableEmail,
  ...emails: (string | null)[]
): Promise<void> {
  if (!call.deps.config.rateLimits) return
  // A refusal throws, and the rollback returns the tokens of the other buckets.
  await transaction(call, async (db) => {
    const usedUp = await take(db, call, perClient, limitKey(call.info.address))
    if (usedUp !== undefined) throw authErrors.mailsUsedUp(usedUp)
    // Sorted, so that two requests with the same two addresses cannot deadlock.
    for (const email of [...new Set(emails)].filter((email) => email !== null).sort()) {
      const wait = await countMail(db, call, what, email)
      if (wait !== undefined) throw authErrors.mailTooSoon(requestable[what], wait)
    }
  })
}

/** @returns the seconds to wait, if the address may get no email of this kind now */
async function countMail(
  db: Transaction,
  call: AuthCall,
  what: RequestableEmail,
  email: string,
): Promise<number | undefined> {
  if (!call.deps.config.rateLimits) return undefined
  const target = `${what} ${call.deps.secretBox.digest(email, 'mail budgets')}`
  return (await take(db, call, onePerMinute, target)) ?? (await take(db, call, perTarget, target))
}

async function take(
  db: Transaction,
  { deps }: AuthCall,
  policy: BucketPolicy,
  key: string,
): Promise<number | undefined> {
  const wait = await takeToken(db, policy, key)
  if (wait !== undefined) deps.rateLimits.countRefusal(policy)
  return wait
}

/** The body of a request for an email. */
export const mailRequest = z.object({
  email: optionalText,
  phone: optionalText,
  data: metadata.nullish(),
  create_user: z.boolean().nullish(),
  code_challenge: optionalText,
  code_challenge_method: optionalText,
})

type MailInput = z.output<typeof mailRequest>

/** Where an emailed link leads, and whether it gives a code (PKCE) or the session itself. */
interface WayBack {
  redirectTo: string
  challenge: Challenge | undefined
}

/** @throws {AuthError} validation_failed, phone_provider_disabled */
export function readMailRequest(
  call: AuthCall,
  input: MailInput,
  whyEmail: string,
): WayBack & { email: string } {
  if (!input.email) throw authErrors.invalid(whyEmail)
  return { email: normalizeEmail(input.email), ...readWayBack(call, input) }
}

export function readWayBack(call: AuthCall, input: MailInput): WayBack {
  return {
    redirectTo: allowedRedirect(call.deps.config, call.url.searchParams.get('redirect_to')),
    challenge: readChallenge(input.code_challenge, input.code_challenge_method),
  }
}

/** POST /recover: an emailed link to set a new password. */
export async function recover(call: AuthCall): Promise<Response> {
  const input = await readAccountBody(call, mailRequest)
  const to = readMailRequest(call, input, 'Password recovery requires an email')
  return sendTo(call, to, 'recovery', 'recovery asked for', async (db, account) => {
    if (account) await emailToken(db, call, { userId: account.id, kind: 'recovery', ...to })
  })
}

/**
 * POST /otp and /magiclink: an emailed link and code to sign in without a password. A new person gets an account, unless
 * the client or the operator does not want that.
 */
export async function sendSignInLink(call: AuthCall): Promise<Response> {
  const input = await readAccountBody(call, mailRequest)
  const to = readMailRequest(call, input, 'One of email or phone must be set')
  const { invitation, data } = takeInvitation(input.data)
  const isOpen = call.deps.config.auth.signUp || (await opensSignUp(call, invitation, input.email))
  const mayCreate = isOpen && input.create_user !== false
  return sendTo(call, to, 'magiclink', 'sign-in link asked for', async (db, known) => {
    if (known) return emailToken(db, call, { userId: known.id, kind: 'magiclink', ...to })
    const account = { ...to, passwordHash: null, confirmed: false, metadata: data }
    const userId = mayCreate ? await insertUser(db, account) : undefined
    if (userId !== undefined) await emailToken(db, call, { userId, kind: 'confirmation', ...to })
  })
}

export const resendRequest = mailRequest.extend({ type: optionalText })

/** POST /resend: the email of a sign-up, or of a change of address, again. */
export async function resend(call: AuthCall): Promise<Response> {
  const input = await readAccountBody(call, resendRequest)
  if (input.type === 'sms' || input.type === 'phone_change') throw authErrors.phoneDisabled()
  const isSignUp = input.type === 'signup'
  if (!isSignUp && input.type !== 'email_change')
    throw authErrors.invalid('Missing one of these types: signup, email_change, sms, phone_change')
  const to = readMailRequest(call, input, 'Type provided requires an email address')
  const kind = isSignUp ? 'confirmation' : 'email_change'
  return sendTo(call, to, kind, 'mail asked for again', async (db, account) => {
    if (!isSignUp && account?.new_email)
      await resendAddressChange(db, call, { ...account, new_email: account.new_email }, to)
    else if (isSignUp && account && !account.email_confirmed_at)
      await emailToken(db, call, { userId: account.id, kind: 'confirmation', ...to })
  })
}

/** The new address counts as well: its owner may have asked for nothing. Over its limit no email goes out. */
async function resendAddressChange(
  db: Transaction,
  call: AuthCall,
  account: LockedAccount & { new_email: string },
  way: WayBack,
): Promise<void> {
  const wait = account.email_change_proven
    ? undefined
    : await countMail(db, call, 'email_change', account.new_email)
  if (wait === undefined) await emailAddressChange(db, call, account, way)
}

/** Sends the email that the state of the account calls for. The response does not reveal whether it has an account. */
async function sendTo(
  call: AuthCall,
  { email }: { email: string },
  kind: RequestableEmail,
  event: SecurityEventName,
  send: (db: Transaction, account: LockedAccount | undefined) => Promise<void>,
): Promise<Response> {
  await admitMail(call, kind, email)
  await transaction(call, async (db) => send(db, await lockAccountOf(db, email)))
  call.deps.mail.wake()
  recordEvent(call, event, { account: emailMark(email), kind })
  return Response.json({})
}

/** GET /reauthenticate: emails a code that confirms, with a change of password, that it is still the same person. */
export async function reauthenticate(call: SignedInCall): Promise<Response> {
  const { id: userId, email } = call.user
  if (email === null) throw authErrors.addressMissing()
  await admitMail(call, 'reauthentication', email)
  const { publicUrl: redirectTo } = call.deps.config
  await transaction(call, (db) =>
    emailToken(db, call, { userId, kind: 'reauthentication', email, redirectTo }),
  )
  call.deps.mail.wake()
  recordOwnEvent(call, 'reauthentication asked for')
  return Response.json({})
}

/**
 * Finds a reauthentication code, in a separate transaction: a wrong one counts although the change fails. {@link spendNonce}
 * consumes it.
 *
 * @throws {AuthError} 422 reauthentication_not_valid
 */
export async function findNonce(call: SignedInCall, nonce: string): Promise<EmailToken> {
  const { id: of, email } = call.user
  const token = await transaction(call, async (db) => {
    if (email === null || nonce.includes('\0')) return undefined
    const given = { kinds: ['reauthentication'] as const, email, code: nonce.trim(), of }
    return findByCode(db, call, given)
  })
  if (token) return token
  recordOwnEvent(call, 'reauthentication failed')
  throw authErrors.nonceInvalid()
}

/** @throws {AuthError} 422 reauthentication_not_valid for the second of two requests with one code */
export async function spendNonce(db: Transaction, token: EmailToken): Promise<void> {
  if (!(await consumeToken(db, token))) throw authErrors.nonceInvalid()
}
