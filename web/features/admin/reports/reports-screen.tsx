import { useInfiniteQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import { tables } from '#web/api/client.ts'
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { AdminPage } from '../admin-page.tsx'
import { CardsSkeleton } from '../rows-skeleton.tsx'
import { QueryList } from '#web/ui/query-list.tsx'
import { ReportEntry, type ReportDecision } from './report-entry.tsx'
import { reportsQuery } from './reports-query.ts'
import { useAdminMutation } from '../use-admin-mutation.ts'

const filters = [
  { value: 'open', label: 'Open' },
  { value: 'upheld', label: 'Upheld' },
  { value: 'dismissed', label: 'Dismissed' },
  { value: 'all', label: 'All' },
] as const

export function ReportsScreen() {
  const [filter, setFilter] = useState<(typeof filters)[number]['value']>('open')
  const query = useInfiniteQuery(reportsQuery(filter === 'all' ? null : filter))
  const [deciding, setDeciding] = useState<ReportDecision>()
  const list = useRef<HTMLDivElement>(null)
  const decide = useAdminMutation({
    run: async ({ report, uphold }: ReportDecision) => {
      await tables.rpc('admin_decide_report', { _id: report.id, _uphold: uphold }).throwOnError()
    },
    done: (_, { uphold }) => (uphold ? adminNotices.reportUpheld : adminNotices.reportDismissed),
    failed: adminNotices.reportFailed,
  })

  return (
    <AdminPage
      title="Reports"
      intro="Reports of visitors about links and pages. Upholding a report blocks the link or page."
      actions={
        <div className="w-full sm:w-44">
          <SelectField
            label="Show"
            name="state"
            options={filters}
            value={filter}
            onChange={setFilter}
          />
        </div>
      }
    >
      <div ref={list} tabIndex={-1} data-quiet-focus>
        <QueryList
          query={query}
          rows={query.data?.pages.flat()}
          loading="Loading reports"
          skeleton={<CardsSkeleton cards={3} className="grid gap-4 *:min-h-72" />}
          failed={adminNotices.reportsFailed}
          empty={
            <StatePanel
              title={filter === 'open' ? 'No open reports' : 'No reports here'}
              figure={<Mark size={44} />}
            />
          }
          more={{ label: 'Load More' }}
        >
          {(reports) => (
            <ul className="grid gap-4">
              {reports.map((report) => (
                <li key={report.id} className="min-w-0">
                  <ReportEntry report={report} onDecide={setDeciding} />
                </li>
              ))}
            </ul>
          )}
        </QueryList>
      </div>
      <ConfirmDialog
        subject={deciding}
        title={deciding?.uphold === false ? 'Dismiss this report?' : 'Uphold this report?'}
        describe={({ report, uphold }) => (
          <>
            <span className="font-mono text-ink wrap-anywhere">{report.name}</span>{' '}
            {uphold ? 'will be blocked and answer with 410 Gone.' : 'will stay reachable.'} A
            decided report cannot be decided again.
          </>
        )}
        action={deciding?.uphold === false ? 'Dismiss' : 'Uphold and Block'}
        busyAction="Deciding..."
        busy={decide.isPending}
        onClose={() => setDeciding(undefined)}
        onConfirm={(decision) =>
          decide.mutate(decision, {
            onSuccess: () => {
              setDeciding((now) => (now === decision ? undefined : now))
              // The button that opened the dialog has left with its card; the focus goes to the rest.
              requestAnimationFrame(() => list.current?.focus({ preventScroll: true }))
            },
          })
        }
      />
    </AdminPage>
  )
}
