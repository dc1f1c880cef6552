import type { OAuthAuthorizationDetails, OAuthRedirect } from '@supabase/auth-js'
import { queryOptions } from '@tanstack/react-query'
import { callAuthDoor, AuthDoorError } from '#web/session/auth-door.ts'
import { auth } from '#web/api/auth-client.ts'

export type Authorization =
  | { kind: 'asked'; details: OAuthAuthorizationDetails }
  /** Allowed before: the browser is on its way back to the app. */
  | { kind: 'allowed' }
  | { kind: 'gone' }

/** Read once: for an app that was allowed before, reading is allowing again. */
export function authorizationQuery(id: string, userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'authorization', id],
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: async (): Promise<Authorization> => {
      const { data, error } = await auth.oauth.getAuthorizationDetails(encodeURIComponent(id))
      if (error?.code === 'oauth_authorization_not_found') return { kind: 'gone' }
      if (error !== null) throw error
      if ('authorization_id' in data) return { kind: 'asked', details: data }
      goBack(data)
      return { kind: 'allowed' }
    },
  })
}

/**
 * @param space the space that the app may act for; undefined for the person's own account
 * @throws when it did not work, with the server's words
 */
export async function decide(id: string, isAllowed: boolean, space?: string): Promise<void> {
  if (isAllowed && space !== undefined) {
    const path = `/oauth/authorizations/${encodeURIComponent(id)}/consent`
    const response = await callAuthDoor(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ action: 'approve', account_id: space }),
    })
    return goBack((await response.json()) as OAuthRedirect)
  }
  const options = { skipBrowserRedirect: true }
  const { data, error } = isAllowed
    ? await auth.oauth.approveAuthorization(id, options)
    : await auth.oauth.denyAuthorization(id, options)
  if (error !== null) throw error
  goBack(data)
}

/** Releases the request, so that another account can answer it; a request that is over needs no release. @throws when it did not work */
export async function release(id: string): Promise<void> {
  try {
    await callAuthDoor(`/oauth/authorizations/${encodeURIComponent(id)}/release`, {
      method: 'POST',
    })
  } catch (error) {
    const isOver = error instanceof AuthDoorError && error.code === 'oauth_authorization_not_found'
    if (!isOver) throw error
  }
}

/** Apps on a phone or a computer have custom schemes; scripts and documents are refused. */
function goBack({ redirect_url: url }: OAuthRedirect): void {
  if (/^(javascript|data|blob|vbscript|file):/i.test(url.trim())) throw new Error('Not an app')
  window.location.assign(url)
}
