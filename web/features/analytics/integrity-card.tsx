import { useQuery } from '@tanstack/react-query'
import { maxNewSources, reportVerdicts } from '#domain/reports/hits.ts'
import type { ClickIntegrity } from '#web/clicks/report.ts'
import { ReportCard } from './card.tsx'
import { dayWords, momentWords } from './period/period-words.ts'
import { integrityQuery } from './report-queries.ts'
import { numbers, verdictWords } from './report-words.ts'
import type { OpenReport } from './use-report.ts'

/** That nothing is lost, as a sum that can be checked. Of all time, without the filters of the report. */
export function IntegrityCard({ report }: { report: OpenReport }) {
  const { userId, about, zone } = report
  const query = useQuery(integrityQuery(userId, about))
  return (
    <ReportCard
      title="Every visit"
      query={query}
      failed="The sum could not be loaded."
      loading="Loading the sum"
      skeleton={<div className="mt-2 h-72 animate-pulse rounded-xl bg-sunken" />}
    >
      {(integrity) => <IntegritySum {...{ integrity, zone }} />}
    </ReportCard>
  )
}

interface IntegritySumProps {
  integrity: ClickIntegrity
  zone: string
}

function IntegritySum({ integrity, zone }: IntegritySumProps) {
  const { received, counted, filtered, waiting, by_verdict: reasons, kept_since: since } = integrity
  const found = facts(integrity, zone)
  const addsUp = received === counted + filtered + waiting
  return (
    <>
      <p className="mt-1 text-xs text-ink-faint">
        {since === null ? 'All visits' : `Data since ${dayWords(since)}`}
      </p>
      <p className="sr-only">
        {`${received} received = ${counted} clicks + ${filtered} filtered + ${waiting} waiting`}
      </p>
      <dl aria-hidden className="mt-3 rounded-xl border border-line bg-paper px-3.5 py-2 text-sm">
        <Line sign="" name="Received" count={received} isStrong />
        <Line sign="=" name="Clicks" count={counted} />
        <Line sign="+" name="Filtered" count={filtered} />
        <Line sign="+" name="Processing" count={waiting} />
      </dl>
      {addsUp ? null : (
        <p role="alert" className="mt-2 text-sm text-danger">
          This does not add up: {numbers.format(Math.abs(received - counted - filtered - waiting))}{' '}
          hits are unaccounted for.
        </p>
      )}
      <h3 className="mt-4 text-xs font-medium text-ink-faint">By reason</h3>
      <dl className="mt-1 text-sm">
        {reportVerdicts
          .filter((verdict) => (reasons[verdict] ?? 0) > 0)
          .map((verdict) => (
            <Line key={verdict} name={verdictWords[verdict].name} count={reasons[verdict] ?? 0} />
          ))}
      </dl>
      {found.length === 0 ? null : (
        <ul className="mt-4 grid gap-1.5 border-t border-line pt-3 text-xs text-ink-soft">
          {found.map((fact, index) => (
            <li key={index}>{fact}</li>
          ))}
        </ul>
      )}
    </>
  )
}

interface LineProps {
  sign?: string
  name: string
  count: number
  isStrong?: boolean
}

function Line({ sign, name, count, isStrong = false }: LineProps) {
  return (
    <div
      className={`flex items-baseline justify-between gap-4 py-0.5 ${isStrong ? 'font-semibold' : ''}`}
    >
      <dt className="min-w-0">
        {sign === undefined ? null : (
          <span aria-hidden className="inline-block w-4 font-mono text-ink-faint">
            {sign}
          </span>
        )}
        {name}
      </dt>
      <dd className="font-mono tabular-nums">{numbers.format(count)}</dd>
    </div>
  )
}

/** Times in which the server could not tell everything about a visit. */
function facts({ incidents }: ClickIntegrity, zone: string): string[] {
  return incidents.map(({ at, kind, seconds }) =>
    kind === 'sources'
      ? `${momentWords(at, zone)}: ${numbers.format(maxNewSources)} new sources arrived in a day. Further new ones of that day are in the reports without their names.`
      : `${momentWords(at, zone)}: the clock of the server went ${seconds < 0 ? 'back' : 'forward'} by ${duration(Math.abs(seconds))}. Hits of that time are kept in the order of their arrival.`,
  )
}

function duration(seconds: number): string {
  const [amount, unit] =
    seconds >= 3600
      ? [seconds / 3600, 'hour']
      : seconds >= 60
        ? [seconds / 60, 'minute']
        : [seconds, 'second']
  const rounded = Number(amount.toFixed(1))
  return `${numbers.format(rounded)} ${unit}${rounded === 1 ? '' : 's'}`
}
