import { type AuthCall, readBody, transaction } from '../call.ts'
import { emailMark, recordEvent } from '../record-event.ts'
import { lockAccountOf } from './accounts.ts'
import { emailToken } from './emails.ts'
import { admitMail } from './mail-limits.ts'
import { accepted, mailRequest, readMailRequest } from './request.ts'

/** POST /recover: an emailed link to set a new password. The response does not tell whether the address has an account. */
export async function recover(call: AuthCall): Promise<Response> {
  const input = await readBody(call, mailRequest)
  const { email, ...way } = readMailRequest(call, input, 'Password recovery requires an email')
  await admitMail(call, 'recovery', email)
  await transaction(call, async (db) => {
    const account = await lockAccountOf(db, email)
    if (account) await emailToken(db, call, { userId: account.id, kind: 'recovery', email, ...way })
  })
  call.deps.mail.wake()
  recordEvent(call, 'recovery asked for', { account: emailMark(email) })
  return accepted()
}
