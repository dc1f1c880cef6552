import { randomInt, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { limitKey } from '../../http/client-address.ts'
import type { Transaction } from '../../postgres/database.ts'
import { insertRow } from '../../postgres/rows.ts'
import type { BucketPolicy } from '../../primitives/token-bucket.ts'
import { readBody, transaction } from '../call.ts'
import { optionalText } from '../credentials.ts'
import { authErrors } from '../errors.ts'
import { isEnrolled, ownTransaction, type SignedInCall } from '../guards.ts'
import { recordOwnEvent } from '../record-event.ts'
import { type FactorRow, findFactor, listFactors } from './factor-rows.ts'
import { type CeremonyState, creationOptions, relyingParty, requestOptions } from './webauthn.ts'
import { orThrow } from '../../primitives/or-throw.ts'

export const challengeBody = z.object({ channel: optionalText })

/** Between two messages to one factor. */
const smsPauseSeconds = 60

/** POST /factors/{id}/challenge: starts a verification. Valid for five minutes, for this network. */
export async function challengeFactor(call: SignedInCall): Promise<Response> {
  const { channel } = await readBody(call, challengeBody)
  if (channel && channel !== 'sms') {
    throw authErrors.invalid('Invalid channel, the only supported value is sms')
  }
  const id = randomUUID()
  const { factor, expiresAt, code, state, publicKey } = await ownTransaction(call, async (db) => {
    const factor = await ownFactor(db, call)
    const question = await questionFor(db, call, factor)
    const row = {
      id,
      factor_id: factor.id,
      address: limitKey(call.info.address),
      code_hash: question.code && call.deps.secretBox.digest(question.code, id),
      webauthn: question.state,
    }
    const { expires_at: expiresAt } = await insertRow<{ expires_at: Date }>(
      db,
      'auth.challenges',
      row,
      'expires_at',
    )
    await db.query('update auth.factors set last_challenged_at = now() where id = $1', [factor.id])
    return { factor, expiresAt, ...question }
  })
  if (code !== undefined) {
    // Outside the transaction: a slow webhook must not hold a connection.
    await sendCode(call, factor.phone ?? '', code).catch(async (error: unknown) => {
      await transaction(call, async (db) => {
        await db.query('delete from auth.challenges where id = $1', [id])
        // Nothing was sent: another try need not wait.
        await db.query('update auth.factors set last_challenged_at = $2 where id = $1', [
          factor.id,
          factor.last_challenged_at,
        ])
      })
      throw error
    })
    recordOwnEvent(call, 'code sent', { factor_id: factor.id, channel: 'sms' })
  }
  return Response.json({
    id,
    type: factor.factor_type,
    expires_at: Math.floor(expiresAt.getTime() / 1000),
    webauthn: state && { type: state.type, credential_options: { publicKey } },
  })
}

/**
 * The person's factor of the path. An unverified one needs the second factor that is already verified: otherwise a thief of
 * the password could set one up and step up with it.
 *
 * @throws {AuthError} 404 mfa_factor_not_found, 403 insufficient_aal
 */
export async function ownFactor(db: Transaction, call: SignedInCall): Promise<FactorRow> {
  const factor = await findFactor(db, call.user.id, call.params['factor'])
  const isRaised = factor.status === 'verified' || call.session.aal === 'aal2'
  if (!isRaised && isEnrolled(await listFactors(db, call.user.id))) throw authErrors.aalToEnroll()
  return factor
}

/** For a phone the code to send, for a security key the options and the part to store. */
interface Question {
  code?: string
  publicKey?: object
  state?: CeremonyState
}

async function questionFor(
  db: Transaction,
  call: SignedInCall,
  factor: FactorRow,
): Promise<Question> {
  switch (factor.factor_type) {
    case 'totp':
      return {}
    case 'phone':
      checkPause(call, factor)
      return { code: String(randomInt(1_000_000)).padStart(6, '0') }
    case 'webauthn':
      return ceremony(db, call, factor)
  }
}

async function ceremony(db: Transaction, call: SignedInCall, factor: FactorRow): Promise<Question> {
  const party = orThrow(relyingParty(call.deps.config.publicUrl), authErrors.webauthnCheckDisabled)
  if (factor.credential) return requestOptions(party, factor.credential)
  const keys = (await listFactors(db, call.user.id)).flatMap(({ credential }) => credential ?? [])
  return creationOptions(party, { id: call.user.id, name: call.user.email || call.user.id }, keys)
}

/** The operator's webhook for codes. @throws {AuthError} 422 when phones are not set up */
export function smsWebhookOf({ deps }: SignedInCall): string {
  return orThrow(deps.config.auth.smsWebhook, authErrors.phoneCheckDisabled)
}

function checkPause(call: SignedInCall, factor: FactorRow): void {
  smsWebhookOf(call)
  const passed = (Date.now() - (factor.last_challenged_at?.getTime() ?? 0)) / 1000
  if (passed < smsPauseSeconds) throw authErrors.smsTooSoon(Math.ceil(smsPauseSeconds - passed))
}

const timeoutMs = 5_000

/**
 * Hands a code to the operator's webhook: `POST {phone: "+49…", code}` as JSON; any 2xx means that it was sent.
 *
 * @throws {AuthError} 429 over_sms_send_rate_limit; 422 when phones are not set up, or the webhook fails
 */
async function sendCode(call: SignedInCall, phone: string, code: string): Promise<void> {
  const { log } = call.info
  const smsWebhook = orThrow(call.deps.config.auth.smsWebhook, authErrors.phoneCheckDisabled)
  await admitMessage(call, phone)
  try {
    const response = await fetch(smsWebhook, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ phone: `+${phone}`, code }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (response.ok) return
    log.warn({ status: response.status }, 'SMS webhook refused a message')
  } catch (error) {
    log.warn({ err: error }, 'SMS webhook did not answer')
  }
  throw authErrors.smsFailed()
}

/** Messages cost the operator money. Each limit holds for all factors of an account together. */
const perAccount: BucketPolicy = { name: 'sms account', burst: 10, windowSeconds: 3_600 }
const perClient: BucketPolicy = { name: 'sms client', burst: 20, windowSeconds: 3_600 }
/** To one number, from all accounts. */
const perNumber: BucketPolicy = { name: 'sms', burst: 5, windowSeconds: 3_600 }
/** From all accounts and addresses. */
const perServer: BucketPolicy = { name: 'sms server', burst: 500, windowSeconds: 3_600 }

/**
 * Admits one message. A refused message counts nowhere, so that one person cannot use up the limits of others beyond their
 * own.
 *
 * @throws {AuthError} 429 over_sms_send_rate_limit
 */
async function admitMessage(call: SignedInCall, phone: string): Promise<void> {
  const { budgets } = call.deps
  const bounds = [
    [perAccount, call.user.id],
    [perClient, limitKey(call.info.address)],
    [perNumber, phone],
    [perServer, 'all'],
  ] as const
  for (const [index, [policy, subject]] of bounds.entries()) {
    const wait = await budgets.take(policy, subject)
    if (wait === undefined) continue
    for (const [taken, of] of bounds.slice(0, index)) await budgets.giveBack(taken, of)
    if (policy === perServer) call.info.log.warn('all messages of this hour are used up')
    throw authErrors.smsTooSoon(wait)
  }
}
