import { useRouter } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { signOut } from '#web/session/session.ts'
import { leaveForPage, spaceSlug } from '#web/space.ts'

/** Signs out on Home: on another screen its guard would lead to the sign-in at the same time. */
export function useSignOut(): () => void {
  const router = useRouter()
  return () => {
    const leftAt = Date.now()
    void router.navigate({ to: routes.home.path, state: { leftAt } }).then(() => {
      // After "Keep Editing" the promise resolves with the next navigation, to another screen.
      if (router.latestLocation.state.leftAt !== leftAt) return
      if (spaceSlug !== undefined) leaveForPage(routes.home.path)
      signOut()
    })
  }
}
