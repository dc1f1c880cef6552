import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import type { ReportScope } from '#web/clicks/report.ts'
import { ReportSkeleton } from '#web/clicks/report-skeleton.tsx'
import { useSession } from '#web/session/session.ts'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { ReportPanel } from './report-panel.tsx'
import { type AnalyticsView, readReportView } from './report-view.ts'
import { ScopePicker } from './scope-picker.tsx'

const route = getRouteApi(routes.analytics.path)

/** The clicks of the account, or of the target in the address. */
export function AnalyticsScreen() {
  useTitle('Analytics · Hoplet')
  const session = useSession()
  const shown = route.useSearch()
  const about = aboutOf(shown)
  const navigate = useNavigate()
  if (session.status !== 'signed-in')
    return (
      <Screen title="Analytics">
        <ReportSkeleton />
      </Screen>
    )
  const { userId } = session

  // The time and the switches stay; its filters may not exist there.
  function pick(picked: ReportScope) {
    const { range, from, to, repeats, own, bots } = shown
    const view = readReportView({ range, from, to, repeats, own, bots })
    void navigate({
      to: routes.analytics.path,
      search: 'id' in picked ? { ...picked, ...view } : view,
      resetScroll: false,
    })
  }

  return (
    <Screen title="Analytics" actions={<ScopePicker userId={userId} about={about} onPick={pick} />}>
      <ReportPanel key={userId} userId={userId} about={about} />
    </Screen>
  )
}

function aboutOf({ scope, id }: AnalyticsView): ReportScope {
  return scope === undefined || id === undefined ? { scope: 'account' } : { scope, id }
}
