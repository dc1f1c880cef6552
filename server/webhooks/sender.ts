import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { SecretBox } from '../auth/secret-box.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { createCounts } from '../primitives/counts.ts'
import type { Jobs } from '../primitives/jobs.ts'
import { createWaitingRoom } from '../primitives/waiting-room.ts'
import { inSpan } from '../tracing/span.ts'
import { createEventQueue, type LeasedEvent } from './event-queue.ts'
import { allowsPrivateOf } from './endpoint-url.ts'
import { providerRequest, providerResult } from './lead-providers.ts'
import { postToEndpoint, type PostResult } from './post.ts'
import { judgeAttempt } from './retry.ts'
import { signedHeaders } from './signatures.ts'
import { openSecrets } from './webhook-secrets.ts'

export interface WebhookSenderDeps {
  config: Pick<Config, 'webhooks'>
  database: Database
  log: Logger
  secretBox: SecretBox
  version: string
  /** Called after an email was queued. */
  wakeMail: () => void
  jobs: Jobs
}

/** Concurrent requests to one endpoint, of different keys; one that keeps failing gets one at a time. */
const perEndpoint = 4
const failuresUntilSlow = 3
/** Concurrent requests per account; every endpoint may always have one. */
const perAccount = 8
/** Concurrent requests of all endpoints. A slow endpoint holds at most four, later one. */
const maxSending = 200
/** Transactions at a time: the doors need connections, too. */
const maxTransactions = 3
const maxKnownEndpoints = 10_000
const maxWaitMs = 30_000
const closeTimeoutMs = 12_000

/** Sends the events in the outbox, which triggers fill (database/code/19_webhooks.sql); see docs/decisions/0064. */
export function createWebhookSender(deps: WebhookSenderDeps) {
  const { database, log, jobs } = deps
  const { webhooks: settings } = deps.config
  const queue = createEventQueue(database, settings.leaseSeconds)
  const outcomes = createCounts(['delivered', 'retry', 'gone', 'given-up'])
  const sending = createWaitingRoom(maxSending)
  const transactions = createWaitingRoom(maxTransactions)
  /** Runners of each endpoint, and of each account. */
  const running = new Map<string, Set<Promise<void>>>()
  const failuresInARow = new LRUCache<string, number>({ max: maxKnownEndpoints })
  let closed = false

  const serially = async <T>(work: () => Promise<T>): Promise<T> => {
    const leave = await transactions.enter(maxWaitMs)
    try {
      return await work()
    } finally {
      leave?.()
    }
  }

  const attempt = async (webhook: string, leased: LeasedEvent): Promise<void> => {
    const startedAt = performance.now()
    const attributes = { 'hoplet.type': leased.type, 'hoplet.attempts': leased.attempts }
    const result = await inSpan('send webhook', { kind: 'client', attributes }, () =>
      send(deps, webhook, leased),
    )
    const { attempts, elapsed_seconds: elapsedSeconds } = leased
    const verdict = judgeAttempt(result, { attempts, elapsedSeconds }, settings)
    const failures = failuresInARow.get(webhook) ?? 0
    failuresInARow.set(webhook, verdict.outcome === 'delivered' ? 0 : failures + 1)
    const durationMs = performance.now() - startedAt
    const isOff = await serially(() => queue.finish(leased, verdict, result, durationMs))
    outcomes.add(verdict.outcome)
    log.debug({ webhook, event: leased.event, outcome: verdict.outcome }, 'webhook attempt')
    if (!isOff) return
    log.warn({ webhook, outcome: verdict.outcome }, 'webhook switched off')
    deps.wakeMail()
  }

  /** Sends due events of one endpoint, one event after another; while there is more, others help. */
  const run = async (webhook: string, account: string): Promise<void> => {
    while (!closed && hasRoom(webhook, account, 0)) {
      // Before the claim, so that no lease passes while it waits.
      const leave = await sending.enter(maxWaitMs)
      if (!leave) return
      try {
        const leased = await serially(() => queue.claim(webhook))
        if (!leased) return
        startRunner(webhook, account)
        await attempt(webhook, leased)
      } finally {
        leave()
      }
    }
  }
  const runnersOf = (id: string) => running.get(id) ?? new Set()
  const slotsOf = (webhook: string) =>
    (failuresInARow.get(webhook) ?? 0) >= failuresUntilSlow ? 1 : perEndpoint
  /** Whether the endpoint may have its present runners and `more`. */
  const hasRoom = (webhook: string, account: string, more: 0 | 1) => {
    const slots = runnersOf(account).size + more > perAccount ? 1 : slotsOf(webhook)
    return runnersOf(webhook).size + more <= slots
  }

  const startRunner = (webhook: string, account: string): void => {
    if (closed || !hasRoom(webhook, account, 1)) return
    const runner = run(webhook, account)
      .catch((error: unknown) => log.warn({ err: error, webhook }, 'a webhook was not sent'))
      .finally(() => {
        for (const id of [webhook, account]) {
          const runners = runnersOf(id)
          runners.delete(runner)
          if (runners.size === 0) running.delete(id)
        }
      })
    for (const id of [webhook, account]) running.set(id, runnersOf(id).add(runner))
  }
  const job = jobs.add('send webhooks', { everyMs: settings.pollIntervalMs }, async () => {
    for (const { webhook, account } of await serially(queue.due)) startRunner(webhook, account)
  })
  const clicks = jobs.add('clicks for webhooks', { everyMs: settings.pollIntervalMs }, () =>
    serially(() => queue.queueClicks(settings.clicksIntervalSeconds)),
  )

  return {
    status: queue.counts,
    outcomes,
    /** Starts sending due events; does not wait for it. */
    drain: job.run,
    /** Waits for running requests. */
    async close() {
      closed = true
      await clicks.close()
      await job.close()
      const ends = Promise.allSettled([...running.values()].flatMap((runners) => [...runners]))
      await Promise.race([ends, sleep(closeTimeoutMs, undefined, { ref: false })])
    },
  }
}

async function send(
  { config: { webhooks }, secretBox, version }: WebhookSenderDeps,
  webhook: string,
  leased: LeasedEvent,
): Promise<PostResult> {
  const secrets = openSecrets(secretBox, webhook, leased)
  if (secrets.length === 0)
    return { error: 'The secret cannot be read any more: this server has another key. Rotate it.' }
  const { message_id: id, body, provider, list } = leased
  const { timeoutMs } = webhooks
  const userAgent = `Hoplet-Webhooks/${version}`
  if (provider !== null && list !== null) {
    const request = providerRequest({ kind: provider, key: secrets[0] ?? '', list }, body)
    // A test: providers have nothing to receive it.
    if (request === undefined) return { status: 204, answer: '', retryAfter: undefined }
    const headers = { ...request.headers, 'user-agent': userAgent }
    const allowsPrivate = allowsPrivateOf(webhooks, leased.url, provider)
    const result = providerResult(
      provider,
      await postToEndpoint(leased.url, { headers, body: request.body, timeoutMs, allowsPrivate }),
    )
    // An owner learns no text of a server that only the operator's list opens.
    const isHidden = allowsPrivate && !webhooks.allowsPrivate && result.status !== undefined
    return isHidden ? { ...result, answer: '' } : result
  }
  const headers = {
    ...signedHeaders({ id, timestamp: Math.floor(Date.now() / 1_000), body }, secrets),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': userAgent,
  }
  const { allowsPrivate } = webhooks
  return postToEndpoint(leased.url, { headers, body, timeoutMs, allowsPrivate })
}
