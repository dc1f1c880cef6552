import { useQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { useState } from 'react'
import { loginFailedTitle } from '#domain/texts/account-texts.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { leaveForProvider } from './leave-for-provider.ts'
import { signInOptionsQuery } from './sign-in-options.ts'

interface ProviderButtonsProps {
  /** The address that the provider leads back to. */
  redirectTo: string
  /** Parameters for the provider. */
  queryParams?: Record<string, string>
}

/** A button for each provider of the server. */
export function ProviderButtons({ redirectTo, queryParams }: ProviderButtonsProps) {
  const providers = useQuery(signInOptionsQuery).data?.providers ?? []
  const [leaving, setLeaving] = useState<string>()
  const { run: signIn } = useAction(async (provider: string) => {
    setLeaving(provider)
    const problem = await leaveForProvider(provider, redirectTo, queryParams)
    if (problem === null) return
    setLeaving(undefined)
    notifyError({ title: loginFailedTitle, description: problem })
  })
  return providers.map(({ id, name }) => (
    <Button key={id} busy={leaving !== undefined} onClick={() => signIn(id)}>
      <LogIn size={17} aria-hidden />
      {leaving === id ? 'Please wait...' : `Continue with ${name}`}
    </Button>
  ))
}
