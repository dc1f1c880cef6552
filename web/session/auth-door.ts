import { refusalFields } from '#web/api/fetch-in-words.ts'
import { fetchAsCaller } from './caller.ts'
import { site } from '#web/site.ts'

/** A refusal of the auth door, with its stable code and its words for people. */
export class AuthDoorError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Calls of the auth door beyond the official client's protocol.
 *
 * @throws {AuthDoorError}
 */
export async function callAuthDoor(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('apikey', site.anonKey)
  headers.set('X-Supabase-Api-Version', '2024-01-01')
  const response = await fetchAsCaller(`/auth/v1${path}`, { ...init, headers })
  if (response.ok) return response
  const { code = '', message = 'Please try again.' } = await refusalFields(response)
  throw new AuthDoorError(String(code), String(message))
}
