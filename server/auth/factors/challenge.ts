import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { readBody, transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { lockUser } from '../users.ts'
import { isEnrolled } from './aal.ts'
import { deleteChallenge, insertChallenge } from './challenge-rows.ts'
import { type FactorRow, findFactor, listFactors, markChallenged } from './factor-rows.ts'
import { admitMessage } from './sms-budgets.ts'
import { newCode, sendCode } from './sms.ts'
import { creationOptions, relyingParty, requestOptions } from './webauthn.ts'

const body = z.object({ channel: z.string().nullish() })

/** Between two messages to one factor. */
const smsPauseSeconds = 60

interface NewChallenge {
  factor: FactorRow
  id: string
  expiresAt: Date
  /** More of the response, and the code to send. */
  webauthn?: Record<string, unknown>
  code?: string
}

/** POST /factors/{id}/challenge: what the next verification answers. Valid for five minutes, for this network. */
export async function challengeFactor(call: SignedInCall): Promise<Response> {
  const { channel } = await readBody(call, body)
  if (channel && channel !== 'sms') {
    throw authErrors.invalid('Invalid channel, the only supported value is sms')
  }
  const made = await transaction(call, async (db) => {
    if (!(await lockUser(db, call.user.id))) throw authErrors.userNotFound()
    const factor = await ownFactor(db, call)
    const challenge = await makeChallenge(db, call, factor)
    await markChallenged(db, factor.id)
    return challenge
  })
  if (made.code !== undefined) await sendOrTakeBack(call, made, made.code)
  return Response.json(
    {
      id: made.id,
      type: made.factor.factor_type,
      expires_at: Math.floor(made.expiresAt.getTime() / 1000),
      ...(made.webauthn && { webauthn: made.webauthn }),
    },
    { headers: { 'Cache-Control': 'no-store' } },
  )
}

/**
 * The person's factor of the path. An unverified one needs the second factor that is already verified: otherwise a thief of
 * the password could set one up and step up with it.
 *
 * @throws {AuthError} 404 mfa_factor_not_found, 403 insufficient_aal
 */
export async function ownFactor(db: Transaction, call: SignedInCall): Promise<FactorRow> {
  const factor = await findFactor(db, call.user.id, call.params['factor'])
  if (!factor) throw authErrors.factorNotFound()
  if (factor.status === 'unverified' && call.session.aal !== 'aal2') {
    if (isEnrolled(await listFactors(db, call.user.id))) {
      throw authErrors.insufficientAal(403, 'AAL2 required to enroll a new factor')
    }
  }
  return factor
}

async function makeChallenge(
  db: Transaction,
  call: SignedInCall,
  factor: FactorRow,
): Promise<NewChallenge> {
  const id = randomUUID()
  const row = { id, factorId: factor.id, address: call.info.address }
  switch (factor.factor_type) {
    case 'totp':
      return { factor, id, expiresAt: await insertChallenge(db, row) }
    case 'phone': {
      checkPause(call, factor)
      const code = newCode()
      const codeHash = call.deps.secretBox.digest(code, id)
      return { factor, id, code, expiresAt: await insertChallenge(db, { ...row, codeHash }) }
    }
    case 'webauthn': {
      const { publicKey, state } = await ceremony(db, call, factor)
      const expiresAt = await insertChallenge(db, { ...row, webauthn: state })
      const webauthn = { type: state.type, credential_options: { publicKey } }
      return { factor, id, expiresAt, webauthn }
    }
  }
}

async function ceremony(db: Transaction, call: SignedInCall, factor: FactorRow) {
  const party = relyingParty(call.deps.config.publicUrl)
  if (!party) throw authErrors.webauthnCheckDisabled()
  if (factor.credential) return requestOptions(party, factor.credential)
  const keys = (await listFactors(db, call.user.id)).flatMap(({ credential }) => credential ?? [])
  return creationOptions(party, { id: call.user.id, name: call.user.email || call.user.id }, keys)
}

function checkPause(call: SignedInCall, factor: FactorRow): void {
  if (call.deps.config.auth.smsWebhook === undefined) throw authErrors.phoneCheckDisabled()
  const passed = (Date.now() - (factor.last_challenged_at?.getTime() ?? 0)) / 1000
  if (passed < smsPauseSeconds) throw authErrors.smsTooSoon(Math.ceil(smsPauseSeconds - passed))
}

/** Runs outside the transaction: a slow webhook must not hold a connection. */
async function sendOrTakeBack(call: SignedInCall, made: NewChallenge, code: string): Promise<void> {
  const phone = made.factor.phone ?? ''
  try {
    await admitMessage(call, phone)
    await sendCode(call, phone, code)
  } catch (error) {
    await transaction(call, (db) => deleteChallenge(db, made.id))
    throw error
  }
  recordEvent(call, 'code sent', {
    user_id: call.user.id,
    factor_id: made.factor.id,
    channel: 'sms',
  })
}
