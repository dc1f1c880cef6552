import { useQuery, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { missedCodeTexts } from '#domain/texts/link-texts.ts'
import { routes } from '#domain/routes.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import { DayLine } from '#web/clicks/day-line.tsx'
import { shownCode, shownName } from '#web/shown-link.ts'
import { usePlan } from '#web/plan/plan.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { pillClass } from '#web/ui/pill.ts'
import { QueryList } from '#web/ui/query-list.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { answerOf, tables } from '#web/api/client.ts'
import type { MissedCodeDay } from '#web/api/database.ts'

const numbers = new Intl.NumberFormat()
/** Days are those of UTC. */
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** The list of missing codes, where the plan shows clicks. */
export function MissedCodesOfPlan({ userId }: { userId: string }) {
  const plan = usePlan(userId)
  if (plan === undefined) return <MissedSkeleton />
  if (plan.limits.canViewClicks) return <MissedCodes userId={userId} />
  return (
    <StatePanel
      title={missedCodeTexts.locked}
      action={
        <Allowed right="owner">
          <Link to={routes.upgrade.path} className={buttonClass('ink')}>
            {clicksOffer}
          </Link>
        </Allowed>
      }
    />
  )
}

/** Visits to codes that have no link, by code, each with a way to make the link. */
export function MissedCodes({ userId }: { userId: string }) {
  const [range, setRange] = useState<MissedRange>(30)
  const query = useQuery(missedCodesQuery(userId, range))
  return (
    <>
      <fieldset className="mb-4 flex gap-1.5">
        <legend className="sr-only">Time</legend>
        {missedRanges.map((days) => (
          <button
            key={days}
            type="button"
            aria-pressed={days === range}
            onClick={() => setRange(days)}
            className={pillClass}
          >
            {days} days
          </button>
        ))}
      </fieldset>
      <QueryList
        query={query}
        rows={query.data}
        loading="Loading the visits"
        skeleton={<MissedSkeleton />}
        failed={missedCodeTexts.failed}
        empty={<StatePanel title={missedCodeTexts.none}>{missedCodeTexts.noneInRange}</StatePanel>}
      >
        {(codes) => (
          <ul aria-label="Missing codes" className="border-t border-line">
            {codes.map((missed) => (
              <MissedRow key={missed.code} missed={missed} range={range} />
            ))}
          </ul>
        )}
      </QueryList>
    </>
  )
}

function MissedRow({ missed, range }: { missed: MissedCode; range: MissedRange }) {
  const { code, visits, days, lastDay, isFree } = missed
  const navigate = useNavigate()
  return (
    <li className="flex min-h-16 items-center gap-x-4 gap-y-1 border-b sm:gap-x-6 border-line py-2.5 max-sm:flex-wrap">
      <span className="min-w-0 grow font-mono wrap-anywhere max-sm:basis-full">
        {shownCode(code)}
      </span>
      <DayLine
        days={days}
        label={`Visits by day, the last ${range} days`}
        className="max-rail:hidden"
      />
      <span className="text-sm whitespace-nowrap text-ink-soft tabular-nums sm:w-24 sm:text-right">
        {numbers.format(visits)} {visits === 1 ? 'visit' : 'visits'}
      </span>
      <span className="text-sm whitespace-nowrap text-ink-faint sm:w-28">
        <span className="sr-only">Last visit </span>
        {dayFormat.format(new Date(lastDay))}
      </span>
      <span className="max-sm:ml-auto sm:w-32 sm:text-right">
        {isFree ? (
          <Allowed right="links:write">
            <Button
              size="small"
              aria-label={`Make this link: ${shownName(code)}`}
              onClick={() =>
                void navigate({
                  to: '.',
                  search: true,
                  state: { newLinkCode: code },
                  resetScroll: false,
                })
              }
            >
              Make this link
            </Button>
          </Allowed>
        ) : (
          <span className="text-sm text-ink-faint">Not available</span>
        )}
      </span>
    </li>
  )
}

function MissedSkeleton() {
  return (
    <div aria-hidden className="animate-pulse border-t border-line">
      {[0, 1, 2, 3].map((row) => (
        <div key={row} className="flex h-16 items-center justify-between border-b border-line">
          <span className="h-4 w-40 rounded-md bg-sunken" />
          <span className="h-9 w-28 rounded-xl bg-sunken" />
        </div>
      ))}
    </div>
  )
}

/** Days up to today, in UTC. */
const missedRanges = [7, 30, 90] as const
type MissedRange = (typeof missedRanges)[number]

const maxCodes = 100
const dayMs = 86_400_000

/** A code without a link, with its visits. */
interface MissedCode {
  code: string
  visits: number
  /** Visits of each day of the range, the oldest first. */
  days: number[]
  /** Date of the last visit, for example `2026-11-25`. */
  lastDay: string
  /** Whether the person can make a link with it. */
  isFree: boolean
}

/** The codes with most visits that have no link and no page: a person's former ones, for admins all. */
function missedCodesQuery(userId: string, range: MissedRange) {
  return queryOptions({
    queryKey: ['missed-codes', userId, range],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<MissedCode[]> => {
      const today = Date.now()
      const days = Array.from({ length: range }, (_, day) =>
        new Date(today - (range - 1 - day) * dayMs).toISOString().slice(0, 10),
      )
      const request = tables.rpc('missed_codes', {
        _from: days[0] ?? '',
        _to: days.at(-1) ?? '',
        _limit: maxCodes,
      })
      return codesOf(await answerOf(request, signal), days)
    },
  })
}

function codesOf(rows: readonly MissedCodeDay[], days: readonly string[]): MissedCode[] {
  const codes = new Map<string, MissedCode>()
  for (const { code, day, visits, is_free: isFree } of rows) {
    const known = codes.get(code) ?? {
      code,
      visits: 0,
      days: days.map(() => 0),
      lastDay: day,
      isFree,
    }
    known.visits += visits
    known.days[days.indexOf(day)] = visits
    if (day > known.lastDay) known.lastDay = day
    codes.set(code, known)
  }
  return [...codes.values()]
}
