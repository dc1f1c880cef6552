import { createPersonWebhooks } from './person-webhooks.ts'
import { createWebhookSender, type WebhookSenderDeps } from './sender.ts'

/** The webhooks of people: what they do with them, and what is sent. */
export function createWebhooks(deps: WebhookSenderDeps) {
  return { ...createPersonWebhooks(deps), sender: createWebhookSender(deps) }
}
