import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { popupNameOf } from '#domain/popups/popup-name.ts'
import { routes } from '#domain/routes.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import { ChangeTag } from '#web/clicks/change-tag.tsx'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import { DayLine } from '#web/clicks/day-line.tsx'
import { popupReportQuery } from '#web/clicks/popup-report.ts'
import { HopPrint } from '#web/hop-print.tsx'
import { LinkName } from '#web/link-name.tsx'
import { usePlan } from '#web/plan/plan.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { shortMoment } from '#web/ui/time-words.ts'
import {
  lastDayQuery,
  lastHourQuery,
  quietLinksQuery,
  type Riser,
  risersQuery,
  runningPopupsQuery,
} from './today-queries.ts'

const numbers = new Intl.NumberFormat('en-US')

/** Home of a member, below the form: the last day, the last hour, and one suggestion. */
export function Today({ userId }: { userId: string }) {
  const canViewClicks = usePlan(userId)?.limits.canViewClicks
  if (canViewClicks === undefined) return null
  return (
    <section aria-labelledby="today" className="pt-4">
      <h2 id="today" className="mb-3 text-xl font-semibold tracking-tight">
        Today
      </h2>
      {canViewClicks ? (
        <div className="-mb-4 animate-appear gap-4 *:mb-4 *:break-inside-avoid md:columns-2 lg:columns-3">
          <LastDayCard userId={userId} />
          <SuggestionCard userId={userId} />
          <RisersCard userId={userId} />
          <PopupsCard userId={userId} />
          <LastHourCard userId={userId} />
        </div>
      ) : (
        <p className="flex flex-wrap items-center justify-between gap-3 rounded-2xl border border-line bg-surface px-5 py-4 text-ink-soft">
          Clicks are being counted. See them with Pro.
          <Allowed right="owner">
            <Link to={routes.upgrade.path} className={buttonClass('plain', 'small')}>
              {clicksOffer}
            </Link>
          </Allowed>
        </p>
      )}
    </section>
  )
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="min-w-0 rounded-2xl border border-line bg-surface px-5 py-4"
    >
      <h3 className="text-sm text-ink-soft">{title}</h3>
      {children}
    </section>
  )
}

const quiet = 'mt-2 text-sm text-ink-faint'

function LastDayCard({ userId }: { userId: string }) {
  const { data, isError } = useQuery(lastDayQuery(userId))
  return (
    <Card title="Since yesterday">
      <div className="mt-1 flex min-h-11 items-end justify-between gap-4">
        {data === undefined ? (
          <p className={quiet}>{isError ? 'Not available right now' : ''}</p>
        ) : (
          <>
            <p className="whitespace-nowrap">
              <span className="text-3xl font-semibold tabular-nums">
                {numbers.format(data.now)}
              </span>{' '}
              <span className="text-sm text-ink-soft">{data.now === 1 ? 'click' : 'clicks'}</span>{' '}
              <ChangeTag now={data.now} before={data.before} than="the 24 hours before" />
            </p>
            <div className="w-24 pb-1">
              <DayLine days={data.hours} label="Clicks of the last 24 hours, by hour" />
            </div>
          </>
        )}
      </div>
      <Link
        to={routes.analytics.path}
        className="mt-2 inline-block text-sm underline underline-offset-4"
      >
        Open analytics
      </Link>
    </Card>
  )
}

