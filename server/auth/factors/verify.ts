import * as z from 'zod'
import { constantTimeEqual } from '../../primitives/constant-time.ts'
import { limitKey } from '../../http/client-address.ts'
import { readBody, transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { emailFactorAdded } from '../email-flows/emails.ts'
import {
  type AuthenticationMethod,
  lockSession,
  raiseSession,
  type Session,
  sessionResponse,
} from '../sessions.ts'
import { findUser, lockUser, type User } from '../users.ts'
import { ownFactor } from './challenge.ts'
import { type ChallengeRow, findChallenge, markAnswered, markFailed } from './challenge-rows.ts'
import { type FactorRow, markVerified, type FactorProof, secretPlace } from './factor-rows.ts'
import { matchTotp } from './totp.ts'
import { checkCreation, checkRequest, relyingParty, webauthnAnswer } from './webauthn.ts'
import { waitForCodes } from './wrong-codes.ts'

const body = z.object({
  challenge_id: z.string().max(64),
  code: z.string().max(64).nullish(),
  webauthn: webauthnAnswer.nullish(),
})

type Input = z.output<typeof body>

const methods = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
} satisfies Record<FactorRow['factor_type'], AuthenticationMethod>

const refusals = {
  totp: 'Invalid TOTP code entered',
  phone: 'Invalid MFA Phone code entered',
  webauthn: 'Invalid WebAuthn response',
}

type FactorOutcome =
  | { kind: 'right'; factor: FactorRow; session: Session; user: User }
  | { kind: 'wrong'; factor: FactorRow }

/** POST /factors/{id}/verify: a right answer to a challenge raises the session to aal2; the first one verifies the factor. */
export async function verifyFactor(call: SignedInCall): Promise<Response> {
  const input = await readBody(call, body)
  const outcome = await judge(call, input).catch(asKeyTaken)
  const { factor } = outcome
  const facts = {
    user_id: call.user.id,
    session_id: call.session.id,
    factor_id: factor.id,
    type: factor.factor_type,
  }
  if (outcome.kind === 'wrong') {
    recordEvent(call, 'second factor failed', facts)
    throw authErrors.factorRefused(refusals[factor.factor_type])
  }
  if (factor.status === 'unverified') {
    recordEvent(call, 'factor added', facts)
    call.deps.mail.wake()
  }
  recordEvent(call, 'second factor shown', facts)
  return sessionResponse(call, outcome.session, outcome.user)
}

/**
 * Locks the account, so that of two requests with one code the second sees what the first did. The outcome is a value and
 * not an error, because a wrong answer must be committed.
 */
function judge(call: SignedInCall, input: Input): Promise<FactorOutcome> {
  return transaction(call, async (db) => {
    if (!(await lockUser(db, call.user.id))) throw authErrors.userNotFound()
    if (call.deps.config.rateLimits) {
      const wait = await waitForCodes(db, call.user.id, call.info.address)
      if (wait !== undefined) throw authErrors.tooManyRequests(wait)
    }
    const factor = await ownFactor(db, call)
    const challenge = await findChallenge(db, factor.id, input.challenge_id)
    if (!challenge) throw authErrors.challengeNotFound()
    if (challenge.address !== limitKey(call.info.address)) throw authErrors.challengeElsewhere()
    if (challenge.is_over) throw authErrors.challengeExpired(challenge.id)

    const proof = await prove(call, factor, challenge, input)
    if (!proof) {
      await markFailed(db, challenge.id)
      return { kind: 'wrong', factor }
    }
    await markAnswered(db, challenge.id)
    await markVerified(db, call.user.id, factor, proof)
    const session = await lockSession(db, call.session.id)
    if (!session) throw authErrors.sessionNotFound()
    const raised = await raiseSession(db, session, methods[factor.factor_type], factor.id)
    const user = await findUser(db, call.user.id)
    if (!user) throw authErrors.userNotFound()
    if (factor.status === 'unverified') await emailFactorAdded(db, user, factor)
    return { kind: 'right', factor, session: raised, user }
  })
}

/** @returns what a right answer changes on the factor; undefined for a wrong one */
async function prove(
  call: SignedInCall,
  factor: FactorRow,
  challenge: ChallengeRow,
  input: Input,
): Promise<FactorProof | undefined> {
  switch (factor.factor_type) {
    case 'totp':
      return proveTotp(call, factor, codeOf(input))
    case 'phone': {
      if (call.deps.config.auth.smsWebhook === undefined) throw authErrors.phoneCheckDisabled()
      const given = call.deps.secretBox.digest(codeOf(input), challenge.id)
      return constantTimeEqual(challenge.code_hash ?? '', given) ? {} : undefined
    }
    case 'webauthn':
      return proveKey(call, factor, challenge, input)
  }
}

function codeOf({ code }: Input): string {
  if (!code) throw authErrors.invalid('code is required')
  return code.replaceAll(' ', '')
}

async function proveTotp(
  { deps, info }: SignedInCall,
  factor: FactorRow,
  code: string,
): Promise<FactorProof | undefined> {
  const secret = deps.secretBox.open(factor.secret ?? '', secretPlace(factor.id))
  if (secret === undefined) {
    info.log.error({ factor_id: factor.id }, 'a factor was sealed with another signing key')
    return undefined
  }
  const last = factor.last_step === null ? undefined : Number(factor.last_step)
  const step = await matchTotp(secret, code, last)
  return step === undefined ? undefined : { lastStep: step }
}

async function proveKey(
  { deps }: SignedInCall,
  factor: FactorRow,
  challenge: ChallengeRow,
  { webauthn: answer }: Input,
): Promise<FactorProof | undefined> {
  const party = relyingParty(deps.config.publicUrl)
  if (!party) throw authErrors.webauthnCheckDisabled()
  if (!answer || !challenge.webauthn) throw authErrors.invalid('WebAuthn config required')
  const { type, challenge: expected } = challenge.webauthn
  if (answer.type !== type) throw authErrors.invalid(`webauthn.type must be ${type}`)
  // A factor has one creation: a key that was registered after this challenge cannot be replaced.
  if ((type === 'create') === (factor.credential !== null)) return undefined
  const credential =
    factor.credential === null
      ? await checkCreation(party, expected, answer.credential_response)
      : await checkRequest(party, expected, answer.credential_response, factor.credential)
  return credential ? { credential } : undefined
}

/** A security key belongs to one factor of one account. */
function asKeyTaken(error: unknown): never {
  if (error instanceof Error && 'constraint' in error) {
    if (error.constraint === 'factors_credential_id_key')
      throw authErrors.factorRefused(refusals.webauthn)
  }
  throw error
}
