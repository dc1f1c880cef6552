import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { connectionTexts } from '#domain/texts/session-texts.ts'
import { routes } from '#domain/routes.ts'
import { useSubscriptionPoll } from '#web/plan/subscription.ts'
import { hasStoredSession, useSession } from '#web/session/session.ts'
import { columnClass } from '#web/ui/screen.tsx'
import { useToaster } from '#web/ui/toasts/toasts.ts'
import { phone } from '#web/ui/hooks/use-media.ts'
import { Button } from '#web/ui/button.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { useMissingScript } from '#web/ui/hooks/use-missing-script.ts'
import { useOnline } from '#web/ui/hooks/use-online.ts'
import { useShortcuts } from '#web/ui/hooks/use-shortcuts.ts'
import { Footer } from './footer.tsx'
import { Header, MemberHeader } from './header.tsx'
import type { ShellPart } from './member-navigation.tsx'
import { useTheme } from './theme.ts'

const loadNavigation = () => import('./member-navigation.tsx')
// Visitors never load it; for the others it must not wait until the session is known.
if (hasStoredSession()) void loadNavigation().catch(() => {})

const MemberNavigation = lazy(async () => ({ default: (await loadNavigation()).MemberNavigation }))

const SessionEndedDialog = lazy(async () => ({
  default: (await import('#web/session/session-ended-dialog.tsx')).SessionEndedDialog,
}))

const OutsideSpace = lazy(async () => ({
  default: (await import('./outside-space.tsx')).OutsideSpaceScreen,
}))

/** The frame of every screen: people who are signed in have a sidebar, or a tab bar on phones; visitors have a header. */
export function AppShell() {
  const { dark } = useTheme()
  const session = useSession()
  const person = session.status === 'signed-in' ? session : undefined
  // The sidebar has its place from the start, so that nothing moves once the session is known.
  const isMember = person !== undefined || (session.status === 'loading' && hasStoredSession())
  useSubscriptionPoll(person?.userId ?? null)
  // Here, so that a key is not lost while the navigation is loading.
  const [open, setOpen] = useState<ShellPart>()
  useShortcuts(
    isMember
      ? {
          n: () => setOpen('compose'),
          'mod+k': () => setOpen('palette'),
          '?': () => setOpen('keys'),
        }
      : {},
  )
  const main = useFocusOnNavigation()
  const isHome = useRouterState({
    select: ({ location }) => location.pathname === routes.home.path,
  })
  const toasts = useToaster(isMember || !isHome)
  if (session.status === 'outside')
    return (
      <Suspense>
        <OutsideSpace email={session.email} />
      </Suspense>
    )
  return (
    <div
      data-member={isMember || undefined}
      className={
        isMember
          ? 'rail:grid rail:grid-cols-[4rem_minmax(0,1fr)] lg:grid-cols-[14.5rem_minmax(0,1fr)]'
          : ''
      }
    >
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-20 focus:rounded-full focus:bg-ink focus:px-4 focus:py-2 focus:text-paper"
      >
        Skip to content
      </a>
      {isMember ? (
        // A separate box: the sidebar's place in the grid is there before its script.
        <div>
          {person === undefined ? (
            <BarsAtRest />
          ) : (
            <Suspense fallback={<BarsAtRest />}>
              <MemberNavigation
                key={person.userId}
                userId={person.userId}
                personId={person.personId}
                email={person.email}
                {...{ open, setOpen }}
              />
            </Suspense>
          )}
        </div>
      ) : null}
      <div className="relative flex min-h-dvh min-w-0 flex-col">
        {isMember ? <MemberHeader /> : <Header />}
        {/* The footer starts below the window, so that nothing moves it while a screen loads. */}
        <main
          id="main"
          ref={main}
          tabIndex={-1}
          className={`flex grow flex-col ${isHome && isMember ? 'min-h-dvh' : isMember ? 'max-rail:pb-[calc(4rem+var(--safe-bottom))]' : 'min-h-[calc(100dvh-4rem)]'}`}
        >
          <Outlet />
        </main>
        {isMember && !isHome ? null : <Footer isMember={isMember} />}
        <ConnectionNote isMember={isMember} />
      </div>
      {person?.hasEnded === true ? (
        <Suspense>
          <SessionEndedDialog />
        </Suspense>
      ) : null}
      {toasts === undefined ? null : (
        <toasts.Toaster
          theme={dark ? 'dark' : 'light'}
          // On phones the lower edge belongs to the thumb: to the tab bar, and to the bars of editors. Elsewhere toasts stand
          // above such a bar (app.css).
          position={window.matchMedia(phone).matches ? 'top-center' : 'bottom-right'}
          closeButton
          offset={20}
          mobileOffset={{ top: 64, bottom: 12 }}
        />
      )}
    </div>
  )
}

/** The sidebar, or the tab bar of a phone, before its script is here. */
function BarsAtRest() {
  return (
    <div
      aria-hidden
      className="fixed inset-x-0 bottom-0 z-10 h-[calc(3.5rem+var(--safe-bottom))] border-t border-line bg-paper rail:sticky rail:inset-auto rail:top-0 rail:flex rail:h-dvh rail:flex-col rail:gap-2.5 rail:border-t-0 rail:border-r rail:p-3"
    >
      <span className="flex h-10 items-center px-2 max-rail:hidden max-lg:justify-center">
        <Mark />
      </span>
      {['h-13', 'h-10', 'h-10', 'mt-1.5 h-60'].map((size, index) => (
        <div key={index} className={`rounded-xl bg-sunken max-rail:hidden ${size}`} />
      ))}
    </div>
  )
}

/** At the lower edge of the window, where it moves nothing. */
function ConnectionNote({ isMember }: { isMember: boolean }) {
  const isOnline = useOnline()
  const isOutdated = useMissingScript()
  return (
    <output
      className={`sticky bottom-0 z-[9] block border-t border-line bg-accent-wash text-sm empty:hidden ${isMember ? 'max-rail:bottom-[calc(3.5rem+var(--safe-bottom))]' : ''}`}
    >
      {isOnline && !isOutdated ? null : (
        <span
          data-bottom-bar
          className={`${columnClass} flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2`}
        >
          <span>{isOnline ? connectionTexts.outdated : connectionTexts.offline}</span>
          {isOnline ? (
            <Button size="small" onClick={() => window.location.reload()}>
              Reload
            </Button>
          ) : null}
        </span>
      )}
    </output>
  )
}

// A new page in a single-page app does not move the focus by itself; a person who reads by ear would stay in the old one.
function useFocusOnNavigation() {
  // The resolved location: until then the old page is rendered, and its open dialog would refuse the focus.
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
