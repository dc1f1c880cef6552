import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { checkNewPassword, metadata, normalizeEmail, optionalText } from '../credentials.ts'
import { storeEmailChange } from '../email-flows/email-change.ts'
import { emailToken, linkFor } from '../email-flows/emails.ts'
import { type EmailTokenKind, issueOneTimeToken } from '../email-flows/one-time-tokens.ts'
import { authErrors } from '../errors.ts'
import { presentUser } from '../present-user.ts'
import { recordEvent } from '../record-event.ts'
import { allowedRedirect } from '../redirects.ts'
import { findLockedUser, insertUser, lockAccountOf, resetAccount } from '../users.ts'
import { orThrow } from '../../primitives/or-throw.ts'

export const generateLinkBody = z.object({
  type: z.enum([
    'signup',
    'invite',
    'magiclink',
    'recovery',
    'email_change_current',
    'email_change_new',
  ]),
  email: optionalText,
  new_email: optionalText,
  password: optionalText,
  data: metadata.nullish(),
  redirect_to: optionalText,
})
type Wanted = z.output<typeof generateLinkBody>

/** POST /admin/generate_link: the link and the code that an email would have, for the operator's own emails. */
export async function generateLink(call: AuthCall): Promise<Response> {
  const { config, secretBox, hasher } = call.deps
  const input = await readBody(call, generateLinkBody)
  const email = normalizeEmail(input.email ?? '')
  const asked = input.redirect_to ?? call.url.searchParams.get('redirect_to')
  const redirectTo = allowedRedirect(config, asked)
  let passwordHash: string | null = null
  if (input.type === 'signup' && input.password) {
    checkNewPassword(input.password, config.auth.passwordMinLength)
    passwordHash = await hasher.hash(input.password)
  }
  const { type, kind, secrets, user } = await transaction(call, async (db) => {
    const found = await targetOf(db, email, input, passwordHash)
    const kind: EmailTokenKind = found.type === 'signup' ? 'confirmation' : found.type
    const secrets = await issueOneTimeToken(db, secretBox, { ...found, kind, redirectTo })
    return { type: found.type, kind, secrets, user: await findLockedUser(db, found.userId) }
  })
  recordEvent(call, 'link made by the operator', { user_id: user.id, type })
  return Response.json({
    ...presentUser(user),
    action_link: linkFor(config, kind, secrets.secret, redirectTo),
    email_otp: secrets.code,
    hashed_token: secrets.secret,
    verification_type: type,
    redirect_to: redirectTo,
  })
}

/** Account and purpose of the link, as the response names them. */
async function targetOf(
  db: Transaction,
  email: string,
  input: Wanted,
  passwordHash: string | null,
): Promise<{ userId: string; type: Wanted['type']; email: string }> {
  const { type } = input
  const account = await lockAccountOf(db, email)
  const isNew = type === 'signup' || type === 'invite' || (type === 'magiclink' && !account)
  if (isNew) {
    const userId = await newAccount(db, email, { metadata: input.data ?? {}, passwordHash })
    if (type !== 'invite') return { userId, type: 'signup', email }
    await db.query('update auth.users set invited_at = now() where id = $1', [userId])
    return { userId, type, email }
  }
  const known = orThrow(account, authErrors.noSuchUser)
  if (type === 'magiclink' || type === 'recovery') return { userId: known.id, type, email }
  // Starts the change, or continues it: the operator creates one link for each of the two addresses.
  const newEmail = normalizeEmail(input.new_email ?? '')
  if (await lockAccountOf(db, newEmail)) throw authErrors.emailExists()
  if (known.new_email !== newEmail) await storeEmailChange(db, known, newEmail)
  return { userId: known.id, type, email: type === 'email_change_current' ? email : newEmail }
}

export const inviteBody = z.object({ email: optionalText, data: metadata.nullish() })

/** POST /invite: creates an account and emails the link to it. */
export async function inviteUser(call: AuthCall): Promise<Response> {
  const input = await readBody(call, inviteBody)
  const email = normalizeEmail(input.email ?? '')
  const redirectTo = allowedRedirect(call.deps.config, call.url.searchParams.get('redirect_to'))
  const user = await transaction(call, async (db) => {
    const userId = await newAccount(db, email, { metadata: input.data ?? {}, passwordHash: null })
    await emailToken(db, call, { userId, kind: 'invite', email, redirectTo })
    return findLockedUser(db, userId)
  })
  call.deps.mail.wake()
  recordEvent(call, 'account invited by the operator', { user_id: user.id })
  return Response.json(presentUser(user))
}

/**
 * The account of an address as the operator wants it: a new one, or an unconfirmed one that is cleared of a stranger's
 * possible input. From now on the operator vouches for it.
 *
 * @throws {AuthError} email_exists when the address is confirmed
 */
async function newAccount(
  db: Transaction,
  email: string,
  wanted: { passwordHash: string | null; metadata: Record<string, unknown> },
): Promise<string> {
  const known = await lockAccountOf(db, email)
  if (known?.email_confirmed_at) throw authErrors.emailExists()
  if (known) {
    await resetAccount(db, known.id, { email, ...wanted })
    await db.query(
      'update auth.users set email_proven_at = coalesce(email_proven_at, now()) where id = $1',
      [known.id],
    )
    return known.id
  }
  return orThrow(
    await insertUser(db, { email, confirmed: false, proven: true, ...wanted }),
    authErrors.emailExists,
  )
}
