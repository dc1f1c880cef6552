import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { metadata, normalizeEmail } from '../credentials.ts'
import { authErrors } from '../errors.ts'
import { lockAccountOf } from '../email-flows/accounts.ts'
import { emailToken } from '../email-flows/emails.ts'
import { presentUser } from '../present-user.ts'
import { allowedRedirect } from '../redirects.ts'
import { clearUnverifiedAccount } from '../clear-unverified-account.ts'
import { findUser, insertUser, putEmailIdentity } from '../users.ts'

const body = z.object({ email: z.string().nullish(), data: metadata.nullish() })

/** POST /invite: creates an account and emails the link to it. */
export async function inviteUser(call: AuthCall): Promise<Response> {
  const input = await readBody(call, body)
  const email = normalizeEmail(input.email ?? '')
  const redirectTo = allowedRedirect(call.deps.config, call.url.searchParams.get('redirect_to'))
  const user = await transaction(call, async (db) => {
    const userId = await newAccount(db, email, { metadata: input.data ?? {}, passwordHash: null })
    await emailToken(db, call, { userId, kind: 'invite', email, redirectTo })
    return findUser(db, userId)
  })
  if (!user) throw new Error('an invited account was not found')
  call.deps.mail.wake()
  recordEvent(call, 'account invited by the operator', { user_id: user.id })
  return Response.json(presentUser(user), { headers: { 'Cache-Control': 'no-store' } })
}

/**
 * The account of an address as the operator wants it: a new one, or an unconfirmed one that is cleared of what a stranger
 * may have put into it. From now on the operator vouches for it.
 *
 * @throws {AuthError} email_exists when the address is confirmed
 */
export async function newAccount(
  db: Transaction,
  email: string,
  wanted: { passwordHash: string | null; metadata: Record<string, unknown> },
): Promise<string> {
  const known = await lockAccountOf(db, email)
  if (known?.is_confirmed) throw authErrors.emailExists()
  if (known) {
    await clearUnverifiedAccount(db, known.id)
    await putEmailIdentity(db, known.id, email, false)
    await db.query(
      `update auth.users set encrypted_password = $2, user_metadata = $3,
          email_proven_at = coalesce(email_proven_at, now()) where id = $1`,
      [known.id, wanted.passwordHash, JSON.stringify(wanted.metadata)],
    )
    return known.id
  }
  const id = await insertUser(db, { email, confirmed: false, proven: true, ...wanted })
  if (id === undefined) throw authErrors.emailExists()
  return id
}
