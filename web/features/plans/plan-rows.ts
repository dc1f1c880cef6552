import { commonLimits, planLimits, type Plan } from '#domain/plans.ts'

/** A function: whether a plan has it, or its figure on that plan. */
export interface PlanRow {
  name: string
  of: (plan: Plan) => string | boolean
}

export interface PlanGroup {
  name: string
  rows: readonly PlanRow[]
}

const always = () => true
const withCounts = (plan: Plan) => planLimits[plan].canViewClicks

/** The comparison of plans. Each figure is an enforced limit; functions that show counts follow `canViewClicks`. */
export const planGroups: readonly PlanGroup[] = [
  {
    name: 'Links',
    rows: [
      { name: 'Shortened URLs', of: (plan) => counted(plan, planLimits[plan].shortenedUrls) },
      { name: 'Custom codes', of: (plan) => counted(plan, planLimits[plan].customCodes) },
      {
        name: 'QR code downloads',
        // The specification skips the check on Free.
        of: (plan) => {
          const { qrCodes } = planLimits[plan]
          return qrCodes === 0 ? 'Not counted' : counted(plan, qrCodes)
        },
      },
      { name: 'Domains of your own', of: (plan) => figure(planLimits[plan].domains) },
      { name: 'Tags, titles, UTM templates', of: always },
      { name: 'Schedule, click limit, password', of: always },
      { name: 'Rules by country or device, A/B split', of: always },
      { name: 'Test visits and saved tests', of: always },
    ],
  },
  {
    name: 'Insight',
    rows: [
      { name: 'Clicks counted, bots told apart', of: always },
      { name: 'Click and visit counts', of: withCounts },
      { name: 'Live view, countries, sources, devices', of: withCounts },
      { name: 'A/B and popup results', of: withCounts },
      { name: 'Shared reports, CSV', of: withCounts },
      { name: 'Click milestones by email', of: withCounts },
    ],
  },
  {
    name: 'Pages and popups',
    rows: [
      { name: 'Bio page', of: () => `1, up to ${figure(commonLimits.bioLinks)} links` },
      { name: 'Popups', of: () => `Up to ${figure(commonLimits.popups)}` },
      { name: 'Audience, with double opt-in', of: always },
      { name: 'No “Made with Hoplet” on your pages', of: (plan) => plan !== 'free' },
    ],
  },
  {
    name: 'Developers',
    rows: [
      { name: 'API keys with scopes, OpenAPI', of: always },
      { name: 'MCP server for agents', of: always },
      { name: 'Signed webhooks, email providers', of: always },
      { name: 'Webhooks of clicks', of: withCounts },
    ],
  },
]

function figure(count: number): string {
  return count.toLocaleString('en-US')
}

function counted(plan: Plan, count: number): string {
  return `${figure(count)} ${planLimits[plan].limitType === 'daily' ? 'a day' : 'in total'}`
}
