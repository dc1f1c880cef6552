import * as z from 'zod'
import { popupLimits } from '#domain/popups/popup-limits.ts'
import { ToolError } from '../tables.ts'
import { defineTool } from '../tool.ts'
import { codeInput, expectationInput, patchLink } from './links.ts'
import { plural } from '../../primitives/plural.ts'

const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/)
  .describe('As #rrggbb.')

const popup = z.object({
  id: z.string(),
  name: z.string().nullable(),
  title: z.string(),
  description: z.string().nullable(),
  cta_text: z.string(),
  cta_url: z.string().nullable(),
  is_active: z.boolean(),
  created_at: z.string(),
})
type PopupRow = z.input<typeof popup>
const columns = Object.keys(popup.shape).join(',')

export const findPopups = defineTool({
  name: 'find_popups',
  title: 'Find popups',
  description:
    'Lists the person’s popups, newest first: messages that visitors see before a link leads on. Changes nothing.',
  scopes: ['popups:read'],
  effect: 'read',
  input: z.object({
    limit: z.int().min(1).max(100).default(20),
    offset: z.int().min(0).max(1_000).describe('next_offset of the page before.').default(0),
  }),
  output: z.object({ popups: z.array(popup), next_offset: z.number().optional() }),
  async run({ tables, agent }, { limit, offset }) {
    const popups = await tables.ask<PopupRow[]>('popups', {
      query: {
        user_id: `eq.${agent.accountId}`,
        select: columns,
        order: 'created_at.desc,id.desc',
        limit: String(limit),
        offset: String(offset),
      },
    })
    return { popups, ...(popups.length === limit && { next_offset: offset + limit }) }
  },
  summarize: ({ popups, next_offset: more }) =>
    `${plural(popups.length, 'popup')}${more === undefined ? '' : ', and there may be more'}.`,
})

export const draftPopup = defineTool({
  name: 'draft_popup',
  title: 'Draft a popup',
  description:
    'Creates a popup for the person. Nobody sees it until it is attached to a link or the bio page.',
  scopes: ['popups:write'],
  effect: 'add',
  input: z.object({
    name: z
      .string()
      .max(popupLimits.name)
      .describe('In the person’s lists; no visitor sees it.')
      .optional(),
    title: z.string().min(1).max(popupLimits.title),
    description: z.string().max(popupLimits.description).optional(),
    cta_text: z
      .string()
      .min(1)
      .max(popupLimits.cta_text)
      .describe('On the button. Defaults to “Get Started”.')
      .optional(),
    cta_url: z.string().max(2_048).describe('Where the button leads.').optional(),
    background_color: color.optional(),
    text_color: color.optional(),
    button_color: color.optional(),
    button_text_color: color.optional(),
    position: z.enum(['center', 'top', 'bottom', 'bottom-right', 'bottom-left']).optional(),
    idempotency_key: z
      .string()
      .min(1)
      .max(100)
      .describe('Give the same one when you repeat a call: within a day it makes one popup.')
      .optional(),
  }),
  output: z.object({ id: z.string() }),
  run({ tables, agent }, { idempotency_key: key, ...wanted }) {
    const question = {
      method: 'POST',
      query: { select: 'id' },
      body: { ...wanted, user_id: agent.accountId },
      idempotencyKey: key && `mcp ${agent.clientId} draft_popup ${key}`,
    } as const
    return tables.askOne('popups', question, () => new ToolError('The popup was not created'))
  },
  summarize: ({ id }) => `Created the popup ${id}. No visitor sees it yet.`,
})

export const attachPopup = defineTool({
  name: 'attach_popup',
  title: 'Attach a popup to a link',
  description:
    'Makes visitors of a short link see a popup of the person before the link leads on; with popup_id null they see none again. Takes the place of a popup that was there.',
  scopes: ['links:write'],
  effect: 'change',
  input: z.object({
    short_code: codeInput,
    popup_id: z.uuid().nullable(),
    ...expectationInput,
  }),
  output: z.object({ short_code: z.string(), popup_id: z.string().nullable() }),
  async run(context, { short_code: code, popup_id: id, ignore_expectations: ignores }) {
    await patchLink(context, code, { popup_id: id, show_popup: id !== null }, ignores)
    return { short_code: code, popup_id: id }
  },
  summarize: ({ short_code: code, popup_id: id }) =>
    id === null ? `${code} shows no popup.` : `${code} shows the popup ${id}.`,
})
