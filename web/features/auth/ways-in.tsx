import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Mail } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { ProviderButtons } from '#web/session/providers/provider-buttons.tsx'
import { signInOptionsQuery, useMailWay } from '#web/session/sign-in-options.ts'
import { Button } from '#web/ui/button.tsx'
import { comeBackTo } from './come-back.ts'

const route = getRouteApi(routes.auth.path)

/** The ways in besides the password: the configured providers, and a link by email. */
export function WaysIn({ onLink: onMailedLink }: { onLink: (() => void) | undefined }) {
  const onLink = useMailWay() === 'none' ? undefined : onMailedLink
  const { next } = route.useSearch()
  const providers = useQuery(signInOptionsQuery).data?.providers ?? []

  if (providers.length === 0 && onLink === undefined) return null
  return (
    <div className="mt-6 grid gap-2.5">
      <p className="mb-1 flex items-center gap-4 text-sm text-ink-faint before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        or
      </p>
      <ProviderButtons redirectTo={comeBackTo(next, 'provider')} />
      {onLink === undefined ? null : (
        <Button onClick={onLink}>
          <Mail size={17} aria-hidden />
          Email me a sign-in link
        </Button>
      )}
    </div>
  )
}
