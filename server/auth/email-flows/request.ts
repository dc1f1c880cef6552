import * as z from 'zod'
import type { AuthCall } from '../call.ts'
import { metadata, normalizeEmail } from '../credentials.ts'
import { authErrors } from '../errors.ts'
import { type Challenge, readChallenge } from '../flow-states.ts'
import { allowedRedirect } from '../redirects.ts'

/** The body of a request for an email. */
export const mailRequest = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  data: metadata.nullish(),
  create_user: z.boolean().nullish(),
  code_challenge: z.string().nullish(),
  code_challenge_method: z.string().nullish(),
})

interface MailRequest {
  email: string
  redirectTo: string
  challenge: Challenge | undefined
}

/** @throws {AuthError} validation_failed, phone_provider_disabled */
export function readMailRequest(
  call: AuthCall,
  input: Pick<z.output<typeof mailRequest>, 'email' | 'phone'> & ChallengeFields,
  whyEmail: string,
): MailRequest {
  if (input.phone) throw authErrors.phoneDisabled()
  if (!input.email) throw authErrors.invalid(whyEmail)
  return { email: normalizeEmail(input.email), ...readWayBack(call, input) }
}

interface ChallengeFields {
  code_challenge?: string | null | undefined
  code_challenge_method?: string | null | undefined
}

/** Where the emailed link leads, and whether it gives a code (PKCE) or the session itself. */
export function readWayBack(call: AuthCall, input: ChallengeFields): Omit<MailRequest, 'email'> {
  return {
    redirectTo: allowedRedirect(call.deps.config, call.url.searchParams.get('redirect_to')),
    challenge: readChallenge(input.code_challenge, input.code_challenge_method),
  }
}

/** The same response whether or not the account exists. */
export function accepted(): Response {
  return Response.json({}, { headers: { 'Cache-Control': 'no-store' } })
}
