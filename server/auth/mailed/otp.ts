import { randomUUID } from 'node:crypto'
import { audit, type AuthCall, emailMark, readBody, transaction } from '../call.ts'
import { insertUser } from '../users.ts'
import { lockAccountOf } from './accounts.ts'
import { inVain, mailNobody, mailToken, sendSoon } from './letters.ts'
import { admitMail } from './pace.ts'
import { mailRequest, noted, readMailRequest } from './request.ts'
import { inSteadyTime } from './steady.ts'

/**
 * POST /otp and /magiclink: a link and a code to sign in without a password; somebody new gets an account, unless the
 * client or the operator does not want that. Nobody learns which of these it was.
 */
export async function sendSignInLink(call: AuthCall): Promise<Response> {
  const input = await readBody(call, mailRequest)
  const { email, ...way } = readMailRequest(call, input, 'One of email or phone must be set')
  await admitMail(call, 'magiclink', email)
  const mayCreate = call.context.config.auth.signUp && input.create_user !== false
  const account = { passwordHash: null, confirmed: false, metadata: input.data ?? {} }
  await inSteadyTime(() =>
    transaction(call, async (db) => {
      const known = await lockAccountOf(db, email)
      if (known) {
        // As long as making an account takes.
        const nobody = `${randomUUID()}@nobody.invalid`
        if (mayCreate) await inVain(db, () => insertUser(db, { ...account, email: nobody }))
        await mailToken(db, call, { userId: known.id, kind: 'magiclink', email, ...way })
        return
      }
      const userId = mayCreate ? await insertUser(db, { ...account, email }) : undefined
      if (userId === undefined) await mailNobody(db, call, email)
      else await mailToken(db, call, { userId, kind: 'confirmation', email, ...way })
    }),
  )
  sendSoon(call)
  audit(call, 'sign-in link asked for', { account: emailMark(email) })
  return noted()
}
