import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { Toaster } from 'sonner'
import { connectionTexts } from '#domain/account-texts.ts'
import { Header } from './header.tsx'
import { useSession } from '#web/session/session.ts'
import { useSubscriptionPoll } from '#web/plan/subscription.ts'
import { useOnline } from '#web/ui/use-online.ts'
import { useTheme } from './theme.ts'

const SessionEndedDialog = lazy(async () => ({
  default: (await import('#web/session/session-ended-dialog.tsx')).SessionEndedDialog,
}))

/** The frame of every screen. */
export function AppShell() {
  const { dark } = useTheme()
  const session = useSession()
  useSubscriptionPoll(session.status === 'signed-in' ? session.userId : null)
  const main = useFocusOnNavigation()
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-20 focus:rounded-full focus:bg-ink focus:px-4 focus:py-2 focus:text-paper"
      >
        Skip to content
      </a>
      <Header />
      <OfflineNote />
      {/* The footer starts below the window, so that nothing moves it while a screen loads. */}
      <main
        id="main"
        ref={main}
        tabIndex={-1}
        className="flex min-h-[calc(100dvh-4rem)] grow flex-col"
      >
        <Outlet />
      </main>
      <footer className="border-t border-line">
        <p className="mx-auto max-w-5xl px-4 py-8 text-sm text-ink-faint sm:px-6">
          Hoplet, the link platform that you run yourself. Open source, made with care.
        </p>
      </footer>
      {session.status === 'signed-in' && session.hasEnded ? (
        <Suspense>
          <SessionEndedDialog />
        </Suspense>
      ) : null}
      <Toaster
        theme={dark ? 'dark' : 'light'}
        position="bottom-center"
        closeButton
        offset={20}
        mobileOffset={12}
      />
    </div>
  )
}

function OfflineNote() {
  const isOnline = useOnline()
  return (
    <output className="sticky top-16 z-[9] block border-b border-line bg-accent-wash text-sm empty:hidden">
      {isOnline ? null : (
        <span className="mx-auto block max-w-5xl px-4 py-2 sm:px-6">{connectionTexts.offline}</span>
      )}
    </output>
  )
}

// A new page in a single-page app does not move the focus by itself; a person who reads by ear would stay in the old one.
function useFocusOnNavigation() {
  // The resolved location: until then the old page is rendered, and an open dialog of it would refuse the focus.
  const pathname = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const main = useRef<HTMLElement>(null)
  const shown = useRef(pathname)
  useEffect(() => {
    const first = shown.current === undefined
    if (shown.current === pathname) return
    shown.current = pathname
    if (first) return
    if (!main.current?.contains(document.activeElement))
      main.current?.focus({ preventScroll: true })
  }, [pathname])
  return main
}
