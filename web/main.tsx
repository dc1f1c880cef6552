import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './app.css'
import { arrive } from './account/arrival.ts'
import { rememberReferral } from './account/referral.ts'
import { followSession } from './account/session.ts'
import { queryClient, router } from './router.tsx'

rememberReferral(window.location.search)

followSession((hasLeft) => {
  // Nothing that one account has loaded may be seen by the next.
  if (hasLeft) queryClient.clear()
  void router.invalidate()
})

async function finishArrival() {
  const next = await arrive()
  if (next !== undefined) router.history.push(next)
}
void finishArrival()

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no element #app')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
