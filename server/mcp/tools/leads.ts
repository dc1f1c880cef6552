import * as z from 'zod'
import { defineTool } from '../tool.ts'
import { plural } from '../../primitives/plural.ts'

const lead = z.object({
  id: z.string(),
  email: z.string(),
  popup_id: z.string().nullable(),
  code: z.string().nullable(),
  source: z.string().nullable(),
  tags: z.array(z.string()),
  state: z.enum(['pending', 'confirmed', 'unsubscribed']),
  created_at: z.string(),
})

/** Place of a lead in the list: its time and its id. */
const place = z.string().regex(/^[\dT:.+-]{10,40} [\da-f-]{36}$/)

/** The leads behind a place, as a filter of the table door. */
function behind(cursor: string): string {
  const [time, id] = cursor.split(' ')
  return `(created_at.lt."${time}",and(created_at.eq."${time}",id.lt.${id}))`
}

export const listLeads = defineTool({
  name: 'list_leads',
  title: 'List leads',
  description:
    'Lists email addresses that visitors gave in the person’s popups, newest first. Write only to confirmed ones. Changes nothing.',
  scopes: ['leads:read'],
  effect: 'read',
  input: z.object({
    limit: z.int().min(1).max(100).default(20),
    tag: z.string().min(1).max(50).optional(),
    popup_id: z.uuid().optional(),
    cursor: place.optional().describe('next_cursor of the page before.'),
  }),
  output: z.object({ leads: z.array(lead), next_cursor: z.string().optional() }),
  async run({ tables, agent }, { limit, tag, popup_id: popup, cursor }) {
    const leads = await tables.ask<z.input<typeof lead>[]>('leads', {
      query: {
        user_id: `eq.${agent.accountId}`,
        select: Object.keys(lead.shape).join(','),
        order: 'created_at.desc,id.desc',
        limit: String(limit),
        ...(tag !== undefined && {
          tags: `cs.${JSON.stringify([tag]).replace(/^\[(.*)\]$/, '{$1}')}`,
        }),
        ...(popup !== undefined && { popup_id: `eq.${popup}` }),
        ...(cursor !== undefined && { or: behind(cursor) }),
      },
    })
    const last = leads.length === limit ? leads.at(-1) : undefined
    return { leads, ...(last && { next_cursor: `${last.created_at} ${last.id}` }) }
  },
  summarize: ({ leads, next_cursor: more }) =>
    `${plural(leads.length, 'lead')}${more === undefined ? '' : ', and there may be more'}.`,
})
