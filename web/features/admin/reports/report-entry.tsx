import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { reportReasons } from '#domain/forms/report-form.ts'
import { routes } from '#domain/routes.ts'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import type { ReportRow } from '#web/api/database-admin.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Tag } from '../tag.tsx'
import { momentOf } from '#web/ui/time-words.ts'

export interface ReportDecision {
  report: ReportRow
  uphold: boolean
}

interface ReportEntryProps {
  report: ReportRow
  onDecide: (decision: ReportDecision) => void
}

const targets = { link: 'Short link', bio: 'Bio page', unknown: 'Nothing there' } as const

export function ReportEntry({ report, onDecide }: ReportEntryProps) {
  const { id, name, state, blocked } = report
  return (
    <article
      aria-labelledby={`report-${id}`}
      className="rounded-2xl border border-line bg-surface p-5 sm:p-6"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2
          id={`report-${id}`}
          className="mr-auto min-w-0 font-mono text-base font-medium wrap-anywhere"
        >
          {name}
        </h2>
        <Tag tone={state === 'open' ? 'accent' : 'plain'}>{state}</Tag>
        {blocked === null ? null : <Tag tone="danger">blocked</Tag>}
      </div>
      <dl className="mt-4 grid gap-2 text-sm">
        <Fact name="Reason">{reasonWords(report.reason)}</Fact>
        {report.details === '' ? null : <Fact name="Details">{report.details}</Fact>}
        <Fact name="Target">{targets[report.target_kind]}</Fact>
        {report.destination === null ? null : <Fact name="Led to">{report.destination}</Fact>}
        {report.owner_email === null ? null : <Fact name="Owner">{report.owner_email}</Fact>}
        <Fact name="Reported">
          {momentOf(report.created_at)}
          {report.reporter_email === null ? '' : ` by ${report.reporter_email}`}
        </Fact>
        {report.decided_at === null ? null : (
          <Fact name="Decided">
            {momentOf(report.decided_at)}
            {report.decided_by_email === null ? '' : ` by ${report.decided_by_email}`}
          </Fact>
        )}
      </dl>
      <div className="mt-5 flex flex-wrap gap-2.5">
        {state === 'open' ? (
          <>
            <Button
              size="small"
              look="danger"
              aria-label={`Uphold and Block ${name}`}
              onClick={() => onDecide({ report, uphold: true })}
            >
              Uphold and Block
            </Button>
            <Button
              size="small"
              aria-label={`Dismiss the report of ${name}`}
              onClick={() => onDecide({ report, uphold: false })}
            >
              Dismiss
            </Button>
          </>
        ) : null}
        <Link
          to={routes.adminLinks.path}
          search={{ by: 'code', value: name }}
          aria-label={`Look up ${name}`}
          className={buttonClass('quiet', 'small')}
        >
          Look Up
        </Link>
      </div>
    </article>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-[7rem_minmax(0,1fr)]">
      <dt className="text-ink-soft">{name}</dt>
      <dd className="whitespace-pre-wrap wrap-anywhere">{children}</dd>
    </div>
  )
}

function reasonWords(value: string): string {
  const reason = reportReasons.find((known) => known === value)
  return reason === undefined ? value : visitorTexts(defaultLanguage).reportReasons[reason]()
}
