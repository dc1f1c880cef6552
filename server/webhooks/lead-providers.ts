import type { WebhookProvider } from '#domain/webhooks.ts'
import type { PostResult } from './post.ts'
import { brevo } from './providers/brevo.ts'
import type {
  LeadProvider,
  ProviderAccount,
  ProviderHosts,
  ProviderRequest,
} from './providers/lead-provider.ts'
import { listmonk } from './providers/listmonk.ts'
import { mailchimp } from './providers/mailchimp.ts'

const providers: Record<WebhookProvider, LeadProvider> = { brevo, mailchimp, listmonk }

/** An email provider, as an owner enters it. */
export interface ProviderSettings extends ProviderAccount {
  kind: WebhookProvider
}

/** The address that adds to a list; undefined for settings that the provider cannot have. `origin` is that of a listmonk server. */
export function providerUrl(
  { kind, ...account }: ProviderSettings,
  origin: string,
  hosts: ProviderHosts,
): string | undefined {
  return providers[kind].url(account, origin, hosts)
}

/** The request for an event; undefined for events that are not about a lead. */
export function providerRequest(
  { kind, ...account }: ProviderSettings,
  event: string,
): ProviderRequest | undefined {
  const { type, data } = JSON.parse(event) as {
    type: string
    data: { email?: string; tags?: string[] }
  }
  if (type !== 'lead.created' || data.email === undefined) return undefined
  return providers[kind].request(account, { email: data.email, tags: data.tags ?? [] })
}

/** An address that the list already has is as good as added. */
export function providerResult(kind: WebhookProvider, result: PostResult): PostResult {
  if (result.status === undefined) return result
  return providers[kind].isThere(result) ? { ...result, status: 200 } : result
}
