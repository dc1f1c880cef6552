import * as z from 'zod'
import {
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  webhookEventNames,
} from '#domain/webhooks.ts'
import type { Operations } from '../http/openapi.ts'

const time = z.string().meta({ format: 'date-time' })

const webhook = z
  .object({
    id: z.uuid(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.enum(webhookEventNames)),
    provider: z.enum(['brevo', 'mailchimp', 'listmonk']).nullable(),
    list: z.string().nullable().describe('Of the provider'),
    is_enabled: z.boolean(),
    disabled_reason: z.enum(['person', 'failing', 'gone']).nullable(),
    disabled_at: time.nullable(),
    paused_until: time.nullable().describe('The receiver asked us to wait until then'),
    previous_until: time.nullable().describe('Until then the secret before signs as well'),
    waiting: z.int(),
    dropped: z.int().describe('Events that were left out because too many waited'),
    dropped_at: time.nullable(),
    created_at: time,
  } satisfies Record<keyof Webhook, z.ZodType>)
  .meta({ id: 'Webhook' })

const deliveryFields = {
  id: z.string(),
  message_id: z.string(),
  type: z.string(),
  state: z.enum(['waiting', 'delivered', 'failed']),
  attempts: z.int(),
  created_at: time,
  last_attempt_at: time.nullable(),
  next_attempt_at: time.nullable(),
  status: z.int().nullable(),
  duration_ms: z.int().nullable(),
  error: z.string().nullable(),
} satisfies Record<keyof WebhookDelivery, z.ZodType>
const delivery = z.object(deliveryFields).meta({ id: 'WebhookDelivery' })
const detail = z.object({
  ...deliveryFields,
  body: z.string(),
  answer: z.string().nullable(),
} satisfies Record<keyof WebhookDeliveryDetail, z.ZodType>)

const webhooks = { tag: 'Webhooks' } as const
const one = z.object({ webhook })
const nothing = z.object({})

/** Descriptions that the route table of the webhooks lacks. */
export const webhookOperations = {
  'GET /webhooks': {
    ...webhooks,
    summary: 'Your webhooks',
    answers: { 200: z.object({ webhooks: z.array(webhook) }) },
  },
  'POST /webhooks': {
    ...webhooks,
    summary: 'Add a webhook',
    description:
      'The only answer that has its secret. With a provider, addresses of the audience are added to its list.',
    answers: { 201: one.extend({ secret: z.string().optional() }) },
  },
  'PUT /webhooks/:id': { ...webhooks, summary: 'Change a webhook', answers: { 200: one } },
  'DELETE /webhooks/:id': { ...webhooks, summary: 'Delete a webhook', answers: { 200: nothing } },
  'POST /webhooks/:id/state': {
    ...webhooks,
    summary: 'Switch a webhook on or off',
    description: 'What waits when it is switched off is given up.',
    answers: { 200: one },
  },
  'POST /webhooks/:id/rotate-secret': {
    ...webhooks,
    summary: 'Make a new secret',
    description: 'The one before it signs as well for a day.',
    answers: { 200: z.object({ secret: z.string() }) },
  },
  'POST /webhooks/:id/test': {
    ...webhooks,
    summary: 'Send a test event',
    answers: { 202: z.object({ delivery: z.string() }) },
  },
  'GET /webhooks/:id/deliveries': {
    ...webhooks,
    summary: 'Deliveries, newest first',
    answers: { 200: z.object({ deliveries: z.array(delivery), has_more: z.boolean() }) },
  },
  'GET /webhooks/:id/deliveries/:delivery': {
    ...webhooks,
    summary: 'One delivery with its body and answer',
    answers: { 200: z.object({ delivery: detail }) },
  },
  'POST /webhooks/:id/deliveries/:delivery/send': {
    ...webhooks,
    summary: 'Send a delivery again',
    answers: { 202: nothing },
  },
} satisfies Operations
