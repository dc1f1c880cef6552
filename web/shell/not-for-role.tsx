import { Link } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { spaceTexts } from '#domain/texts/space-texts.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { columnClass } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'

/** In the place of a screen that the role of a member does not open. */
export function NotForRoleScreen() {
  useTitle('Not for your role · Hoplet')
  return (
    <div className={`${columnClass} py-6 rail:pt-20`}>
      <StatePanel
        isScreen
        title={spaceTexts.notForRole}
        figure={<Lock size={32} aria-hidden className="text-ink-faint" />}
        action={
          <Link to={routes.dashboard.path} className={buttonClass('plain')}>
            My Links
          </Link>
        }
      >
        {spaceTexts.notForRoleHint}
      </StatePanel>
    </div>
  )
}
