import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { LogIn, Mail } from 'lucide-react'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { loginFailedTitle } from '#domain/texts/account-texts.ts'
import { signInOptionsQuery, useMailWay } from '#web/session/sign-in-options.ts'
import { auth } from '#web/api/auth-client.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { comeBackTo } from './come-back.ts'

const route = getRouteApi(routes.auth.path)

/** The ways in besides the password: the configured providers, and a link by email. */
export function WaysIn({ onLink: onMailedLink }: { onLink: (() => void) | undefined }) {
  const onLink = useMailWay() === 'none' ? undefined : onMailedLink
  const { next } = route.useSearch()
  const providers = useQuery(signInOptionsQuery).data?.providers ?? []
  const [leaving, setLeaving] = useState<string>()

  const { run: signIn } = useAction(async (provider: string) => {
    setLeaving(provider)
    const { error } = await auth.signInWithOAuth({
      provider: provider as Parameters<typeof auth.signInWithOAuth>[0]['provider'],
      options: { redirectTo: comeBackTo(next, 'provider') },
    })
    if (error === null) return
    setLeaving(undefined)
    notifyError({ title: loginFailedTitle, description: error.message })
  })

  if (providers.length === 0 && onLink === undefined) return null
  return (
    <div className="mt-6 grid gap-2.5">
      <p className="mb-1 flex items-center gap-4 text-sm text-ink-faint before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        or
      </p>
      {providers.map(({ id, name }) => (
        <Button key={id} busy={leaving !== undefined} onClick={() => signIn(id)}>
          <LogIn size={17} aria-hidden />
          {leaving === id ? 'Please wait...' : `Continue with ${name}`}
        </Button>
      ))}
      {onLink === undefined ? null : (
        <Button onClick={onLink}>
          <Mail size={17} aria-hidden />
          Email me a sign-in link
        </Button>
      )}
    </div>
  )
}
