import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { deliver } from './deliver.ts'
import { sendConcurrency, openTransport } from './open-transport.ts'
import { createQueue, type LeasedEmail, type OutboxCounts } from './queue.ts'
import type { Transport } from './transport.ts'

export interface MailStatus extends OutboxCounts {
  transport: Transport['name']
}

/** Sends the emails in the outbox, which `enqueueMail` fills. */
export interface Mailer {
  /** Reads the outbox now, after a transaction that queued an email. */
  wake(): void
  status(): Promise<MailStatus>
  /** Sends everything that is due, even right after an outage. */
  drain(): Promise<void>
  /** Waits for the emails that are being sent. */
  close(): Promise<void>
}

interface MailDeps {
  config: Pick<Config, 'mail' | 'dataDir'> & { publicUrl: string }
  database: Database
  log: Logger
}

/** Delay of the first run: publicUrl is known only after listen(). */
const firstRunMs = 1_000
const minPauseMs = 1_000
const maxPauseMs = 60_000
const tidyIntervalMs = 3_600_000
/** A mail server that does not answer must not delay the shutdown longer. */
const closeTimeoutMs = 10_000

/** Starts sending; see docs/decisions/0053 for what happens when. */
export function createMailer({ config, database, log }: MailDeps): Mailer {
  const { from, pollIntervalMs } = config.mail
  const queue = createQueue(database)
  const transport = openTransport(config, log)
  let closed = false
  let wanted = false
  let running: Promise<void> | undefined
  let pause = 0
  let pausedUntil = 0
  let databaseDown = false

  const attempt = async (mail: LeasedEmail): Promise<void> => {
    const delivery = await deliver(mail, transport, { from, publicUrl: config.publicUrl, log })
    if (delivery.sent) {
      await untilDone(() => queue.markSent(mail.id))
      if (pause > 0) await queue.bringForward()
      pause = 0
      return
    }
    // Concurrent sends meet the same outage; it counts once.
    if (delivery.outage && Date.now() >= pausedUntil) {
      pause = Math.min(pause * 2 || minPauseMs, maxPauseMs)
      pausedUntil = Date.now() + pause
    }
    await queue.markFailed(mail, delivery)
  }

  /** Retries until the email is marked as sent: otherwise it is sent again when the lease ends. */
  const untilDone = async (work: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (closed) throw error
        await sleep(minPauseMs, undefined, { ref: false })
      }
    }
  }

  const mayGoOn = () => !closed && Date.now() >= pausedUntil
  const lane = async (): Promise<void> => {
    while (mayGoOn()) {
      const mail = await queue.claim()
      if (!mail) return
      await attempt(mail)
    }
  }
  const work = async (): Promise<void> => {
    const first = mayGoOn() ? await queue.claim() : undefined
    databaseDown = false
    if (!first) return
    const others = Array.from({ length: sendConcurrency - 1 }, lane)
    const ends = await Promise.allSettled([attempt(first).then(lane), ...others])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
  const run = (): Promise<void> => {
    if (running) return running
    wanted = false
    running = work()
      .catch((error: unknown) => {
        if (!databaseDown) log.warn({ err: error }, 'outbox cannot be read')
        databaseDown = true
      })
      .finally(() => {
        running = undefined
        if (wanted && !closed) void run()
      })
    return running
  }

  const tidy = () =>
    queue
      .tidy()
      .catch((error: unknown) => log.warn({ err: error }, 'old emails could not be deleted'))
  const timers = [
    setTimeout(() => void run().then(tidy), firstRunMs),
    setInterval(() => void run(), pollIntervalMs),
    setInterval(() => void tidy(), tidyIntervalMs),
  ]
  for (const timer of timers) timer.unref()

  return {
    wake() {
      // The current run may have found the outbox empty a moment ago.
      wanted = true
      if (!running && !closed) void run()
    },
    status: async () => ({ ...(await queue.counts()), transport: transport.name }),
    async drain() {
      await running
      pausedUntil = 0
      await run()
    },
    async close() {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.race([running, sleep(closeTimeoutMs, undefined, { ref: false })])
      transport.close()
    },
  }
}
