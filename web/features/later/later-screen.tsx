import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/use-title.ts'

/** Stands where a later issue builds a screen. Each route that still uses it is listed in web/router.tsx. */
export function LaterScreen() {
  useTitle('Being built · Hoplet')
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-16">
      <h1 className="sr-only">Being built</h1>
      <StatePanel
        title="This part of Hoplet is being built"
        figure={<Mark size={44} />}
        action={
          <Link to={routes.home.path} className={buttonClass('plain')}>
            Back to the link shortener
          </Link>
        }
      >
        It isn't ready yet. Links, QR codes and My Links work already.
      </StatePanel>
    </div>
  )
}
