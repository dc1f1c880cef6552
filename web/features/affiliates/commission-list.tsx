import { useInfiniteQuery } from '@tanstack/react-query'
import { affiliateNotices } from '#domain/texts/plan-texts.ts'
import type { CommissionLine } from '#web/api/database.ts'
import { QueryList } from '#web/ui/query-list.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { commissionsQuery } from './affiliate-query.ts'
import { change, date, shareOf, statusOf, whoOf } from './wording.ts'

/** The ten latest commissions, each with the reason why it exists; older ones on demand. */
export function CommissionList({ userId }: { userId: string }) {
  const query = useInfiniteQuery(commissionsQuery(userId))

  return (
    <section aria-labelledby="commissions">
      <h2 id="commissions" className="mb-4 text-xl font-semibold tracking-tight">
        Latest commissions
      </h2>
      <QueryList
        query={query}
        rows={query.data?.pages.flat()}
        loading="Loading your commissions"
        skeleton={<LinesSkeleton />}
        failed={affiliateNotices.loadFailed}
        empty={
          <StatePanel title="No commissions yet">
            When a person you brought pays for a plan, your share appears here with the reason for
            it.
          </StatePanel>
        }
        more={{ label: 'Show Older', size: 'small', className: 'mt-5' }}
      >
        {(lines) => (
          <ul className="border-t border-line">
            {lines.map((line) => (
              <Line key={line.id} line={line} />
            ))}
          </ul>
        )}
      </QueryList>
    </section>
  )
}

function Line({ line }: { line: CommissionLine }) {
  const paid = line.status === 'paid' && line.amount_cents > 0
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 border-b border-line py-4 sm:gap-x-6">
      <p className="font-medium text-pretty">{whoOf(line)}</p>
      <p
        className={`text-right font-mono text-base font-medium tabular-nums ${
          line.status === 'canceled'
            ? 'text-ink-faint line-through'
            : line.amount_cents < 0
              ? 'text-danger'
              : ''
        }`}
      >
        {change(line.amount_cents)}
      </p>
      <p className="text-sm text-ink-soft max-sm:col-span-2">
        {shareOf(line)}{' '}
        <span className="text-ink-faint">
          · {date(line.created_at)} · invoice {line.invoice_ref}
        </span>
      </p>
      <p className="max-sm:col-span-2 sm:text-right">
        <span
          className={`inline-block rounded-full border px-2.5 py-0.5 text-xs font-medium whitespace-nowrap ${
            paid ? 'border-good/40 text-good' : 'border-line text-ink-soft'
          }`}
        >
          {statusOf(line)}
        </span>
      </p>
    </li>
  )
}

/** Lines that are not here yet, as high as they will be. */
function LinesSkeleton() {
  return (
    <div className="border-t border-line">
      {[1, 2, 3].map((row) => (
        <div
          key={row}
          aria-hidden
          className="h-[7.25rem] animate-pulse border-b border-line py-4 sm:h-[5.25rem]"
        >
          <div className="h-4 w-44 rounded-md bg-sunken" />
          <div className="mt-3 h-3 w-64 max-w-full rounded-md bg-sunken" />
        </div>
      ))}
    </div>
  )
}
