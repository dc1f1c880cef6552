import { audit, type AuthCall, emailMark, readBody, transaction } from '../call.ts'
import { lockAccountOf } from './accounts.ts'
import { mailNobody, mailToken, sendSoon } from './letters.ts'
import { admitMail } from './pace.ts'
import { mailRequest, noted, readMailRequest } from './request.ts'
import { inSteadyTime } from './steady.ts'

/** POST /recover: a link to set a new password. Nobody learns whether the address has an account. */
export async function recover(call: AuthCall): Promise<Response> {
  const input = await readBody(call, mailRequest)
  const { email, ...way } = readMailRequest(call, input, 'Password recovery requires an email')
  await admitMail(call, 'recovery', email)
  await inSteadyTime(() =>
    transaction(call, async (db) => {
      const account = await lockAccountOf(db, email)
      if (account)
        await mailToken(db, call, { userId: account.id, kind: 'recovery', email, ...way })
      else await mailNobody(db, call, email)
    }),
  )
  sendSoon(call)
  audit(call, 'recovery asked for', { account: emailMark(email) })
  return noted()
}
