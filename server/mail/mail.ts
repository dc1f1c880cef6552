import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { startPeriodicJob } from '../primitives/periodic-job.ts'
import { deliver } from './deliver.ts'
import { createQueue, type LeasedEmail, type OutboxCounts } from './queue.ts'
import { openTransport, sendConcurrency, type Transport } from './transport.ts'

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
  /** Another run follows the current one. */
  let wanted = false
  let draining = false
  let pause = 0
  let pausedUntil = 0

  const attempt = async (mail: LeasedEmail): Promise<void> => {
    const delivery = await deliver(mail, transport, { from, publicUrl: config.publicUrl, log })
    if (delivery.sent) {
      await markSent(mail)
      if (pause > 0) await queue.bringForward()
      pause = 0
      return
    }
    // Concurrent sends meet the same outage; it counts once.
    if (delivery.outage && Date.now() >= pausedUntil) {
      pause = Math.min(pause * 2 || minPauseMs, maxPauseMs)
      pausedUntil = Date.now() + pause
    }
    if (delivery.forGood) await queue.markGivenUp(mail.id, delivery.reason)
    else await queue.markFailed(mail, delivery.reason)
  }

  /** Retries: otherwise the email is sent again when the lease ends. */
  const markSent = async ({ id }: LeasedEmail): Promise<void> => {
    for (;;) {
      try {
        await queue.markSent(id)
        return
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
  const sendDue = async (): Promise<void> => {
    // After an outage one email tries alone.
    const first = mayGoOn() ? await queue.claim() : undefined
    if (!first) return
    const others = Array.from({ length: sendConcurrency - 1 }, lane)
    const ends = await Promise.allSettled([attempt(first).then(lane), ...others])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
  const sending = startPeriodicJob({
    name: 'send emails',
    intervalMs: pollIntervalMs,
    firstRunMs,
    log,
    async work() {
      do {
        wanted = false
        if (draining) pausedUntil = 0
        draining = false
        await sendDue()
      } while (wanted && !closed)
    },
  })
  const tidying = startPeriodicJob({
    name: 'delete old emails',
    intervalMs: tidyIntervalMs,
    firstRunMs,
    log,
    work: queue.tidy,
  })

  return {
    wake() {
      // The current run may have found the outbox empty a moment ago.
      wanted = true
      if (!closed) void sending.run()
    },
    status: async () => ({ ...(await queue.counts()), transport: transport.name }),
    async drain() {
      wanted = draining = true
      await sending.run()
    },
    async close() {
      closed = true
      const ended = Promise.all([sending.close(), tidying.close()])
      await Promise.race([ended, sleep(closeTimeoutMs, undefined, { ref: false })])
      transport.close()
    },
  }
}
