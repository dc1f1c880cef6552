import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEvent,
  WebhookProvider,
} from '#domain/webhooks.ts'
import { refusalFields } from '#web/api/fetch-in-words.ts'
import { fetchAsCaller } from '#web/session/caller.ts'
import { site } from '#web/site.ts'

/** Settings of a webhook. */
export interface WebhookFields {
  url: string
  description: string
  events: WebhookEvent[]
}

/** An email provider that gets the addresses of the audience. */
export interface ProviderFields {
  kind: WebhookProvider
  /** Origin of a listmonk server. */
  url: string
  key: string
  list: string
}

/** A refusal of the functions door, in its words. */
class WebhookRefusedError extends Error {}

interface CallOptions {
  method?: 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  signal?: AbortSignal
}

/** @throws {WebhookRefusedError} with a message for people */
async function call<Answer>(path: string, { method, body, signal }: CallOptions = {}) {
  const headers = new Headers({ apikey: site.anonKey })
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  const response = await fetchAsCaller(`/functions/v1/webhooks${path}`, {
    headers,
    ...(method !== undefined && { method }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (response.ok) return (await response.json().catch(() => null)) as Answer
  const { error = 'Please try again.' } = await refusalFields(response)
  throw new WebhookRefusedError(String(error))
}

/** Polling interval for rows that are about to change. */
const refreshMs = 3_000
/** An attempt under way looks like one that is far away, because its lease does. */
const slowRefreshMs = 10_000
/** An attempt that is near. */
const soonMs = 15_000

const keyOf = (userId: string) => ['account', userId, 'webhooks'] as const

export function webhooksQuery(userId: string) {
  return queryOptions({
    queryKey: keyOf(userId),
    queryFn: async ({ signal }) => (await call<{ webhooks: Webhook[] }>('', { signal })).webhooks,
    refetchInterval: ({ state }) =>
      state.data?.some(({ waiting }) => waiting > 0) === true ? refreshMs : false,
  })
}

interface DeliveriesPage {
  deliveries: WebhookDelivery[]
  has_more: boolean
}

export function deliveriesQuery(userId: string, webhook: string) {
  return infiniteQueryOptions({
    queryKey: [...keyOf(userId), webhook, 'deliveries'],
    queryFn: ({ signal, pageParam }) =>
      call<DeliveriesPage>(
        `/${webhook}/deliveries${pageParam === '' ? '' : `?before=${pageParam}`}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ deliveries, has_more: hasMore }) =>
      hasMore ? deliveries.at(-1)?.id : undefined,
    refetchInterval: ({ state }) => {
      const shown = state.data?.pages.flatMap(({ deliveries }) => deliveries) ?? []
      if (shown.some(isSoon)) return refreshMs
      return shown.some((delivery) => delivery.state === 'waiting') && slowRefreshMs
    },
  })
}

function isSoon({ state, next_attempt_at: next }: WebhookDelivery): boolean {
  return state === 'waiting' && (next === null || Date.parse(next) - Date.now() < soonMs)
}

export function deliveryQuery(userId: string, webhook: string, delivery: string) {
  return queryOptions({
    queryKey: [...keyOf(userId), webhook, 'deliveries', delivery],
    queryFn: async ({ signal }) =>
      (
        await call<{ delivery: WebhookDeliveryDetail }>(`/${webhook}/deliveries/${delivery}`, {
          signal,
        })
      ).delivery,
  })
}

export const webhookCalls = {
  create: (body: WebhookFields) =>
    call<{ webhook: Webhook; secret: string }>('', { method: 'POST', body }),
  addProvider: ({ url, ...provider }: ProviderFields) =>
    call('', { method: 'POST', body: { url, events: ['lead.created'], provider } }),
  change: (id: string, body: WebhookFields) => call(`/${id}`, { method: 'PUT', body }),
  delete: (id: string) => call(`/${id}`, { method: 'DELETE' }),
  setEnabled: (id: string, isEnabled: boolean) =>
    call(`/${id}/state`, { method: 'POST', body: { is_enabled: isEnabled } }),
  rotate: (id: string) => call<{ secret: string }>(`/${id}/rotate-secret`, { method: 'POST' }),
  test: (id: string) => call(`/${id}/test`, { method: 'POST' }),
  sendAgain: (id: string, delivery: string) =>
    call(`/${id}/deliveries/${delivery}/send`, { method: 'POST' }),
}
