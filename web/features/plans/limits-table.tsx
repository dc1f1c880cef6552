import { commonLimits, planLimits, planOffers, plans, type Plan } from '#domain/plans.ts'
import { upgradeTexts } from '#domain/texts/plan-texts.ts'

/** Enforced limits of each plan, side by side. */
export function LimitsTable() {
  return (
    <section aria-labelledby="limits" className="mt-12 rail:mt-16">
      <h2 id="limits" className="text-xl font-semibold tracking-tight">
        What each plan allows
      </h2>
      <table className="mt-4 w-full table-fixed text-left text-xs tabular-nums sm:text-sm">
        <thead className="border-b border-edge">
          <tr className="*:py-2.5 *:pr-2 *:align-bottom *:font-medium">
            <th scope="col" className="w-[31%]">
              <span className="sr-only">Limit</span>
            </th>
            {plans.map((plan) => (
              <th key={plan} scope="col">
                {planOffers[plan].name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ what, of }) => (
            <tr key={what} className="border-b border-line *:py-3 *:pr-2 *:align-top">
              <th scope="row" className="font-normal text-ink-soft">
                {what}
              </th>
              {plans.map((plan) => (
                <td key={plan}>{of(plan)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-3 max-w-2xl text-sm text-pretty text-ink-soft">{upgradeTexts.limits}</p>
    </section>
  )
}

const rows: readonly { what: string; of: (plan: Plan) => string }[] = [
  { what: 'Shortened URLs', of: (plan) => counted(plan, planLimits[plan].shortenedUrls) },
  { what: 'Custom codes', of: (plan) => counted(plan, planLimits[plan].customCodes) },
  {
    what: 'QR code downloads',
    of: (plan) => {
      const { qrCodes } = planLimits[plan]
      return qrCodes === 0 ? 'None' : counted(plan, qrCodes)
    },
  },
  {
    what: 'Click and visit counts',
    of: (plan) => (planLimits[plan].canViewClicks ? 'Shown' : 'Not shown'),
  },
  {
    what: 'Made with Hoplet, on your pages',
    of: (plan) => (plan === 'free' ? 'Shown' : 'Not shown'),
  },
  { what: 'Bio page', of: () => `1, with up to ${commonLimits.bioLinks} links` },
  { what: 'Popups', of: () => `Up to ${commonLimits.popups.toLocaleString('en-US')}` },
]

function counted(plan: Plan, count: number): string {
  return `${count} ${planLimits[plan].limitType === 'daily' ? 'a day' : 'in total'}`
}
