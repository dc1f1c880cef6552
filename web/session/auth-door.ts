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
  const body: unknown = await response.json().catch(() => null)
  throw new AuthDoorError(textOf(body, 'code'), textOf(body, 'message') || 'Please try again.')
}

function textOf(body: unknown, name: string): string {
  if (typeof body !== 'object' || body === null) return ''
  const value = Object.entries(body).find(([key]) => key === name)?.[1] as unknown
  return typeof value === 'string' ? value : ''
}
