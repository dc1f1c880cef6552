import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { missedCodeTexts } from '#domain/texts/link-texts.ts'
import { MissedCodesOfPlan } from '#web/missed-codes/missed-codes.tsx'
import { useSession } from '#web/session/session.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'

/** Visits to codes that a person's deleted links and pages had. */
export function MissedCodesScreen() {
  useTitle('Missing codes · Hoplet')
  const session = useSession()
  return (
    <Screen
      title="Missing codes"
      intro={missedCodeTexts.intro}
      before={
        <Link to={routes.dashboard.path} className={`${buttonClass('quiet', 'small')} -ml-3 mb-1`}>
          <ArrowLeft size={16} aria-hidden />
          My Links
        </Link>
      }
    >
      {session.status === 'signed-in' ? (
        <MissedCodesOfPlan key={session.userId} userId={session.userId} />
      ) : null}
    </Screen>
  )
}
