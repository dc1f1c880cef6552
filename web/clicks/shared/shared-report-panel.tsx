import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import * as z from 'zod/mini'
import { routes } from '#domain/routes.ts'
import { sharedReportTexts } from '#domain/texts/link-texts.ts'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { usePlan } from '#web/plan/plan.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { reportWordFields, ReportWordsFields, wordOf } from './report-words-fields.tsx'
import { SharedReportForm } from './shared-report-form.tsx'
import {
  createSharedReport,
  type ReportSubject,
  sharedReportQuery,
  sharedReportRefusal,
} from './shared-report-queries.ts'

interface SharedReportPanelProps {
  userId: string
  subject: ReportSubject
  onClose: () => void
}

/** The report of a link or tag, as far as the plan lets it be shared. */
export function SharedReportPanel({ userId, subject, onClose }: SharedReportPanelProps) {
  const plan = usePlan(userId)
  if (plan === undefined) return null
  return plan.limits.canViewClicks ? (
    <SharedReport {...{ subject, onClose }} />
  ) : (
    <Link to={routes.upgrade.path} className={buttonClass('accent')}>
      {clicksOffer}
    </Link>
  )
}

function SharedReport({ subject, onClose }: Omit<SharedReportPanelProps, 'userId'>) {
  const query = useQuery(sharedReportQuery(subject))
  return (
    <QueryPanel query={query} loading="Loading the report" failed={sharedReportTexts.failed}>
      {(report) =>
        report === null ? (
          <NewReportForm {...{ subject, onClose }} />
        ) : (
          <SharedReportForm key={report.id} {...{ subject, report, onClose }} />
        )
      }
    </QueryPanel>
  )
}

const newReportForm = z.object(reportWordFields)

/** The words of a new report; its address comes with it. */
function NewReportForm({ subject, onClose }: Omit<SharedReportPanelProps, 'userId'>) {
  const client = useQueryClient()
  const first = useRef<HTMLInputElement>(null)
  const form = useFormFields({
    schema: newReportForm,
    initial: { title: '', shownName: '' },
    submit: async ({ title, shownName }) => {
      const refusal = await createSharedReport(subject, {
        title: wordOf(title),
        shown_name: wordOf(shownName),
      }).then(() => undefined, sharedReportRefusal)
      await client.invalidateQueries({ queryKey: sharedReportQuery(subject).queryKey })
      return refusal && { notice: refusal }
    },
  })
  // The dialog opens before its script and the report are there.
  useEffect(() => first.current?.focus(), [])
  return (
    <form {...form.props} className="grid gap-5">
      <ReportWordsFields ref={first} subject={subject} text={form.text} />
      <FormActions
        action="Share report"
        busyAction="Sharing..."
        busy={form.busy}
        onCancel={onClose}
      />
    </form>
  )
}
