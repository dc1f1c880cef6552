import { useQuery, queryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readableUrl } from '#domain/links/readable-url.ts'
import type { SplitResult } from '#domain/reports/report-answers.ts'
import { routes } from '#domain/routes.ts'
import type { LinkRule, LinkRules } from '#domain/visits/rules.ts'
import { variantLetter } from '#domain/visits/rules-reader.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import { tables } from '#web/api/client.ts'
import type { LinkRow } from '#web/api/database.ts'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import { usePlan } from '#web/plan/plan.ts'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { LinkCard } from '../page/link-card.tsx'
import { linkRulesQuery } from './rules-query.ts'
import { ruleWords } from './rule-words.ts'

interface SplitCardProps {
  link: LinkRow
  userId: string
}

/** The results of the splits of a link, as bars; nothing for rules without a split. */
export function SplitCard({ link, userId }: SplitCardProps) {
  const plan = usePlan(userId)
  const { data } = useQuery(linkRulesQuery(link.id))
  if (plan === undefined || data === undefined) return null
  if (!data.rules.some(({ split }) => split !== undefined)) return null
  return (
    <LinkCard title="A/B results">
      <div className="mt-3 grid grid-cols-[minmax(0,1fr)] gap-6">
        {plan.limits.canViewClicks ? (
          <Results link={link} rules={data.rules} />
        ) : (
          <p className="text-sm text-ink-soft">
            Counting since day one.{' '}
            <Allowed right="owner">
              <Link to={routes.upgrade.path} className="font-medium underline underline-offset-4">
                {clicksOffer}
              </Link>
            </Allowed>
          </p>
        )}
      </div>
    </LinkCard>
  )
}

interface ResultsProps {
  link: LinkRow
  rules: LinkRules
}

function Results({ link, rules }: ResultsProps) {
  const { data, isError, refetch } = useQuery(splitResultsQuery(link.id, rules))
  if (isError)
    return (
      <FailedLine retry={() => void refetch()} className="flex-wrap justify-between gap-3">
        The results could not be loaded.
      </FailedLine>
    )
  if (data === undefined)
    return (
      <output
        className="block h-28 animate-pulse rounded-xl bg-sunken"
        aria-label="Loading the results"
      />
    )
  return data.map((result) => {
    const rule = rules.find(({ id }) => id === result.rule_id)
    return rule && <Split key={rule.id} {...{ link, rule, result }} />
  })
}

const numbers = new Intl.NumberFormat()

interface SplitProps {
  link: LinkRow
  rule: LinkRule
  result: SplitResult
}

/** One split: its visitors, a bar for each variant, and the verdict. */
function Split({ link, rule, result: { variants, words } }: SplitProps) {
  const { when } = ruleWords(rule)
  const hasPopup = variants.some(({ converted }) => converted !== null)
  const visits = variants.reduce((sum, { clicks }) => sum + clicks, 0)
  const mostClicks = Math.max(1, ...variants.map(({ clicks }) => clicks))
  return (
    <section aria-label={`Results: ${when}`} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="font-medium wrap-anywhere">{when}</h3>
        <p className="text-sm text-ink-faint">
          {visits === 1 ? '1 click' : `${numbers.format(visits)} clicks`} in the last{' '}
          {splitResultDays} days
          {hasPopup ? ', by conversions' : ''}
        </p>
      </div>
      <ol className="grid gap-2.5">
        {variants.map(({ variant_id: id, visitors, clicks, converted }, index) => {
          const variant = rule.split?.find((other) => other.id === id)
          const share = hasPopup ? (converted ?? 0) / Math.max(1, visitors) : clicks / mostClicks
          return (
            <li
              key={id}
              className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)_minmax(0,1.2fr)_7rem]"
            >
              <span className="inline-grid size-6 place-items-center rounded-md border border-line text-xs font-medium">
                {variantLetter(index)}
              </span>
              <span className="truncate text-sm text-ink-soft">
                {readableUrl(variant?.to ?? link.original_url)}
                <span className="text-ink-faint">, {variant?.weight ?? 0} %</span>
              </span>
              <span
                aria-hidden
                className="h-2.5 overflow-hidden rounded-full bg-sunken max-sm:order-last max-sm:col-span-3"
              >
                <span
                  className="block h-full rounded-full bg-ink/80"
                  style={{ width: `${Math.round(share * 100)}%` }}
                />
              </span>
              <span className="text-right text-sm font-medium tabular-nums">
                {hasPopup
                  ? `${numbers.format(converted ?? 0)} of ${numbers.format(visitors)}`
                  : clicks === 1
                    ? '1 click'
                    : `${numbers.format(clicks)} clicks`}
              </span>
            </li>
          )
        })}
      </ol>
      <p className="text-sm text-ink-soft">
        {visits === 0 ? `No clicks in the last ${splitResultDays} days.` : `${words}.`}
      </p>
    </section>
  )
}

/** The time of the results, until now. */
const splitResultDays = 90

/** Results of the splits that a link has now. */
function splitResultsQuery(linkId: string, rules: LinkRules) {
  return queryOptions({
    queryKey: ['split-results', linkId, rules],
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<readonly SplitResult[]> => {
      const now = Date.now()
      const { data } = await tables
        .rpc('split_report', {
          _link: linkId,
          _from: new Date(now - splitResultDays * 86_400_000).toISOString(),
          // A minute for clocks that differ.
          _to: new Date(now + 60_000).toISOString(),
        })
        .abortSignal(signal)
        .throwOnError()
      return (data as { splits: SplitResult[] }).splits
    },
  })
}
