import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './app.css'
import { completeSignIn } from './session/sign-in-completion.ts'
import { rememberReferral } from './session/referral.ts'
import { followSession } from './session/session.ts'
import { queryClient, router } from './router.tsx'

rememberReferral(window.location.search)

followSession((hasLeft) => {
  // Nothing that one account has loaded may be seen by the next.
  if (hasLeft) queryClient.clear()
  void router.invalidate()
})

async function goOnAfterSignIn() {
  const next = await completeSignIn()
  if (next !== undefined) router.history.push(next)
}
void goOnAfterSignIn()

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no element #app')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
