import * as z from 'zod'
import { audit, type AuthCall, emailMark, readBody, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'
import { lockAccountOf } from './accounts.ts'
import { mailEmailChange } from './email-change.ts'
import { mailNobody, mailToken, sendSoon } from './letters.ts'
import { admitMail } from './pace.ts'
import { mailRequest, noted, readMailRequest } from './request.ts'
import { inSteadyTime } from './steady.ts'

const body = mailRequest.extend({ type: z.string().nullish() })

/** POST /resend: the mail of a sign-up or of a change of address once more. The same answer to everybody. */
export async function resend(call: AuthCall): Promise<Response> {
  const input = await readBody(call, body)
  if (input.type === 'sms' || input.type === 'phone_change') throw authErrors.phoneDisabled()
  const { type } = input
  if (type !== 'signup' && type !== 'email_change') {
    throw authErrors.invalid('Missing one of these types: signup, email_change, sms, phone_change')
  }
  const { email, ...way } = readMailRequest(call, input, 'Type provided requires an email address')
  await admitMail(call, type === 'signup' ? 'confirmation' : 'email_change', email)
  await inSteadyTime(() =>
    transaction(call, async (db) => {
      const account = await lockAccountOf(db, email)
      if (type === 'email_change' && account?.new_email)
        await mailEmailChange(db, call, { ...account, new_email: account.new_email }, way)
      else if (type === 'signup' && account && !account.is_confirmed)
        await mailToken(db, call, { userId: account.id, kind: 'confirmation', email, ...way })
      else await mailNobody(db, call, email)
    }),
  )
  sendSoon(call)
  audit(call, 'mail asked for again', { account: emailMark(email), type })
  return noted()
}
