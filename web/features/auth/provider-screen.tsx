import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { providerSignIn } from '#domain/texts/account-texts.ts'
import { routes } from '#domain/routes.ts'
import {
  mayLeaveSignIn,
  silentProvider,
  stayOnSignIn,
  takeSilentSignIn,
} from '#web/session/providers/automatic-sign-in.ts'
import { leaveForProvider } from '#web/session/providers/leave-for-provider.ts'
import { ProviderButtons } from '#web/session/providers/provider-buttons.tsx'
import { signInOptionsQuery } from '#web/session/sign-in-options.ts'
import { useSession } from '#web/session/session.ts'
import { site } from '#web/site.ts'
import { AuthFrame } from './auth-frame.tsx'
import { comeBackTo } from './come-back.ts'

const route = getRouteApi(routes.auth.path)

/** The sign-in of a server without passwords: its providers. */
export function ProviderScreen() {
  const { next, failed, again } = route.useSearch()
  const options = useQuery(signInOptionsQuery)
  const intro = again ? providerSignIn.again : providerSignIn.intro
  return (
    <AuthFrame title="Sign In" heading="Sign in" intro={intro}>
      {failed || options.isError ? (
        <p role="alert" className="mb-6 rounded-2xl bg-sunken px-4 py-3 text-sm leading-relaxed">
          {failed ? providerSignIn.failed : providerSignIn.unknown}
        </p>
      ) : null}
      <div className="grid gap-2.5">
        <ProviderButtons isMain redirectTo={comeBackTo(next, 'provider')} />
      </div>
    </AuthFrame>
  )
}

/**
 * Goes straight to a provider, unless the person has signed out or come back with an error: without a question to the one
 * with claims that are due, else to the provider of the server, if it has one for that.
 *
 * @returns whether the browser is leaving
 */
export function useAutomaticSignIn(): boolean {
  const { next, opened, failed, again } = route.useSearch()
  const { status } = useSession()
  const [provider, setProvider] = useState(providerToGoTo)
  const isLeaving =
    provider !== '' && status === 'signed-out' && opened === undefined && !failed && !again
  useEffect(() => {
    if (!isLeaving) return
    stayOnSignIn('tab')
    void leaveFor(provider, next).then((hasLeft) => {
      if (!hasLeft) setProvider('')
    })
  }, [isLeaving, next, provider])
  return isLeaving
}

function providerToGoTo(): string {
  return mayLeaveSignIn() ? (silentProvider() ?? site.autoProvider) : ''
}

async function leaveFor(provider: string, next: string | undefined): Promise<boolean> {
  const isSilent = provider !== site.autoProvider
  if (isSilent && !(await takeSilentSignIn())) return false
  const problem = await leaveForProvider(
    provider,
    comeBackTo(next, isSilent ? 'silent' : 'provider'),
    {
      queryParams: isSilent ? { prompt: 'none' } : {},
      // Back leads to the screen before, and not here.
      open: (url) => window.location.replace(url),
    },
  )
  return problem === null
}
