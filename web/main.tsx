import type { LinkRow } from '#web/api/database.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startTransition, StrictMode, useEffect, useLayoutEffect } from 'react'
import { flushSync } from 'react-dom'
import { routes } from '#domain/routes.ts'
import './app.css'
import './old-browser.css'
import { stayOnSignIn } from './session/providers/automatic-sign-in.ts'
import { isSignInReturn } from './session/loaded-auth.ts'
import { rememberReferral } from './session/referral.ts'
import { followSession } from './session/session.ts'
import { watchInput } from './session/unsaved-input.ts'
import { focusedField, keepTypedText } from './app/prerendered-home.ts'
import { queryClient } from './api/query-client.ts'
import { router } from './app/router.tsx'
import { keepTranslatedTexts } from './translated-text.ts'

keepTranslatedTexts()
watchInput()
rememberReferral(window.location.search)

followSession((hasLeft) => {
  // The next account must not see this one's data.
  if (hasLeft) queryClient.clear()
  // A link on another screen led to the sign-in: going back there adds no second entry to the history.
  const { pathname, state } = router.latestLocation
  if (pathname === routes.auth.path && state.returnsBack === true) router.history.back()
  else void router.invalidate()
})

// A return may carry an error, and people have to read it.
if (isSignInReturn(window.location)) stayOnSignIn('tab')

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no element #app')
const rendered = render(root)
if (isSignInReturn(window.location)) void finishSignIn(new URL(window.location.href))

async function finishSignIn(arrived: URL) {
  const { completeSignInFromUrl } = await import('./session/sign-in-completion.ts')
  const next = await completeSignInFromUrl(arrived)
  // The router follows the history from its first rendering on.
  await rendered
  if (next !== undefined) router.history.replace(next)
}

/** Resolves when the app has replaced the prerendered document. */
async function render(container: HTMLElement): Promise<void> {
  const { prerendered } = container.dataset
  const isHome = prerendered === 'home'
  if (isHome) keepTypedText(container)
  // React's renderer alone keeps a slow phone busy for a tenth of a second: it paints and answers before that.
  await pause(0)
  const { createRoot } = await import('react-dom/client')
  // Without it the first rendering is empty, and the prerendered screen would be gone for a moment. An answer that takes
  // long must not keep the app from being used.
  if (prerendered !== undefined) await Promise.race([router.load(), pause(3_000)])
  const refocus = isHome ? focusedField(container) : () => {}
  return new Promise<void>((resolve) => {
    const replaced = () => {
      delete container.dataset['prerendered']
      refocus()
    }
    const show = () =>
      createRoot(container).render(
        <StrictMode>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
            <AfterFirstRender atOnce={replaced} later={resolve} />
          </QueryClientProvider>
        </StrictMode>,
      )
    if (isHome) {
      // At once: later input would be lost.
      keepTypedText(container)
      flushSync(show)
    } else {
      // In slices, so that a slow phone answers in between.
      startTransition(show)
    }
  })
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}

function AfterFirstRender({ atOnce, later }: { atOnce: () => void; later: () => void }) {
  useLayoutEffect(atOnce, [atOnce])
  // The router's own effects come before this one.
  useEffect(later, [later])
  return null
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** On the sign-in screen: the entry before it is where the person wants to go on. */
    returnsBack?: boolean
    /** On My Links: the id of the link that was made a moment ago; its row is marked. */
    createdLink?: string
    /** The composer opens with this code, once. */
    newLinkCode?: string
    /** The composer opens with the options of this link, once. */
    duplicatedLink?: LinkRow
    /** On Home: when Sign Out led there. */
    leftAt?: number
    /** A popup that was just created, and that no one meets yet. */
    createdPopup?: string
  }
}
