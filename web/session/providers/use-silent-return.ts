import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { silentProvider } from './automatic-sign-in.ts'
import { isWriting } from '../caller.ts'
import { hasUnsavedInput } from '../unsaved-input.ts'

/** `wait`: until the tab is shown. */
type Decision = 'ask' | 'wait' | 'leave'

function decide(): Decision {
  if (silentProvider() === undefined || isWriting() || hasUnsavedInput()) return 'ask'
  return document.visibilityState === 'visible' ? 'leave' : 'wait'
}

/**
 * For a session that has ended because its claims are due: goes to the provider and comes back to this screen without a
 * question, unless that would lose input. The sign-in screen leaves (web/features/auth/provider-screen.tsx).
 *
 * @returns whether the person has to be asked
 */
export function useSilentReturn(): boolean {
  const navigate = useNavigate()
  const router = useRouter()
  // Once: the way to the sign-in screen changes the location too.
  const [here] = useState(() => router.latestLocation.publicHref)
  const [decision, setDecision] = useState(decide)
  useEffect(() => {
    if (decision === 'leave')
      void navigate({ to: routes.auth.path, search: { next: here }, replace: true })
    if (decision !== 'wait') return
    const decideAgain = () => setDecision(decide())
    document.addEventListener('visibilitychange', decideAgain)
    return () => document.removeEventListener('visibilitychange', decideAgain)
  }, [decision, here, navigate])
  return decision === 'ask'
}
