import type { Session } from '@supabase/auth-js'
import { notices } from '#domain/texts/texts.ts'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { lacksSecondFactor } from './assurance.ts'

/**
 * Welcomes a person who is wholly signed in. The guard of the sign-in screen leads on (web/app/router.tsx); while the second
 * factor is missing, that screen asks for it.
 */
export function welcome(session: Session): void {
  if (!lacksSecondFactor(session)) notifySuccess(notices.loggedIn)
}
