import { Check } from 'lucide-react'
import { planOffers, plans, type Plan } from '#domain/plans.ts'
import { upgradeTexts } from '#domain/texts/plan-texts.ts'
import { planGroups, type PlanGroup } from './plan-rows.ts'

interface LimitsTableProps {
  /** Its column is marked; undefined for signed-out people. */
  current: Plan | undefined
}

/** Functions and enforced limits of each plan, side by side. */
export function LimitsTable({ current }: LimitsTableProps) {
  return (
    <section aria-labelledby="limits" className="mt-10 rail:mt-12">
      <h2 id="limits" className="text-xl font-semibold tracking-tight">
        What each plan allows
      </h2>
      <div className="mt-4 overflow-clip rounded-2xl border border-line bg-surface">
        <table className="w-full table-fixed text-left text-xs tabular-nums sm:text-sm">
          <thead>
            <tr className="*:px-1.5 *:py-3 *:align-bottom *:font-semibold sm:*:px-4">
              <th scope="col" className="w-[34%] sm:w-[40%]">
                <span className="sr-only">Function</span>
              </th>
              {plans.map((plan) => (
                <th key={plan} scope="col" className={columnClass(plan === current)}>
                  {planOffers[plan].name}
                  {plan === current ? (
                    <span className="block text-xs font-normal text-ink-soft">Your plan</span>
                  ) : null}
                </th>
              ))}
            </tr>
          </thead>
          {planGroups.map((group) => (
            <Group key={group.name} group={group} current={current} />
          ))}
        </table>
      </div>
      <p className="mt-3 max-w-2xl text-sm text-pretty text-ink-soft">{upgradeTexts.limits}</p>
    </section>
  )
}

const columnClass = (isCurrent: boolean) => (isCurrent ? 'bg-sunken' : '')

function Group({ group, current }: { group: PlanGroup; current: Plan | undefined }) {
  return (
    <tbody>
      <tr className="border-t border-edge">
        <th
          scope="rowgroup"
          colSpan={plans.length + 1}
          className="px-1.5 pt-4 pb-1.5 font-semibold sm:px-4"
        >
          {group.name}
        </th>
      </tr>
      {group.rows.map(({ name, of }) => (
        <tr key={name} className="border-t border-line *:px-1.5 *:py-2 *:align-top sm:*:px-4">
          <th scope="row" className="font-normal text-pretty text-ink-soft">
            {name}
          </th>
          {plans.map((plan) => (
            <td key={plan} className={columnClass(plan === current)}>
              <Cell value={of(plan)} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

function Cell({ value }: { value: string | boolean }) {
  if (typeof value === 'string') return value
  if (!value)
    return (
      <span className="text-ink-faint">
        <span aria-hidden>–</span>
        <span className="sr-only">Not included</span>
      </span>
    )
  return (
    <>
      <Check size={17} aria-hidden className="mt-px" />
      <span className="sr-only">Included</span>
    </>
  )
}
