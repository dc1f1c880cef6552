import * as z from 'zod'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'
import { emailMark, recordEvent } from '../record-event.ts'
import { lockAccountOf } from './accounts.ts'
import { emailAddressChange } from './email-change.ts'
import { emailToken } from './emails.ts'
import { admitMail } from './mail-limits.ts'
import { accepted, mailRequest, readMailRequest } from './request.ts'

const body = mailRequest.extend({ type: z.string().nullish() })

/** POST /resend: the email of a sign-up, or of a change of address, again. The response is the same for all addresses. */
export async function resend(call: AuthCall): Promise<Response> {
  const input = await readBody(call, body)
  if (input.type === 'sms' || input.type === 'phone_change') throw authErrors.phoneDisabled()
  const { type } = input
  if (type !== 'signup' && type !== 'email_change') {
    throw authErrors.invalid('Missing one of these types: signup, email_change, sms, phone_change')
  }
  const { email, ...way } = readMailRequest(call, input, 'Type provided requires an email address')
  await admitMail(call, type === 'signup' ? 'confirmation' : 'email_change', email)
  await transaction(call, async (db) => {
    const account = await lockAccountOf(db, email)
    if (type === 'email_change' && account?.new_email)
      await emailAddressChange(db, call, { ...account, new_email: account.new_email }, way)
    else if (type === 'signup' && account && !account.is_confirmed)
      await emailToken(db, call, { userId: account.id, kind: 'confirmation', email, ...way })
  })
  call.deps.mail.wake()
  recordEvent(call, 'mail asked for again', { account: emailMark(email), type })
  return accepted()
}
