import * as z from 'zod'
import {
  clickDimensions,
  type ReportBy,
  type ReportGroup,
  reportGroups,
  reportPeriods,
  type ReportScopeWord,
} from '#domain/reports/hits.ts'
import { NotFoundError, ToolError } from '../tables.ts'
import { defineTool, type ToolContext } from '../tool.ts'
import { codeInput, findLink } from './links.ts'

const dayMs = 86_400_000

const report = z.object({
  by: z.string(),
  from: z.string(),
  to: z.string(),
  time_zone: z.string().optional(),
  clicks: z.number(),
  visitors: z.number().optional(),
  returning: z
    .number()
    .describe('Clicks after the first one of each visitor; with by = total.')
    .optional(),
  rows: z.array(
    z.object({
      key: z.string().optional(),
      label: z.string().optional(),
      code: z.string().describe('Short code of the link of a placement.').optional(),
      kind: z.string().optional(),
      clicks: z.number(),
      visitors: z.number().optional(),
    }),
  ),
  rest: z.number().describe('Clicks that are in none of the rows.').optional(),
  sampled: z
    .number()
    .nullable()
    .describe('Figures are estimated from the hits of one visitor in this many; null: exact.')
    .optional(),
})

interface Asked {
  of: ReportScopeWord
  id?: string
  by: ReportBy | ReportGroup
  from: string
  to: string
  limit: number
  /** With hits of archives. */
  imported?: boolean
  filters?: Record<string, string[]>
}

/** @throws {ToolError} */
export async function askReport(
  { tables }: Pick<ToolContext, 'tables'>,
  { of, id, by, from, to, limit, imported = false, filters = {} }: Asked,
): Promise<z.input<typeof report>> {
  return tables.ask('rpc/click_report', {
    method: 'POST',
    body: {
      _scope: of,
      _id: id ?? null,
      _by: by,
      _from: from,
      _to: to,
      _limit: limit,
      _filters: filters,
      ...(imported && { _include: ['repeats', 'own', 'imported'] }),
    },
  })
}

function findPage({ tables, agent }: Pick<ToolContext, 'tables' | 'agent'>) {
  const query = { user_id: `eq.${agent.accountId}`, select: 'id' }
  const missing = () => new NotFoundError('There is no bio page yet')
  return tables.askOne<{ id: string }>('bio_pages', { query }, missing)
}

function findTag({ tables, agent }: Pick<ToolContext, 'tables' | 'agent'>, tag: string) {
  const query = { user_id: `eq.${agent.accountId}`, name: `eq.${tag}`, select: 'id' }
  return tables.askOne<{ id: string }>(
    'tags',
    { query },
    () => new NotFoundError('There is no such tag'),
  )
}

export const readClickReport = defineTool({
  name: 'read_report',
  title: 'Read a click report',
  description:
    'Reports clicks of all links, of one link, of the links with one tag or of the bio page: in total, over time, or by country, device, referrer, campaign and so on. Needs an account that sees clicks. Changes nothing.',
  scopes: ['analytics:read'],
  effect: 'read',
  input: z.object({
    of: z
      .enum(['account', 'link', 'tag', 'bio'])
      .default('account')
      .describe('bio is the bio page; it needs bio:read.'),
    short_code: codeInput.optional().describe('Of the link, with of = link; needs links:read.'),
    tag: z
      .string()
      .max(40)
      .describe('Name of the tag, with of = tag; needs links:read.')
      .optional(),
    domain: z
      .string()
      .max(253)
      .describe('Links and pages on this host alone; empty: those on the host of this server.')
      .optional(),
    by: z.enum([...reportPeriods, ...clickDimensions, ...reportGroups]).default('day'),
    days: z
      .int()
      .min(1)
      .max(365)
      .describe('How many days back from now. Default: 30; by hour 7, and at most 8.')
      .optional(),
    from: z.iso.datetime({ offset: true }).describe('Instead of days.').optional(),
    to: z.iso.datetime({ offset: true }).describe('Default: now.').optional(),
    limit: z.int().min(1).max(100).describe('The most rows of a dimension.').default(10),
    imported: z
      .boolean()
      .describe('Adds clicks of archives that the account imported. They are no counted clicks.')
      .default(false),
  }),
  output: z.object({ report }),
  async run(
    context,
    { of, short_code: code, tag, domain, by, from, to, limit, imported, ...asking },
  ) {
    if ((of === 'link') !== (code !== undefined))
      throw new ToolError('short_code goes with of = link, and only with it')
    if ((of === 'tag') !== (tag !== undefined))
      throw new ToolError('tag goes with of = tag, and only with it')
    const days = asking.days ?? (by === 'hour' ? 7 : 30)
    const end = to ?? new Date().toISOString()
    const start = from ?? new Date(Date.parse(end) - days * dayMs).toISOString()
    const filters = { ...(domain !== undefined && { domain: [domain] }) }
    const asked = { of, by, from: start, to: end, limit, imported, filters }
    if (of === 'account') return { report: await askReport(context, asked) }
    const { id } = await (code !== undefined
      ? findLink(context, code)
      : tag !== undefined
        ? findTag(context, tag)
        : findPage(context))
    return { report: await askReport(context, { ...asked, id }) }
  },
  summarize: ({ report: { clicks, from, to } }) => `${clicks} clicks from ${from} to ${to}.`,
})
