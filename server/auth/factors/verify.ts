import * as z from 'zod'
import { limitKey } from '../../http/client-address.ts'
import type { Transaction } from '../../postgres/database.ts'
import { firstRow, onlyRow } from '../../postgres/rows.ts'
import { constantTimeEqual } from '../../primitives/constant-time.ts'
import { isUuid } from '../../primitives/uuid.ts'
import { readBody } from '../call.ts'
import { emailFactorNews } from '../email-flows/emails.ts'
import { authErrors } from '../errors.ts'
import { ownTransaction, refuseExcess, type SignedInCall } from '../guards.ts'
import { recordOwnEvent } from '../record-event.ts'
import { lockSession, raiseSession, type Session, sessionResponse } from '../sessions.ts'
import { findLockedUser, type User } from '../users.ts'
import { ownFactor, smsWebhookOf } from './challenge.ts'
import { type FactorRow, secretContext } from './factor-rows.ts'
import { matchTotp } from './totp.ts'
import {
  type CeremonyState,
  checkCreation,
  checkRequest,
  relyingParty,
  type StoredCredential,
  webauthnAnswer,
} from './webauthn.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { ifDefined } from '../../primitives/if-defined.ts'

export const factorAnswerBody = z.object({
  challenge_id: z.string().max(64),
  code: z.string().max(64).nullish(),
  webauthn: webauthnAnswer.nullish(),
})

type Input = z.output<typeof factorAnswerBody>

/** The method in a session's `amr` for each kind of factor, and the message for a wrong answer. */
const factorTypes = {
  totp: { method: 'totp', refusal: 'Invalid TOTP code entered' },
  phone: { method: 'mfa/phone', refusal: 'Invalid MFA Phone code entered' },
  webauthn: { method: 'mfa/webauthn', refusal: 'Invalid WebAuthn response' },
} as const

interface FactorOutcome {
  factor: FactorRow
  /** Undefined for a wrong answer. */
  raised?: { session: Session; user: User }
}

/** POST /factors/{id}/verify: a right answer to a challenge raises the session to aal2; the first one verifies the factor. */
export async function verifyFactor(call: SignedInCall): Promise<Response> {
  const input = await readBody(call, factorAnswerBody)
  const { factor, raised } = await judge(call, input).catch(asKeyTaken)
  const { refusal } = factorTypes[factor.factor_type]
  const facts = { factor_id: factor.id, type: factor.factor_type }
  if (!raised) {
    recordOwnEvent(call, 'second factor failed', facts)
    throw authErrors.factorRefused(refusal)
  }
  if (factor.status === 'unverified') {
    recordOwnEvent(call, 'factor added', facts)
    call.deps.mail.wake()
  }
  recordOwnEvent(call, 'second factor shown', facts)
  return sessionResponse(call, raised.session, raised.user)
}

/**
 * Locks the account, so that of two requests with one code the second sees the result of the first. The outcome is a value and
 * not an error, because a wrong answer must be committed.
 */
function judge(call: SignedInCall, input: Input): Promise<FactorOutcome> {
  return ownTransaction(call, async (db) => {
    if (call.deps.config.rateLimits)
      refuseExcess(await waitForCodes(db, call.user.id, call.info.address))
    const factor = await ownFactor(db, call)
    const challenge = orThrow(
      await findChallenge(db, factor.id, input.challenge_id),
      authErrors.challengeNotFound,
    )
    if (challenge.address !== limitKey(call.info.address)) throw authErrors.challengeElsewhere()
    if (challenge.is_over) throw authErrors.challengeExpired(challenge.id)

    const proof = await prove(call, factor, challenge, input)
    if (!proof) {
      await db.query('update auth.challenges set failures = failures + 1 where id = $1', [
        challenge.id,
      ])
      return { factor }
    }
    await db.query('update auth.challenges set verified_at = now() where id = $1', [challenge.id])
    await markVerified(db, call.user.id, factor, proof)
    const session = orThrow(await lockSession(db, call.session.id), authErrors.sessionNotFound)
    const { method } = factorTypes[factor.factor_type]
    const raised = await raiseSession(db, session, method, factor.id)
    const user = await findLockedUser(db, call.user.id)
    if (factor.status === 'unverified') await emailFactorNews(db, user, 'factor-added', factor)
    return { factor, raised: { session: raised, user } }
  })
}

