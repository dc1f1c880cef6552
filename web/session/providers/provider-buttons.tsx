import { useQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { useState } from 'react'
import { loginFailedTitle } from '#domain/texts/account-texts.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { leaveForProvider } from './leave-for-provider.ts'
import { signInOptionsQuery } from '../sign-in-options.ts'

interface ProviderButtonsProps {
  /** The address that the provider leads back to. */
  redirectTo: string
  /** Parameters for the provider. */
  queryParams?: Record<string, string>
  /** Opens the provider in a new tab, so that this screen keeps its input. */
  inNewTab?: true
  /** Whether they are the one thing to do: a single button is filled. */
  isMain?: true
}

/** A button for each provider of the server. */
export function ProviderButtons({
  redirectTo,
  queryParams,
  inNewTab,
  isMain,
}: ProviderButtonsProps) {
  const providers = useQuery(signInOptionsQuery).data?.providers ?? []
  const [leaving, setLeaving] = useState<string>()
  const { run: signIn } = useAction(async (provider: string) => {
    setLeaving(provider)
    // At once: later a browser takes it for a pop-up.
    const tab = inNewTab ? window.open('about:blank', '_blank') : null
    if (tab !== null) tab.opener = null
    const open = tab === null ? undefined : (url: string) => tab.location.replace(url)
    const problem = await leaveForProvider(provider, redirectTo, { queryParams, open })
    if (problem === null && tab === null) return
    setLeaving(undefined)
    if (problem === null) return
    tab?.close()
    notifyError({ title: loginFailedTitle, description: problem })
  })
  return providers.map(({ id, name }) => (
    <Button
      key={id}
      look={isMain && providers.length === 1 ? 'accent' : 'plain'}
      busy={leaving !== undefined}
      onClick={() => signIn(id)}
    >
      <LogIn size={17} aria-hidden />
      {leaving === id ? 'Please wait...' : `Continue with ${name}`}
    </Button>
  ))
}
