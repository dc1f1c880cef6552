/** Events of webhooks, in the order of the screen; the database has the same list (database/code/19_webhooks.sql). */
export const webhookEvents = {
  'link.created': 'A link is created',
  'link.updated': 'A link changes',
  'link.deleted': 'A link is deleted',
  'clicks.recorded': 'Links and pages are clicked, summed up every 10 seconds',
  'popup.email_given': 'A visitor gives an email address in a popup',
  'lead.created': 'An email address joins your audience',
  'plan.changed': 'The plan changes',
  'domain.verified': 'A domain is verified',
  'domain.lost': 'A domain is no longer served',
} as const

export type WebhookEvent = keyof typeof webhookEvents

export const webhookEventNames = Object.keys(webhookEvents) as [WebhookEvent, ...WebhookEvent[]]

/** Email providers with an API that adds an address to a list. */
export const webhookProviders = {
  brevo: 'Brevo',
  mailchimp: 'Mailchimp',
  listmonk: 'listmonk',
} as const

export type WebhookProvider = keyof typeof webhookProviders

export const webhookProviderNames = Object.keys(webhookProviders) as [
  WebhookProvider,
  ...WebhookProvider[],
]

/** Reasons of a webhook that is switched off. */
export const webhookDisabledReasons = ['person', 'failing', 'gone'] as const

/** States of a delivery. */
export const webhookDeliveryStates = ['waiting', 'delivered', 'failed'] as const

export const webhookLimits = { url: 2_048, description: 200 } as const

/** A key travels in a header. */
export const providerKeys = {
  pattern: /^[\x21-\x7e]*$/,
  sentence: 'The API key has ASCII characters without spaces',
} as const

/** As the functions door presents a webhook. */
export interface Webhook {
  id: string
  url: string
  description: string
  events: WebhookEvent[]
  /** Null: a server that takes signed events. */
  provider: WebhookProvider | null
  /** List at the provider. */
  list: string | null
  is_enabled: boolean
  disabled_reason: (typeof webhookDisabledReasons)[number] | null
  disabled_at: string | null
  /** The receiver asked us to wait until then. */
  paused_until: string | null
  /** Until then the secret before the current one signs as well. */
  previous_until: string | null
  waiting: number
  /** Events that were left out because too many waited. */
  dropped: number
  dropped_at: string | null
  created_at: string
}

/** An event of a webhook, without its body. */
export interface WebhookDelivery {
  id: string
  message_id: string
  type: string
  state: (typeof webhookDeliveryStates)[number]
  attempts: number
  created_at: string
  last_attempt_at: string | null
  next_attempt_at: string | null
  /** Status of the last attempt, as are the following. */
  status: number | null
  duration_ms: number | null
  error: string | null
}

export interface WebhookDeliveryDetail extends WebhookDelivery {
  body: string
  /** The beginning of the receiver's answer. */
  answer: string | null
}
