import * as z from 'zod'
import {
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  webhookDeliveryStates,
  webhookDisabledReasons,
  webhookEventNames,
  webhookProviderNames,
} from '#domain/webhooks.ts'
import { type Operations, operationsOf } from '../http/openapi.ts'

const time = z.string().meta({ format: 'date-time' })

const webhook = z
  .object({
    id: z.uuid(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.enum(webhookEventNames)),
    provider: z.enum(webhookProviderNames).nullable(),
    list: z.string().nullable().describe('Of the provider'),
    is_enabled: z.boolean(),
    disabled_reason: z.enum(webhookDisabledReasons).nullable(),
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
  state: z.enum(webhookDeliveryStates),
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

const webhooks = operationsOf('Webhooks')
const one = z.object({ webhook })
const nothing = z.object({})

/** Descriptions that the route table of the webhooks lacks. */
export const webhookOperations = {
  'GET /webhooks': webhooks('Your webhooks', z.object({ webhooks: z.array(webhook) })),
  'POST /webhooks': webhooks(
    'Add a webhook',
    { 201: one.extend({ secret: z.string().optional() }) },
    {
      description:
        'The only answer that has its secret. With a provider, addresses of the audience are added to its list.',
    },
  ),
  'PUT /webhooks/:id': webhooks('Change a webhook', one),
  'DELETE /webhooks/:id': webhooks('Delete a webhook', nothing),
  'POST /webhooks/:id/state': webhooks('Switch a webhook on or off', one, {
    description: 'What waits when it is switched off is given up.',
  }),
  'POST /webhooks/:id/rotate-secret': webhooks(
    'Make a new secret',
    z.object({ secret: z.string() }),
    { description: 'The one before it signs as well for a day.' },
  ),
  'POST /webhooks/:id/test': webhooks('Send a test event', {
    202: z.object({ delivery: z.string() }),
  }),
  'GET /webhooks/:id/deliveries': webhooks(
    'Deliveries, newest first',
    z.object({ deliveries: z.array(delivery), has_more: z.boolean() }),
  ),
  'GET /webhooks/:id/deliveries/:delivery': webhooks(
    'One delivery with its body and answer',
    z.object({ delivery: detail }),
  ),
  'POST /webhooks/:id/deliveries/:delivery/send': webhooks('Send a delivery again', {
    202: nothing,
  }),
} satisfies Operations