/** @returns the changes of the factor after a right answer; undefined after a wrong one */
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
      smsWebhookOf(call)
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
  const secret = deps.secretBox.open(factor.secret ?? '', secretContext(factor.id))
  if (secret === undefined) {
    info.log.error({ factor_id: factor.id }, 'a factor was sealed with another signing key')
    return undefined
  }
  const last = ifDefined(factor.last_step, Number)
  const step = await matchTotp(secret, code, last)
  return ifDefined(step, (lastStep) => ({ lastStep }))
}

async function proveKey(
  { deps }: SignedInCall,
  factor: FactorRow,
  challenge: ChallengeRow,
  { webauthn: answer }: Input,
): Promise<FactorProof | undefined> {
  const party = orThrow(relyingParty(deps.config.publicUrl), authErrors.webauthnCheckDisabled)
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
  const isTaken =
    error instanceof Error &&
    'constraint' in error &&
    error.constraint === 'factors_credential_id_key'
  throw isTaken ? authErrors.factorRefused(factorTypes.webauthn.refusal) : error
}

/** Changes of the factor after a right answer. */
interface FactorProof {
  lastStep?: number
  credential?: StoredCredential
}

/** Stores a right answer. The first one verifies the factor and drops other setups of its type. */
async function markVerified(
  db: Transaction,
  userId: string,
  factor: FactorRow,
  { lastStep, credential }: FactorProof,
): Promise<void> {
  await db.query(
    `update auth.factors set status = 'verified', updated_at = now(), last_step = coalesce($2, last_step),
        credential = coalesce($3, credential), credential_id = coalesce($4, credential_id)
      where id = $1`,
    [factor.id, lastStep, credential && JSON.stringify(credential), credential?.id],
  )
  await db.query(
    `delete from auth.factors where user_id = $1 and factor_type = $2 and status = 'unverified'`,
    [userId, factor.factor_type],
  )
}

interface ChallengeRow {
  id: string
  /** The network that requested it (limitKey of its address): no other network may answer. */
  address: string | null
  /** Phone: the keyed digest of the code that was sent. */
  code_hash: string | null
  webauthn: CeremonyState | null
  /** Answered, five minutes old, or five times wrong. */
  is_over: boolean
}

async function findChallenge(
  db: Transaction,
  factorId: string,
  id: string,
): Promise<ChallengeRow | undefined> {
  if (!isUuid(id)) return undefined
  return firstRow(
    db,
    `select id, address, code_hash, webauthn, verified_at is not null or expires_at <= now() or failures >= 5 as is_over
      from auth.challenges where id = $1 and factor_id = $2`,
    [id, factorId],
  )
}

/** Wrong answers that one network may give for one account in five minutes. */
const maxPerNetwork = 10
/** Wrong answers that all networks may give together in an hour, except where the owner is signed in. */
const maxFromUnknownNetworks = 20

/**
 * Whether a person who knows the password may try one more code. A code has a million values, three of them valid at a time,
 * so at 20 wrong ones an hour guessing takes months. The challenges store the failures, so the limits hold across processes
 * and restarts. A network with an aal2 session of the account is the owner's: only its own wrong codes count there, so that
 * other networks cannot lock the owner out.
 *
 * @returns undefined, or the seconds to wait
 */
async function waitForCodes(
  db: Transaction,
  userId: string,
  address: string,
): Promise<number | undefined> {
  const network = limitKey(address)
  const { here, everywhere, known } = await onlyRow<{
    here: number
    everywhere: number
    known: (string | null)[]
  }>(
    db,
    `select
        coalesce(sum(c.failures) filter (where c.address = $2 and c.created_at > now() - interval '5 minutes'), 0)::int as here,
        coalesce(sum(c.failures), 0)::int as everywhere,
        array(select ip from auth.sessions where user_id = $1 and aal = 'aal2') as known
      from auth.factors f join auth.challenges c on c.factor_id = f.id
      where f.user_id = $1 and c.created_at > now() - interval '1 hour'`,
    [userId, network],
  )
  if (here >= maxPerNetwork) return 60
  const isKnown = known.some((home) => home !== null && limitKey(home) === network)
  return everywhere >= maxFromUnknownNetworks && !isKnown ? 300 : undefined
}
