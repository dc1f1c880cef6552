import { isAuthRetryableFetchError, type Session } from '@supabase/auth-js'
import { auth } from '#web/api/auth-client.ts'
import { fetchInWords, refusalFields } from '#web/api/fetch-in-words.ts'
import { site } from '#web/site.ts'
import { endSession, isSignedIn, EndedSessionError, sessionAgain } from './session.ts'

let writes = 0

/** Whether a change is on its way, or waits for a sign-in. Reads have a signal, with which their screen stops them. */
export const isWriting = (): boolean => writes > 0

/**
 * fetch() with the access token of the person who is signed in, for this server's own doors. When the session has ended
 * elsewhere, the app asks the person to sign in again; the request waits for that and is then sent, once. It is never
 * sent as another account.
 */
export async function fetchAsCaller(
  input: RequestInfo | URL,
  init: RequestInit = {},
): Promise<Response> {
  const weight = init.signal || /^(GET|HEAD)$/.test(init.method ?? 'GET') ? 0 : 1
  writes += weight
  try {
    return await fetchInSession(input, init)
  } finally {
    writes -= weight
  }
}

/** fetchAsCaller() with a JSON body. */
export function postAsCaller(path: string, body: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  return fetchAsCaller(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function fetchInSession(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  const { data } = await auth.getSession()
  if (data.session === null) {
    const lost = isSignedIn()
    if (lost === null) return send(input, init, null)
    return send(input, init, await sessionOfAgain(lost, undefined, init))
  }
  const { user, access_token: token } = data.session
  const response = await send(input, init, data.session)
  if (!(await isOfEndedSession(response))) return response
  // The token is stale, or the session was ended elsewhere. A refresh finds out.
  const { data: renewed, error } = await auth.refreshSession()
  if (renewed.session !== null) {
    if (renewed.session.user.id !== user.id) throw new EndedSessionError()
    return send(input, init, renewed.session)
  }
  if (isAuthRetryableFetchError(error)) return response
  return send(input, init, await sessionOfAgain(user.id, token, init))
}

const endedCodes = new Set<unknown>(['session_not_found', 'bad_jwt', 'user_not_found'])

/** The doors answer 401; the auth door answers 403 with the codes of its protocol. */
async function isOfEndedSession(response: Response): Promise<boolean> {
  if (response.status !== 403) return response.status === 401
  return endedCodes.has((await refusalFields(response))['code'])
}

async function sessionOfAgain(
  userId: string,
  endedToken: string | undefined,
  { signal }: RequestInit,
): Promise<Session> {
  endSession(endedToken)
  await sessionAgain(userId, signal ?? undefined)
  const { data } = await auth.getSession()
  if (data.session?.user.id !== userId) throw new EndedSessionError()
  return data.session
}

function send(
  input: RequestInfo | URL,
  init: RequestInit,
  session: Session | null,
): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('Authorization', `Bearer ${session?.access_token ?? site.anonKey}`)
  return fetchInWords(input, { ...init, headers })
}
