import { useNavigate } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { signOut } from '#web/session/session.ts'

/** Signs out on Home: on another screen its guard would lead to the sign-in at the same time. */
export function useSignOut(): () => void {
  const navigate = useNavigate()
  return () => void navigate({ to: routes.home.path }).then(signOut)
}
