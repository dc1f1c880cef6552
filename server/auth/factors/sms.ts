import { randomInt } from 'node:crypto'
import type { AuthCall } from '../call.ts'
import { authErrors } from '../errors.ts'

const timeoutMs = 5_000

/** @returns six digits */
export function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

/** @returns the number as it is kept: digits with the country's code, no plus. @throws {AuthError} 400 validation_failed */
export function normalizePhone(value: string): string {
  const phone = value.replace(/[\s()-]/g, '').replace(/^\+/, '')
  if (!/^[1-9][0-9]{6,14}$/.test(phone)) {
    throw authErrors.invalid('Invalid phone number format (E.164 required)')
  }
  return phone
}

/**
 * Hands a code to the operator's webhook: `POST {phone: "+49…", code}` as JSON; any 2xx means that it was sent.
 *
 * @throws {AuthError} 422 when phones are not set up, or the webhook fails
 */
export async function sendCode(
  { deps, info }: AuthCall,
  phone: string,
  code: string,
): Promise<void> {
  const { smsWebhook } = deps.config.auth
  if (smsWebhook === undefined) throw authErrors.phoneCheckDisabled()
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
    info.log.warn({ status: response.status }, 'SMS webhook refused a message')
  } catch (error) {
    info.log.warn({ err: error }, 'SMS webhook did not answer')
  }
  throw authErrors.smsFailed()
}
