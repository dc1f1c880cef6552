import * as z from 'zod'
import type { AuthCall } from '../call.ts'
import { metadata, normalizeEmail } from '../credentials.ts'
import { authErrors } from '../errors.ts'
import { type Challenge, readChallenge } from '../flow-states.ts'
import { allowedRedirect } from '../redirects.ts'

/** What a request for a mail says besides the address. */
export const mailRequest = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  data: metadata.nullish(),
  create_user: z.boolean().nullish(),
  code_challenge: z.string().nullish(),
  code_challenge_method: z.string().nullish(),
})

interface Asked {
  email: string
  redirectTo: string
  challenge: Challenge | undefined
}

/** @throws {AuthError} validation_failed, phone_provider_disabled */
export function readMailRequest(
  call: AuthCall,
  input: Pick<z.output<typeof mailRequest>, 'email' | 'phone'> & ChallengeFields,
  whyEmail: string,
): Asked {
  if (input.phone) throw authErrors.phoneDisabled()
  if (!input.email) throw authErrors.invalid(whyEmail)
  return { email: normalizeEmail(input.email), ...readWayBack(call, input) }
}

interface ChallengeFields {
  code_challenge?: string | null | undefined
  code_challenge_method?: string | null | undefined
}

/** Where the mailed link shall lead, and whether to a code (PKCE) or to the session itself. */
export function readWayBack(call: AuthCall, input: ChallengeFields): Omit<Asked, 'email'> {
  return {
    redirectTo: allowedRedirect(call.context.config, call.url.searchParams.get('redirect_to')),
    challenge: readChallenge(input.code_challenge, input.code_challenge_method),
  }
}

/** The same to everybody. */
export function noted(): Response {
  return Response.json({}, { headers: { 'Cache-Control': 'no-store' } })
}
