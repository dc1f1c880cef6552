import { isAuthRetryableFetchError, type Session } from '@supabase/auth-js'
import { auth } from '#web/api/auth-client.ts'
import { fetchInWords, refusalFields } from '#web/api/fetch-in-words.ts'
import { queryClient } from '#web/api/query-client.ts'
import { site } from '#web/site.ts'
import { spaceSlug } from '#web/space.ts'
import { spaceNotices } from '#domain/texts/space-texts.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { loseSpace } from './space/space-membership.ts'
import {
  accountOf,
  endSession,
  EndedSessionError,
  isSignedIn,
  personOnScreen,
  sessionAgain,
} from './session.ts'
import { hasUnsavedInput } from './unsaved-input.ts'

let writes = 0

/** Whether a change is on its way, or waits for a sign-in. Reads have a signal, with which their screen stops them. */
export const isWriting = (): boolean => writes > 0

/**
 * fetch() with the access token of the person who is signed in, for this server's own doors, and for the account that the page
 * acts for. When the session has ended
 * elsewhere, the app asks the person to sign in again; the request waits for that and is then sent, once. It is never
 * sent as another account.
 */
export function fetchAsCaller(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  return fetchCounted(input, { ...init, actsForAccount: true })
}

/** fetchAsCaller() for the person's own account, wherever they are. */
export function fetchAsPerson(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  return fetchCounted(input, { ...init, actsForAccount: false })
}

interface CallerInit extends RequestInit {
  actsForAccount: boolean
}

async function fetchCounted(input: RequestInfo | URL, init: CallerInit): Promise<Response> {
  const weight = isRead(init) ? 0 : 1
  writes += weight
  try {
    return await fetchInSession(input, init)
  } finally {
    writes -= weight
  }
}

const isRead = ({ signal, method = 'GET' }: RequestInit) =>
  Boolean(signal) || /^(GET|HEAD)$/.test(method)

/** fetchAsCaller() with a JSON body. */
export function postAsCaller(path: string, body: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  return fetchAsCaller(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function fetchInSession(input: RequestInfo | URL, init: CallerInit): Promise<Response> {
  const { data } = await auth.getSession()
  if (data.session === null) {
    const lost = personOnScreen()
    if (lost === null) return send(input, init, null)
    return send(input, init, await sessionOfAgain(lost, undefined, init))
  }
  const { user, access_token: token } = data.session
  const response = await send(input, init, data.session)
  if (init.actsForAccount) await learnOfRefusal(response, init)
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

/** The same words at every door (server/tokens/members.ts). */
const foreignAccount = 'You are not a member of this account'

async function learnOfRefusal(response: Response, init: RequestInit): Promise<void> {
  if (spaceSlug === undefined || response.status !== 403) return
  const { message, error } = await refusalFields(response)
  const why = error ?? message
  if (why === foreignAccount) loseSpace(hasUnsavedInput())
  if (why !== spaceNotices.roleRefused.title) return
  if (!isRead(init)) notifyError(spaceNotices.roleRefused)
  // The screens follow the role that the server says now.
  void queryClient.invalidateQueries({ queryKey: ['account', isSignedIn(), 'facts'] })
}

async function sessionOfAgain(
  personId: string,
  endedToken: string | undefined,
  { signal }: RequestInit,
): Promise<Session> {
  endSession(endedToken)
  await sessionAgain(personId, signal ?? undefined)
  const { data } = await auth.getSession()
  if (data.session?.user.id !== personId) throw new EndedSessionError()
  return data.session
}

async function send(
  input: RequestInfo | URL,
  { actsForAccount, ...init }: CallerInit,
  session: Session | null,
): Promise<Response> {
  const headers = new Headers(init.headers)
  if (actsForAccount && spaceSlug !== undefined && session !== null)
    headers.set('X-Hoplet-Account', await accountOf(session))
  headers.set('Authorization', `Bearer ${session?.access_token ?? site.anonKey}`)
  return fetchInWords(input, { ...init, headers })
}
