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
  }),
  output: z.object({ leads: z.array(lead) }),
  run: async ({ tables, agent }, { limit, tag, popup_id: popup }) => ({
    leads: await tables.ask<z.input<typeof lead>[]>('leads', {
      query: {
        user_id: `eq.${agent.personId}`,
        select: Object.keys(lead.shape).join(','),
        order: 'created_at.desc,id.desc',
        limit: String(limit),
        ...(tag !== undefined && {
          tags: `cs.${JSON.stringify([tag]).replace(/^\[(.*)\]$/, '{$1}')}`,
        }),
        ...(popup !== undefined && { popup_id: `eq.${popup}` }),
      },
    }),
  }),
  summarize: ({ leads }) => `${plural(leads.length, 'lead')}.`,
})
