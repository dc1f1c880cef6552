import type { Webhook, WebhookDelivery, WebhookDeliveryDetail } from '#domain/webhooks.ts'
import { type Config, createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import type { TestUser } from '#test/factories.ts'
import type { TestServer } from '#test/server.ts'

/** Webhooks to this machine, with short pauses. */
export function webhookConfig(wanted: Partial<Config['webhooks']> = {}): Pick<Config, 'webhooks'> {
  const { webhooks } = createConfig(parseVariables({ WEBHOOK_PRIVATE_ADDRESSES: 'on' }))
  const quick = { retryPausesSeconds: [0.1, 0.2], pollIntervalMs: 50, clicksIntervalSeconds: 0.2 }
  return { webhooks: { ...webhooks, ...quick, ...wanted } }
}

interface Answered {
  status: number
  error?: string
  webhook: Webhook
  webhooks: Webhook[]
  secret: string
  delivery: WebhookDeliveryDetail & string
  deliveries: WebhookDelivery[]
  has_more: boolean
}

/** Calls the functions door below `/webhooks`. */
export async function callWebhooks(
  server: Pick<TestServer, 'url'>,
  headers: TestUser['headers'],
  method: string,
  path = '',
  body?: unknown,
): Promise<Answered> {
  const response = await fetch(`${server.url}/functions/v1/webhooks${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { ...((await response.json()) as Answered), status: response.status }
}
