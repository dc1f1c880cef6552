import type { Session } from '@supabase/auth-js'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useCallback } from 'react'
import { routes } from '#domain/routes.ts'
import { notices } from '#domain/texts.ts'
import { lacksSecondFactor } from '#web/session/assurance.ts'
import { readNextPage } from '#web/session/next-page.ts'
import { adminQuery } from '#web/session/role.ts'
import { notifySuccess } from '#web/ui/notify.ts'

const route = getRouteApi(routes.auth.path)

/**
 * Leads on once somebody is wholly signed in: to where they wanted, else an admin to /admin, all others to My Links.
 * With a second factor still to be shown, the screen asks for it (auth-screen.tsx).
 */
export function useAfterSignIn(): (session: Session) => Promise<void> {
  const client = useQueryClient()
  const router = useRouter()
  const { next } = route.useSearch()
  return useCallback(
    async (session) => {
      if (lacksSecondFactor(session)) return
      notifySuccess(notices.loggedIn)
      const wanted = readNextPage(next)
      if (wanted !== undefined) return router.history.push(wanted)
      const isAdmin = await client.fetchQuery(adminQuery(session.user.id)).catch(() => false)
      await router.navigate({ to: isAdmin ? routes.admin.path : routes.dashboard.path })
    },
    [client, router, next],
  )
}
