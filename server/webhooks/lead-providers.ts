import type { WebhookProvider } from '#domain/webhooks.ts'
import type { PostResult } from './post.ts'

/** An email provider, as an owner enters it. `url` is the address of a listmonk server. */
export interface ProviderSettings {
  kind: WebhookProvider
  key: string
  list: string
}

export interface ProviderHosts {
  brevo: string
  /** `{dc}` is the data center at the end of a key. */
  mailchimp: string
}

/** The address that adds to a list; undefined for a key or list that the provider cannot have. */
export function providerUrl(
  { kind, key, list }: ProviderSettings,
  url: string,
  hosts: ProviderHosts,
): string | undefined {
  switch (kind) {
    case 'brevo':
      return isNumber(list) ? `${hosts.brevo}/v3/contacts` : undefined
    case 'mailchimp': {
      const dataCenter = /-([a-z]{2,4}\d{1,3})$/.exec(key)?.[1]
      if (dataCenter === undefined) return undefined
      return `${hosts.mailchimp.replace('{dc}', dataCenter)}/3.0/lists/${list}/members`
    }
    case 'listmonk':
      if (!isNumber(list) || !key.includes(':') || !URL.canParse(url)) return undefined
      return `${url.replace(/\/+$/, '')}/api/subscribers`
  }
}

const isNumber = (text: string) => /^\d{1,9}$/.test(text)

interface ProviderRequest {
  headers: Record<string, string>
  body: string
}

/** The request for an event; undefined for events that are not about a lead. */
export function providerRequest(
  { kind, key, list }: ProviderSettings,
  event: string,
): ProviderRequest | undefined {
  const { type, data } = JSON.parse(event) as {
    type: string
    data: { email?: string; tags?: string[] }
  }
  if (type !== 'lead.created' || data.email === undefined) return undefined
  const { email, tags = [] } = data
  switch (kind) {
    case 'brevo':
      return withKey('api-key', key, { email, listIds: [Number(list)], updateEnabled: true })
    case 'mailchimp':
      return withKey('authorization', `Basic ${Buffer.from(`hoplet:${key}`).toString('base64')}`, {
        email_address: email,
        status: 'subscribed',
        tags,
      })
    case 'listmonk':
      return withKey('authorization', `token ${key}`, {
        email,
        name: email,
        status: 'enabled',
        lists: [Number(list)],
        // A confirmation is asked for here.
        preconfirm_subscriptions: true,
      })
  }
}

function withKey(header: string, value: string, body: object): ProviderRequest {
  const text = JSON.stringify(body)
  const headers = {
    [header]: value,
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
  }
  return { headers, body: text }
}

/** An address that the list has already is as good as added. */
export function providerResult(kind: WebhookProvider, result: PostResult): PostResult {
  if (result.status === undefined) return result
  const { status, answer } = result
  const isThere =
    (kind === 'mailchimp' && status === 400 && answer.includes('Member Exists')) ||
    (kind === 'listmonk' && status === 409)
  return isThere ? { ...result, status: 200 } : result
}
