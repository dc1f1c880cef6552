import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import { Button } from '#web/ui/button.tsx'
import { AdminPage } from '../admin-page.tsx'
import { factWords } from './status-cards.ts'
import { CardsSkeleton } from '../rows-skeleton.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { summaryOf, systemStatusQuery, type StatusPart } from './system-status.ts'
import { VerdictTag } from './verdict-tag.tsx'

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

export function SystemScreen() {
  const query = useQuery({ ...systemStatusQuery, staleTime: 0 })
  return (
    <AdminPage
      title="System Status"
      intro="Each visit to this page checks every part."
      actions={
        <Button
          busy={query.isFetching}
          onClick={() => void query.refetch()}
          // As wide for either word, or the title would move.
          className="min-w-36"
        >
          <RefreshCw size={17} aria-hidden className={query.isFetching ? 'animate-spin' : ''} />
          {query.isFetching ? 'Checking...' : 'Refresh'}
        </Button>
      }
    >
      <QueryPanel
        query={query}
        loading="Checking the system"
        skeleton={<CardsSkeleton cards={8} className="mt-12 grid gap-4 sm:grid-cols-2" />}
        failed={adminNotices.statusFailed}
      >
        {(status) => (
          <>
            <output className="mb-5 flex flex-wrap items-center gap-3">
              <VerdictTag verdict={summaryOf(status).verdict} />
              <span className="font-medium">{summaryOf(status).text}</span>
              <span className="text-sm text-ink-soft tabular-nums">
                Last checked at {clock.format(new Date(status.checkedAt))}
              </span>
            </output>
            <ul className="gap-4 sm:columns-2">
              {status.parts.map((part) => (
                <li key={part.key} className="break-inside-avoid pb-4">
                  <PartCard part={part} />
                </li>
              ))}
            </ul>
          </>
        )}
      </QueryPanel>
    </AdminPage>
  )
}

function PartCard({ part }: { part: StatusPart }) {
  const { key, name, verdict, problem, facts } = part
  return (
    <section
      aria-labelledby={`part-${key}`}
      className="rounded-2xl border border-line bg-surface p-5"
    >
      <div className="flex items-center justify-between gap-3">
        <h2 id={`part-${key}`} className="font-semibold">
          {name}
        </h2>
        <VerdictTag verdict={verdict} />
      </div>
      {problem === null ? null : <p className="mt-2 font-medium wrap-anywhere">{problem}</p>}
      <dl className="mt-4 grid gap-1.5 text-sm">
        {Object.entries(facts).map(([fact, value]) => {
          const words = factWords(key, fact, value)
          return (
            <div key={fact} className="flex justify-between gap-4">
              <dt className="text-ink-soft">{words.name}</dt>
              <dd className="text-right tabular-nums wrap-anywhere">{words.text}</dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}
