import type { AuthError, Session } from '@supabase/auth-js'
import { accessNotices, loginFailedTitle, settingsNotices } from '#domain/texts/account-texts.ts'
import { routes } from '#domain/routes.ts'
import { auth } from '#web/api/auth-client.ts'
import { site } from '#web/site.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { welcome } from './welcome.ts'

/**
 * Completes a sign-in that a mailed link or a provider has begun. The official client trades a `?code=` for a session by
 * itself; the rest is here: errors, messages, a code that another browser asked for, and the session in the
 * fragment of links that no browser asked for (invitations).
 *
 * @param arrived the address that the browser arrived at; the client takes the code out of the address bar
 * @returns the page to go on to, if it is another one
 */
export async function completeSignInFromUrl({
  pathname,
  search,
  hash,
}: URL): Promise<string | undefined> {
  const query = new URLSearchParams(search)
  const fragment = new URLSearchParams(hash.slice(1))
  const { error } = await auth.initialize()
  const { data } = await auth.getSession()
  const { session } = data
  const isCodeLeft = new URLSearchParams(window.location.search).has('code')
  const isElsewhere =
    isCodeLeft && isOfOtherBrowser(error) && wantsToSignIn(pathname, query, session)
  // Nothing of it may stay in the address bar, the history, or a bookmark.
  clean(pathname, query, isElsewhere ? { opened: 'elsewhere' } : {})

  const failure = query.get('error_description') ?? fragment.get('error_description')
  // A sign-in that nobody pressed a button for.
  const isSilent = query.get('from') === 'silent'
  if (failure !== null && isSilent) {
    const isDown = query.get('error') === 'temporarily_unavailable'
    clean(pathname, query, isDown ? { failed: 'true' } : { again: 'true' })
    return undefined
  }
  if (failure !== null) {
    const code = query.get('error_code') ?? fragment.get('error_code')
    notifyError({ title: failureTitle(pathname, code), description: failure })
    // Without passwords the screen itself says so: there is no other way in.
    if (!site.hasPasswords && pathname === routes.auth.path)
      clean(pathname, query, { failed: 'true' })
    return undefined
  }
  const message = fragment.get('message')
  if (message !== null) {
    notifySuccess({ ...accessNotices.halfDone, description: message })
    return undefined
  }
  if (fragment.has('access_token')) return takeSession(fragment, session !== null)
  if (isElsewhere || !query.has('code')) return undefined
  const from = query.get('from')
  if (from === 'email-change' && session === null) notifySuccess(accessNotices.emailChanged)
  else if (!isCodeLeft && isSilent) return undefined
  else if (!isCodeLeft) welcomeBack(pathname, session)
  else if (session !== null) await learnOfChange(session.user.email)
  else if (from === 'sign-up') notifySuccess(accessNotices.emailConfirmed)
  // Another tab has begun a sign-in after this one.
  else if (from === 'provider' || isSilent)
    notifyError({ title: loginFailedTitle, description: tryAgain })
  else notifyError({ ...accessNotices.linkFailed, ...wordsFor(error) })
  return undefined
}

const tryAgain = 'Please try again.'

/** Which of the two that lead here did not work: a mailed link, or a sign-in provider. */
function failureTitle(pathname: string, code: string | null): string {
  if (code !== null && linkFailures.has(code)) return accessNotices.linkFailed.title
  return pathname === routes.settings.path ? settingsNotices.linkFailed.title : loginFailedTitle
}

/** The error codes of mailed links; all others are of a provider. */
const linkFailures = new Set(['otp_expired', 'email_exists'])

/** A link or a provider has signed the person in. On other screens (a new password, a linked sign-in) they already were. */
function welcomeBack(pathname: string, session: Session | null): void {
  if (pathname === routes.auth.path && session !== null) welcome(session)
}

/** The code's verifier is in another browser; or the local one belongs to another mail. */
function isOfOtherBrowser(error: AuthError | null): boolean {
  return error === null || error.code === 'bad_code_verifier'
}

/** Whether the link was for a sign-in or a new password: the screens then say the next step (features/auth). */
function wantsToSignIn(pathname: string, query: URLSearchParams, session: Session | null): boolean {
  if (pathname === routes.resetPassword.path) return true
  return pathname === routes.auth.path && session === null && !query.has('from')
}

function wordsFor(error: AuthError | null): { description?: string } {
  const isUsed = error?.code === 'flow_state_not_found' || error?.code === 'flow_state_expired'
  if (isUsed) return accessNotices.linkUsed
  return error === null ? {} : { description: error.message }
}

/**
 * The client has no verifier left for a change of address, because it forgets it with each session that it stores. It
 * needs none: the session that is there goes on, with the new address in it.
 */
async function learnOfChange(before: string | undefined): Promise<void> {
  const { data } = await auth.refreshSession()
  const email = data.user?.email
  if (email !== undefined && email !== before)
    notifySuccess({ ...accessNotices.emailChanged, description: email })
}

/** A link must not swap the account of a person who is signed in. */
async function takeSession(
  fragment: URLSearchParams,
  hasSession: boolean,
): Promise<string | undefined> {
  if (hasSession) return undefined
  const { data, error } = await auth.setSession({
    access_token: fragment.get('access_token') ?? '',
    refresh_token: fragment.get('refresh_token') ?? '',
  })
  if (error !== null) {
    notifyError({ ...accessNotices.linkFailed, description: error.message })
    return undefined
  }
  notifySuccess({ ...accessNotices.signedInAs, description: data.user?.email ?? '' })
  const type = fragment.get('type')
  return type === 'invite' || type === 'recovery' ? routes.resetPassword.path : undefined
}

function clean(pathname: string, query: URLSearchParams, more: Record<string, string>): void {
  const rest = new URLSearchParams(query)
  for (const name of ['code', 'error', 'error_code', 'error_description', 'from', 'sb'])
    rest.delete(name)
  for (const [name, value] of Object.entries(more)) rest.set(name, value)
  const text = rest.toString()
  if (window.location.pathname !== pathname) return
  window.history.replaceState(
    window.history.state,
    '',
    text === '' ? pathname : `${pathname}?${text}`,
  )
}
