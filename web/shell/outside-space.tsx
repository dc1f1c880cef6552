import { Users } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { spaceTexts } from '#domain/texts/space-texts.ts'
import { signOut } from '#web/session/session.ts'
import { leaveForPage } from '#web/space.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { Mark } from '#web/ui/mark.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'

/** In the place of the app: its address names a space that is not there, or that the person is not a member of. */
export function OutsideSpaceScreen({ email }: { email: string }) {
  useTitle('Space not found · Hoplet')
  return (
    <main
      id="main"
      tabIndex={-1}
      className="mx-auto grid min-h-dvh w-full max-w-xl content-center gap-8 px-4 py-10"
    >
      <a
        href={routes.home.path}
        className="flex items-center gap-2.5 justify-self-center rounded-full px-1 text-xl font-semibold tracking-tight"
      >
        <Mark />
        Hoplet
      </a>
      <StatePanel
        isScreen
        title={spaceTexts.absent}
        figure={<Users size={32} aria-hidden className="text-ink-faint" />}
        action={
          <a href={routes.dashboard.path} className={buttonClass('accent')}>
            Go to your links
          </a>
        }
      >
        {spaceTexts.absentHint}
      </StatePanel>
      <p className="text-center text-sm text-ink-faint wrap-anywhere">
        Signed in as {email}.{' '}
        <button
          type="button"
          onClick={() => {
            leaveForPage(routes.auth.path)
            signOut()
          }}
          className="min-h-6 text-ink underline underline-offset-4"
        >
          Sign out
        </button>
      </p>
    </main>
  )
}
