import { useQuery, queryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { routes } from '#domain/routes.ts'
import type { LinkRule, LinkRules } from '#domain/visits/rules.ts'
import { variantLetter } from '#domain/visits/rules-reader.ts'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import { usePlan } from '#web/plan/plan.ts'
import { Button } from '#web/ui/button.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { ScrollTable } from '#web/ui/charts/figure-table.tsx'
import type { SplitResult } from '#domain/reports/report-answers.ts'
import { tables } from '#web/api/client.ts'
import { ruleWords } from './rule-words.ts'

interface SplitResultsProps {
  linkId: string
  rules: LinkRules
  userId: string
}

/** Results of the splits of a link, loaded on request; nothing for rules without a split. */
export function SplitResults({ linkId, rules, userId }: SplitResultsProps) {
  const [isOpen, setOpen] = useState(false)
  const plan = usePlan(userId)
  const id = useId()
  if (plan === undefined || !rules.some(({ split }) => split !== undefined)) return null
  return (
    <div className="mt-4 border-t border-line pt-3">
      <Button
        look="quiet"
        className="-ml-3 px-3!"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        A/B results
      </Button>
      <div id={id} hidden={!isOpen} className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-5">
        {!isOpen ? null : plan.limits.canViewClicks ? (
          <Results linkId={linkId} rules={rules} />
        ) : (
          <p className="text-sm text-ink-soft">
            Counting since day one.{' '}
            <Link to={routes.upgrade.path} className="font-medium underline underline-offset-4">
              {clicksOffer}
            </Link>
          </p>
        )}
      </div>
    </div>
  )
}

function Results({ linkId, rules }: Omit<SplitResultsProps, 'userId'>) {
  const { data, isError, refetch } = useQuery(splitResultsQuery(linkId, rules))
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
    return rule && <Split key={rule.id} {...{ rule, result }} />
  })
}

const numbers = new Intl.NumberFormat()
const rowHeight = 38

function Split({ rule, result: { variants, words } }: { rule: LinkRule; result: SplitResult }) {
  const { when } = ruleWords(rule)
  const hasPopup = variants.some(({ converted }) => converted !== null)
  const isEmpty = variants.every(({ clicks }) => clicks === 0)
  return (
    <section aria-label={`Results: ${when}`} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h3 className="text-sm font-medium wrap-anywhere">{when}</h3>
      {isEmpty ? (
        <p className="text-sm text-ink-faint">No clicks in the last {splitResultDays} days.</p>
      ) : (
        <>
          <p className="text-sm text-ink-soft">{words}.</p>
          <ScrollTable
            caption={`Last ${splitResultDays} days: ${when}`}
            height={rowHeight * (variants.length + 1)}
            head={['Variant', 'Visitors', 'Clicks', ...(hasPopup ? ['Conversions'] : [])]}
            rows={variants.map(({ variant_id, visitors, clicks, converted }, index) => ({
              key: variant_id,
              name: `${variantLetter(index)}, ${weightOf(rule, variant_id)} %`,
              cells: [
                numbers.format(visitors),
                numbers.format(clicks),
                ...(hasPopup ? [numbers.format(converted ?? 0)] : []),
              ],
            }))}
          />
          <p className="text-xs text-ink-faint">Last {splitResultDays} days.</p>
        </>
      )}
    </section>
  )
}

const weightOf = ({ split = [] }: LinkRule, variantId: string) =>
  split.find(({ id }) => id === variantId)?.weight ?? 0

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
