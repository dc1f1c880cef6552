import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { checkNewPassword, metadata, normalizeEmail } from '../credentials.ts'
import { authErrors } from '../errors.ts'
import { type LockedAccount, lockAccountOf } from '../email-flows/accounts.ts'
import { linkFor } from '../email-flows/links.ts'
import { issueOneTimeToken, type EmailTokenKind } from '../email-flows/one-time-tokens.ts'
import { presentUser } from '../present-user.ts'
import { allowedRedirect } from '../redirects.ts'
import { findUser } from '../users.ts'
import { newAccount } from './invite.ts'

const body = z.object({
  type: z.enum([
    'signup',
    'invite',
    'magiclink',
    'recovery',
    'email_change_current',
    'email_change_new',
  ]),
  email: z.string().nullish(),
  new_email: z.string().nullish(),
  password: z.string().nullish(),
  data: metadata.nullish(),
  redirect_to: z.string().nullish(),
})
type Wanted = z.output<typeof body>

/** What the link is for, and for whom. */
interface LinkTarget {
  userId: string
  kind: EmailTokenKind
  /** Its name in the response. */
  type: Wanted['type']
  email: string
}

/** POST /admin/generate_link: the link and the code that an email would have, for the operator's own emails. */
export async function generateLink(call: AuthCall): Promise<Response> {
  const { config, secretBox, hasher } = call.deps
  const input = await readBody(call, body)
  const email = normalizeEmail(input.email ?? '')
  const asked = input.redirect_to ?? call.url.searchParams.get('redirect_to')
  const redirectTo = allowedRedirect(config, asked)
  let passwordHash: string | null = null
  if (input.type === 'signup' && input.password) {
    checkNewPassword(input.password, config.auth.passwordMinLength)
    passwordHash = await hasher.hash(input.password)
  }
  const { target, secrets, user } = await transaction(call, async (db) => {
    const found = await targetOf(db, email, input, passwordHash)
    const issued = await issueOneTimeToken(db, secretBox, { ...found, redirectTo })
    return { target: found, secrets: issued, user: await findUser(db, found.userId) }
  })
  if (!user) throw authErrors.noSuchUser()
  recordEvent(call, 'link made by the operator', { user_id: user.id, type: target.type })
  return Response.json(
    {
      ...presentUser(user),
      action_link: linkFor(config, target.kind, secrets.secret, redirectTo),
      email_otp: secrets.code,
      hashed_token: secrets.secret,
      verification_type: target.type,
      redirect_to: redirectTo,
    },
    { headers: { 'Cache-Control': 'no-store' } },
  )
}

async function targetOf(
  db: Transaction,
  email: string,
  input: Wanted,
  passwordHash: string | null,
): Promise<LinkTarget> {
  const { type } = input
  const fresh = { metadata: input.data ?? {}, passwordHash }
  if (type === 'signup' || type === 'invite') {
    const userId = await newAccount(db, email, fresh)
    if (type === 'signup') return { userId, kind: 'confirmation', type, email }
    await db.query('update auth.users set invited_at = now() where id = $1', [userId])
    return { userId, kind: 'invite', type, email }
  }
  const account = await lockAccountOf(db, email)
  if (!account && type === 'magiclink') {
    const userId = await newAccount(db, email, fresh)
    return { userId, kind: 'confirmation', type: 'signup', email }
  }
  if (!account) throw authErrors.noSuchUser()
  if (type === 'magiclink' || type === 'recovery')
    return { userId: account.id, kind: type, type, email }
  return emailChange(db, account, email, { type, newEmail: normalizeEmail(input.new_email ?? '') })
}

/** Starts the change, or continues it: the operator creates one link for each of the two addresses. */
async function emailChange(
  db: Transaction,
  account: LockedAccount,
  email: string,
  change: { type: 'email_change_current' | 'email_change_new'; newEmail: string },
): Promise<LinkTarget> {
  const { type, newEmail } = change
  if (await lockAccountOf(db, newEmail)) throw authErrors.emailExists()
  if (account.new_email !== newEmail) {
    await db.query(
      `update auth.users set new_email = $2, email_change_agreed = $3, email_change_proven = false, updated_at = now()
        where id = $1`,
      [account.id, newEmail, !account.is_proven],
    )
  }
  const isOld = type === 'email_change_current'
  return { userId: account.id, kind: type, type, email: isOld ? email : newEmail }
}
