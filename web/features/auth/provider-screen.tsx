import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { providerSignIn } from '#domain/texts/account-texts.ts'
import { routes } from '#domain/routes.ts'
import { mayLeaveSignIn, stayOnSignIn } from '#web/session/automatic-sign-in.ts'
import { leaveForProvider } from '#web/session/leave-for-provider.ts'
import { ProviderButtons } from '#web/session/provider-buttons.tsx'
import { signInOptionsQuery } from '#web/session/sign-in-options.ts'
import { useSession } from '#web/session/session.ts'
import { site } from '#web/site.ts'
import { AuthFrame } from './auth-frame.tsx'
import { comeBackTo } from './come-back.ts'

const route = getRouteApi(routes.auth.path)

/** The sign-in of a server without passwords: its providers. */
export function ProviderScreen() {
  const { next, failed } = route.useSearch()
  const options = useQuery(signInOptionsQuery)
  return (
    <AuthFrame title="Sign In" heading="Sign in" intro={providerSignIn.intro}>
      {failed || options.isError ? (
        <p role="alert" className="mb-6 rounded-2xl bg-sunken px-4 py-3 text-sm leading-relaxed">
          {failed ? providerSignIn.failed : providerSignIn.unknown}
        </p>
      ) : null}
      <div className="grid gap-2.5">
        <ProviderButtons redirectTo={comeBackTo(next, 'provider')} />
      </div>
    </AuthFrame>
  )
}

/**
 * Goes straight to the provider of the server, if it has one for that and the person has neither signed out nor come back
 * with an error.
 *
 * @returns whether the browser is leaving
 */
export function useAutomaticSignIn(): boolean {
  const { next, opened, failed } = route.useSearch()
  const { status } = useSession()
  const [mayLeave, setMayLeave] = useState(mayLeaveSignIn)
  const isLeaving =
    mayLeave &&
    site.autoProvider !== '' &&
    status === 'signed-out' &&
    opened === undefined &&
    !failed
  useEffect(() => {
    if (!isLeaving) return
    stayOnSignIn('tab')
    void leaveForProvider(site.autoProvider, comeBackTo(next, 'provider')).then((problem) => {
      if (problem !== null) setMayLeave(false)
    })
  }, [isLeaving, next])
  return isLeaving
}