function RisersCard({ userId }: { userId: string }) {
  const { data, isError } = useQuery(risersQuery(userId))
  return (
    <Card title="Rising this week">
      {data === undefined || data.length === 0 ? (
        <p className={quiet}>
          {isError
            ? 'Not available right now'
            : data === undefined
              ? ''
              : 'Nothing rises this week'}
        </p>
      ) : (
        <ul className="mt-1.5 grid gap-1">
          {data.map((riser) => (
            <RiserRow key={riser.id} riser={riser} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function RiserRow({ riser: { label, title, kind, now, before } }: { riser: Riser }) {
  return (
    <li className="flex min-w-0 items-center gap-2.5 text-sm">
      {kind === 'link' ? (
        <Link
          to={routes.link.path}
          params={{ code: label }}
          className="min-w-0 grow underline-offset-4 hover:underline"
        >
          <LinkName code={label} title={title} />
        </Link>
      ) : (
        <span className="flex min-w-0 grow items-center gap-2.5">
          <HopPrint code={label} width={32} height={28} className="shrink-0" />
          <bdi className="min-w-0 truncate">{label}</bdi>
        </span>
      )}
      <span className="font-medium tabular-nums">{numbers.format(now)}</span>
      <ChangeTag now={now} before={before} than="the 7 days before" />
    </li>
  )
}

function LastHourCard({ userId }: { userId: string }) {
  const { data, isError } = useQuery(lastHourQuery(userId))
  return (
    <Card title="Last hour">
      {data === undefined || data.length === 0 ? (
        <p className={quiet}>
          {isError ? 'Not available right now' : data === undefined ? '' : 'No clicks in this hour'}
        </p>
      ) : (
        <ol className="mt-2 grid gap-1.5 text-sm">
          {data.map(({ cursor, at, label, kind, country, source }, index) => (
            <li key={cursor} className="flex min-w-0 items-baseline gap-2.5">
              <span
                aria-hidden
                className={`size-1.5 shrink-0 self-center rounded-full ${index === 0 ? 'bg-accent' : 'bg-line'}`}
              />
              <bdi className={`min-w-0 truncate ${kind === 'link' ? 'font-mono' : ''}`}>
                {kind === 'link' ? `/${label ?? ''}` : (label ?? 'deleted')}
              </bdi>
              <span className="grow truncate text-xs text-ink-faint">
                {[country, source].filter((part) => part !== '').join(', ')}
              </span>
              <time dateTime={at} className="text-xs whitespace-nowrap text-ink-faint tabular-nums">
                {shortMoment(at)}
              </time>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

function PopupsCard({ userId }: { userId: string }) {
  const popups = useQuery(runningPopupsQuery(userId)).data ?? []
  if (popups.length === 0) return null
  return (
    <Card title="Running popups, 7 days">
      <ul className="mt-2 grid gap-2 text-sm">
        {popups.map((popup) => (
          <PopupRow key={popup.id} userId={userId} id={popup.id} name={popupNameOf(popup)} />
        ))}
      </ul>
    </Card>
  )
}

function PopupRow({ userId, id, name }: { userId: string; id: string; name: string }) {
  const { data } = useQuery(popupReportQuery(userId, id, 7))
  const { shown = 0, clicked = 0, emailed = 0 } = data?.actions ?? {}
  return (
    <li className="min-w-0">
      <bdi className="block truncate font-medium">{name}</bdi>
      <span className="block min-h-5 text-xs text-ink-soft tabular-nums">
        {data === undefined
          ? ''
          : `${numbers.format(shown)} shown · ${numbers.format(clicked)} clicked · ${numbers.format(emailed)} emails`}
      </span>
    </li>
  )
}

function SuggestionCard({ userId }: { userId: string }) {
  const quietLinks = useQuery(quietLinksQuery(userId)).data
  if (quietLinks === undefined || quietLinks.count === 0) return null
  const { count, of, hasMore } = quietLinks
  return (
    <Card title="Suggestion">
      <p className="mt-1.5 text-sm text-pretty">
        {hasMore
          ? `Of ${of} links from before this week, ${count} have no click.`
          : count === 1
            ? '1 link of more than a week has no click.'
            : `${count} links of more than a week have no click.`}
      </p>
      <Link
        to={routes.dashboard.path}
        search={{ unclicked: true }}
        className="mt-2 inline-block text-sm underline underline-offset-4"
      >
        Look at them
      </Link>
    </Card>
  )
}
