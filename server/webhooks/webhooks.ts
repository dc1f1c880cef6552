import { createPersonWebhooks } from './person-webhooks.ts'
import { createWebhookSender, type WebhookSenderDeps } from './sender.ts'

/** The webhooks of people: their settings, and the sender. */
export function createWebhooks(deps: WebhookSenderDeps) {
  return { ...createPersonWebhooks(deps), sender: createWebhookSender(deps) }
}
