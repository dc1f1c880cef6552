import { type AuthCall, readBody, transaction } from '../call.ts'
import { emailMark, recordEvent } from '../record-event.ts'
import { insertUser } from '../users.ts'
import { lockAccountOf } from './accounts.ts'
import { emailToken } from './emails.ts'
import { admitMail } from './mail-limits.ts'
import { accepted, mailRequest, readMailRequest } from './request.ts'

/**
 * POST /otp and /magiclink: an emailed link and code to sign in without a password. A new person gets an account, unless
 * the client or the operator does not want that. The response does not tell which of these it was.
 */
export async function sendSignInLink(call: AuthCall): Promise<Response> {
  const input = await readBody(call, mailRequest)
  const { email, ...way } = readMailRequest(call, input, 'One of email or phone must be set')
  await admitMail(call, 'magiclink', email)
  const mayCreate = call.deps.config.auth.signUp && input.create_user !== false
  await transaction(call, async (db) => {
    const known = await lockAccountOf(db, email)
    if (known) {
      await emailToken(db, call, { userId: known.id, kind: 'magiclink', email, ...way })
      return
    }
    const account = { email, passwordHash: null, confirmed: false, metadata: input.data ?? {} }
    const userId = mayCreate ? await insertUser(db, account) : undefined
    if (userId !== undefined)
      await emailToken(db, call, { userId, kind: 'confirmation', email, ...way })
  })
  call.deps.mail.wake()
  recordEvent(call, 'sign-in link asked for', { account: emailMark(email) })
  return accepted()
}
