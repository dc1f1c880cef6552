import * as z from 'zod'
import type { ApiRows } from '#domain/database.generated.ts'
import { addressOfName } from '#domain/links/link-address.ts'
import { qrAddress } from '#domain/links/qr-address.ts'
import { utmFields } from '#domain/reports/hits.ts'
import { defineTool, type ToolContext } from '../tool.ts'
import { type AgentLinkRow, codeInput, findLink } from './links.ts'

const utmText = z.string().max(100)
const utm = z.object(
  Object.fromEntries(utmFields.map((field) => [field, utmText])) as Record<
    (typeof utmFields)[number],
    typeof utmText
  >,
)

const placementShape = z.object({
  id: z.string(),
  name: z.string(),
  mark: z.string().describe('Key of the placement in reports, and the end of its address.'),
  qr_address: z.string().describe('For a QR code; people type the short link itself.'),
  ...utm.partial().shape,
})

type Row = Pick<ApiRows['placements'], 'id' | 'name' | 'mark' | (typeof utmFields)[number]>

const columns = ['id', 'name', 'mark', ...utmFields].join(',')

/** Without the parts of a campaign that are empty. */
function presentPlacement({ linksUrl }: ToolContext, link: AgentLinkRow, row: Row) {
  const named = { name: link.short_code, domain: link.domain ?? null }
  const { id, name, mark } = row
  const campaign = utmFields.filter((field) => row[field]).map((field) => [field, row[field]])
  return {
    id,
    name,
    mark,
    qr_address: qrAddress(addressOfName(linksUrl, named), mark),
    ...Object.fromEntries(campaign),
  }
}

export const listPlacements = defineTool({
  name: 'list_placements',
  title: 'List the placements of a link',
  description:
    'Lists the prints of a short link of the person (“table 4”, “window”), each with the address for its QR code. Changes nothing.',
  scopes: ['links:read'],
  effect: 'read',
  input: z.object({ short_code: codeInput }),
  output: z.object({ placements: z.array(placementShape) }),
  async run(context, { short_code: code }) {
    const link = await findLink(context, code)
    const query = { link_id: `eq.${link.id}`, select: columns, order: 'created_at,name' }
    const rows = await context.tables.ask<Row[]>('placements', { query })
    return { placements: rows.map((row) => presentPlacement(context, link, row)) }
  },
  summarize: ({ placements }) => `${placements.length} placements.`,
})

export const createPlacements = defineTool({
  name: 'create_placements',
  title: 'Add placements to a link',
  description:
    'Adds prints to a short link of the person, one for each name: reports then know which print was scanned. A campaign replaces that of the destination. All of them are made, or none.',
  scopes: ['links:read', 'links:write'],
  effect: 'add',
  input: z.object({
    short_code: codeInput,
    names: z.array(z.string().max(80)).min(1).max(1_000),
    utm: utm.partial().optional(),
  }),
  output: z.object({ placements: z.array(placementShape) }),
  async run(context, { short_code: code, names, utm: campaign }) {
    const link = await findLink(context, code)
    const rows = await context.tables.ask<Row[]>('rpc/create_placements', {
      method: 'POST',
      query: { select: columns },
      body: { _link: link.id, _names: names, _utm: campaign ?? null },
    })
    return { placements: rows.map((row) => presentPlacement(context, link, row)) }
  },
  summarize: ({ placements }) => `Made ${placements.length} placements.`,
})
