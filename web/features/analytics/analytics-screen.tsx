import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { ChartColumn } from 'lucide-react'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import type { ReportScope } from '#web/clicks/report.ts'
import { ShareReportDialog } from '#web/clicks/shared/share-report-dialog.tsx'
import { ReportSkeleton } from '#web/clicks/report-skeleton.tsx'
import { useSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { ReportPanel } from './report-panel.tsx'
import { type AnalyticsView, readReportView } from './report-view.ts'
import { ScopePicker } from './scope-picker.tsx'
import { scopeNameQuery } from './scope-queries.ts'

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
    const { range, from, to, repeats, own, bots, imported } = shown
    const view = readReportView({ range, from, to, repeats, own, bots, imported })
    void navigate({
      to: routes.analytics.path,
      search: 'id' in picked ? { ...picked, ...view } : view,
      resetScroll: false,
    })
  }

  return (
    <Screen
      title="Analytics"
      actions={
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <Allowed right="owner">
            <ShareTag userId={userId} about={about} />
          </Allowed>
          <ScopePicker userId={userId} about={about} onPick={pick} />
        </div>
      }
    >
      <ReportPanel key={userId} userId={userId} about={about} />
    </Screen>
  )
}

/** Shares the report of a tag; that of a link is shared on its page. */
function ShareTag({ userId, about }: { userId: string; about: ReportScope }) {
  const [isOpen, setOpen] = useState(false)
  const { data: name } = useQuery(scopeNameQuery(userId, about))
  if (about.scope !== 'tag' || !name) return null
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        <ChartColumn size={16} aria-hidden />
        Share report
      </Button>
      <ShareReportDialog
        userId={userId}
        subject={isOpen ? { kind: 'tag', id: about.id, name } : undefined}
        onClose={() => setOpen(false)}
      />
    </>
  )
}

function aboutOf({ scope, id }: AnalyticsView): ReportScope {
  return scope === undefined || id === undefined ? { scope: 'account' } : { scope, id }
}
