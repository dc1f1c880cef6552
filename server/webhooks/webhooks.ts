import { createPersonDeliveries } from './person-deliveries.ts'
import { createPersonWebhooks } from './person-webhooks.ts'
import { createWebhookSender, type WebhookSenderDeps } from './sender.ts'

/** The webhooks of people: their settings, their deliveries, and the sender. */
export function createWebhooks(deps: WebhookSenderDeps) {
  return {
    ...createPersonWebhooks(deps),
    ...createPersonDeliveries(deps),
    sender: createWebhookSender(deps),
  }
}
