import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { insertRow } from '../../postgres/rows.ts'
import { readBody } from '../call.ts'
import { isStorable, optionalText } from '../credentials.ts'
import { authErrors } from '../errors.ts'
import { isEnrolled, ownTransaction, type SignedInCall } from '../guards.ts'
import { recordOwnEvent } from '../record-event.ts'
import {
  deleteExpiredFactors,
  deleteFactor,
  type FactorRow,
  findFactor,
  listFactors,
  removeFactor,
  secretContext,
} from './factor-rows.ts'
import { newTotp, type TotpSetup } from './totp.ts'
import { relyingParty } from './webauthn.ts'

const name = z.string().trim().max(100).refine(isStorable, 'has characters that cannot be stored')
export const enrollBody = z.object({
  friendly_name: name.nullish(),
  factor_type: optionalText,
  issuer: name.nullish(),
  phone: z.string().max(40).nullish(),
})

const maxFactors = 10

type NewFactor = Pick<FactorRow, 'id' | 'factor_type' | 'friendly_name' | 'secret' | 'phone'>

/** POST /factors: starts the setup of a second factor, which counts once it is verified, within five minutes. */
export async function enrollFactor(call: SignedInCall): Promise<Response> {
  const input = await readBody(call, enrollBody)
  const { factor, totp } = newFactor(call, input)
  await ownTransaction(call, async (db) => {
    await deleteExpiredFactors(db, call.user.id)
    await checkRoom(db, call, factor)
    await insertRow(db, 'auth.factors', { ...factor, user_id: call.user.id }, 'id')
  })
  recordOwnEvent(call, 'factor begun', { factor_id: factor.id, type: factor.factor_type })
  return Response.json({
    id: factor.id,
    type: factor.factor_type,
    friendly_name: factor.friendly_name,
    ...(totp && { totp }),
    ...(factor.phone && { phone: factor.phone }),
  })
}

function newFactor(
  { deps: { config, secretBox }, user }: SignedInCall,
  input: z.output<typeof enrollBody>,
): { factor: NewFactor; totp?: TotpSetup } {
  const base = {
    id: randomUUID(),
    friendly_name: input.friendly_name ?? '',
    secret: null,
    phone: null,
  }
  switch (input.factor_type ?? '') {
    case 'totp': {
      const totp = newTotp(input.issuer || new URL(config.publicUrl).host, user.email || user.id)
      const secret = secretBox.seal(totp.secret, secretContext(base.id))
      return { factor: { ...base, factor_type: 'totp', secret }, totp }
    }
    case 'phone': {
      if (config.auth.smsWebhook === undefined) throw authErrors.phoneFactorDisabled()
      if (!input.phone) throw authErrors.invalid('Phone number required to enroll Phone factor')
      return { factor: { ...base, factor_type: 'phone', phone: normalizePhone(input.phone) } }
    }
    case 'webauthn':
      if (!relyingParty(config.publicUrl)) throw authErrors.webauthnDisabled()
      return { factor: { ...base, factor_type: 'webauthn' } }
    default:
      throw authErrors.invalid('factor_type needs to be totp, phone, or webauthn')
  }
}

/** @throws {AuthError} when the person may not have this factor as well */
async function checkRoom(db: Transaction, call: SignedInCall, factor: NewFactor): Promise<void> {
  const others = await listFactors(db, call.user.id)
  if (isEnrolled(others) && call.session.aal !== 'aal2') {
    throw authErrors.aalToEnroll()
  }
  const wanted = factor.friendly_name
  if (wanted !== '' && others.some((other) => other.friendly_name === wanted)) {
    throw authErrors.factorNameTaken(wanted)
  }
  const samePhone = others.find((other) => other.phone !== null && other.phone === factor.phone)
  if (samePhone?.status === 'verified') throw authErrors.phoneFactorExists()
  if (samePhone) await deleteFactor(db, samePhone.id)
  if (others.length >= maxFactors) throw authErrors.tooManyFactors()
}

/** DELETE /factors/{id}: removes a factor; sessions that were raised with it fall back to aal1. A verified one needs aal2. */
export async function unenrollFactor(call: SignedInCall): Promise<Response> {
  const factor = await ownTransaction(call, async (db) => {
    const found = await findFactor(db, call.user.id, call.params['factor'])
    if (found.status === 'verified' && call.session.aal !== 'aal2') throw authErrors.aalToUnenroll()
    await removeFactor(db, call.user, found)
    return found
  })
  call.deps.mail.wake()
  const { id: factor_id, factor_type: type, status } = factor
  recordOwnEvent(call, 'factor removed', { factor_id, type, status })
  return Response.json({ id: factor.id })
}

/** @returns the number as it is kept: digits with the country's code, no plus. @throws {AuthError} 400 validation_failed */
function normalizePhone(value: string): string {
  const phone = value.replace(/[\s()-]/g, '').replace(/^\+/, '')
  if (!/^[1-9][0-9]{6,14}$/.test(phone)) {
    throw authErrors.invalid('Invalid phone number format (E.164 required)')
  }
  return phone
}
