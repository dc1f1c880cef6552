import { firstRow } from '../postgres/rows.ts'
import { type AuthCall, transaction } from './call.ts'

/** Takes the secret of an invitation to a space out of the data of a sign-up: nobody stores it. */
export function takeInvitation(given: Record<string, unknown> | null | undefined): {
  invitation: unknown
  data: Record<string, unknown>
} {
  const { invitation, ...data } = given ?? {}
  return { invitation, data }
}

/** Whether an invitation makes a new account where sign-up is closed (database/code/27_spaces.sql). */
export async function opensSignUp(
  call: AuthCall,
  invitation: unknown,
  email: string | null | undefined,
): Promise<boolean> {
  if (typeof invitation !== 'string') return false
  const found = await transaction(call, (db) =>
    firstRow<{ opens: boolean }>(db, 'select auth.invitation_opens_sign_up($1, $2, $3) as opens', [
      invitation,
      email ?? '',
      call.deps.config.auth.inviteSignUp,
    ]),
  )
  return found?.opens === true
}
