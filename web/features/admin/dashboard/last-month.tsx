import { queryOptions, useQuery } from '@tanstack/react-query'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import { answerOf, tables } from '#web/api/client.ts'
import type { ActivityDay } from '#web/api/database-admin.ts'
import { FigureTable } from '#web/ui/charts/figure-table.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { CardsSkeleton } from '../rows-skeleton.tsx'

const activityQuery = queryOptions({
  queryKey: ['admin', 'activity'],
  queryFn: ({ signal }): Promise<ActivityDay[]> =>
    answerOf(tables.rpc('admin_activity', {}), signal),
})

const series = [
  { key: 'sign_ups', name: 'Sign-ups' },
  { key: 'links', name: 'New links' },
  { key: 'clicks', name: 'Clicks' },
] as const

/** The last 30 days: a line of bars for each figure, and the same figures as a table for screen readers. */
export function LastMonth() {
  const query = useQuery(activityQuery)
  return (
    <section aria-labelledby="activity" className="mb-8">
      <h2 id="activity" className="mb-2 text-sm font-medium text-ink-soft">
        Last 30 days
      </h2>
      <QueryPanel
        query={query}
        loading="Loading the last 30 days"
        skeleton={<CardsSkeleton cards={3} className={`${grid} *:min-h-20! sm:*:min-h-34!`} />}
        failed={adminNotices.activityFailed}
      >
        {(days) => (
          <>
            <div aria-hidden className={grid}>
              {series.map(({ key, name }) => (
                <Figure key={key} name={name} counts={days.map((day) => day[key])} />
              ))}
            </div>
            <div className="sr-only">
              <FigureTable
                caption="Sign-ups, new links and clicks by day"
                head={['Day (UTC)', ...series.map(({ name }) => name)]}
                rows={days.map((row) => ({
                  key: row.day,
                  name: dayWords.format(new Date(row.day)),
                  cells: series.map(({ key }) => String(row[key])),
                }))}
              />
            </div>
          </>
        )}
      </QueryPanel>
    </section>
  )
}

const grid = 'grid gap-2.5 sm:grid-cols-3 sm:gap-4'

const height = 40
const step = 10

function Figure({ name, counts }: { name: string; counts: readonly number[] }) {
  const most = Math.max(1, ...counts)
  const total = counts.reduce((sum, count) => sum + count, 0)
  return (
    <div className="flex h-20 items-center justify-between gap-4 rounded-2xl border border-line bg-surface px-5 sm:block sm:h-34 sm:py-4">
      <p className="max-sm:w-24 max-sm:shrink-0 sm:flex sm:items-baseline sm:justify-between sm:gap-3">
        <span className="text-sm text-ink-soft max-sm:block">{name}</span>
        <span className="text-xl font-semibold tracking-tight tabular-nums">
          {total.toLocaleString('en-US')}
        </span>
      </p>
      <svg
        viewBox={`0 0 ${counts.length * step} ${height}`}
        preserveAspectRatio="none"
        className="h-12 w-full max-w-52 text-ink-faint sm:mt-3 sm:h-14 sm:max-w-none"
      >
        {counts.map((count, day) => {
          // A day with nothing keeps a line, so that the days can be counted.
          const bar = Math.max(1, (count / most) * height)
          return (
            <rect
              key={day}
              x={day * step + 1}
              y={height - bar}
              width={step - 2}
              height={bar}
              fill="currentColor"
              opacity={count === 0 ? 0.4 : 1}
            />
          )
        })}
      </svg>
    </div>
  )
}

const dayWords = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })
