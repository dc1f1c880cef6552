import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { routes } from '#domain/routes.ts'
import './app.css'
import { completeSignInFromUrl } from './session/sign-in-completion.ts'
import { rememberReferral } from './session/referral.ts'
import { followSession } from './session/session.ts'
import { queryClient, router } from './router.tsx'

rememberReferral(window.location.search)

followSession((hasLeft) => {
  // The next account must not see what this one has loaded.
  if (hasLeft) queryClient.clear()
  // A link on another screen led to the sign-in: going back there leaves no second entry of it in the history.
  const { pathname, state } = router.latestLocation
  if (pathname === routes.auth.path && state.returnsBack === true) router.history.back()
  else void router.invalidate()
})

async function finishSignIn() {
  const next = await completeSignInFromUrl()
  if (next !== undefined) router.history.replace(next)
}
void finishSignIn()

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no element #app')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** On the sign-in screen: the entry before it is where the person wants to go on. */
    returnsBack?: boolean
  }
}
