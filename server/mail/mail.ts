import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { deliver } from './deliver.ts'
import { sendConcurrency, openTransport } from './open-transport.ts'
import { createQueue, type Leased, type OutboxCounts } from './queue.ts'
import type { Transport } from './transport.ts'

export interface MailStatus extends OutboxCounts {
  transport: Transport['name']
}

/** Sends what stands in the outbox; `enqueueMail` writes into it. */
export interface Mailer {
  /** Look into the outbox now: for after a transaction that has written a mail. */
  wake(): void
  status(): Promise<MailStatus>
  /** Sends all that is due, also right after an outage. */
  drain(): Promise<void>
  /** Ends after the mails that are being sent. */
  close(): Promise<void>
}

interface Surroundings {
  config: Pick<Config, 'mail' | 'dataDir'> & { publicUrl: string }
  database: Database
  log: Logger
}

/** Not at once: the address in the links may be known only when the server listens. */
const soon = 1_000
const shortestPause = 1_000
const longestPause = 60_000
const tidyEvery = 3_600_000
/** A mail server that does not answer must not keep the process. */
const longestEnd = 10_000

/** Starts sending; see docs/decisions/0053 for what happens when. */
export function createMailer({ config, database, log }: Surroundings): Mailer {
  const { from, pollIntervalMs } = config.mail
  const queue = createQueue(database)
  const transport = openTransport(config, log)
  let closed = false
  let wanted = false
  let running: Promise<void> | undefined
  let pause = 0
  let pausedUntil = 0
  let databaseDown = false

  const attempt = async (mail: Leased): Promise<void> => {
    const delivery = await deliver(mail, transport, { from, publicUrl: config.publicUrl, log })
    if (delivery.sent) {
      await untilDone(() => queue.markSent(mail.id))
      if (pause > 0) await queue.bringForward()
      pause = 0
      return
    }
    // The sendConcurrency meet the same outage together; it counts once.
    if (delivery.outage && Date.now() >= pausedUntil) {
      pause = Math.min(pause * 2 || shortestPause, longestPause)
      pausedUntil = Date.now() + pause
    }
    await queue.markFailed(mail, delivery)
  }

  /** What is sent has to be known as sent, or it goes out once more when the lease ends. */
  const untilDone = async (work: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (closed) throw error
        await sleep(shortestPause, undefined, { ref: false })
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
        if (!databaseDown) log.warn({ err: error }, 'the outbox cannot be read')
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
      .catch((error: unknown) => log.warn({ err: error }, 'old mails could not be removed'))
  const timers = [
    setTimeout(() => void run().then(tidy), soon),
    setInterval(() => void run(), pollIntervalMs),
    setInterval(() => void tidy(), tidyEvery),
  ]
  for (const timer of timers) timer.unref()

  return {
    wake() {
      // What runs may have found the outbox empty a moment ago.
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
      await Promise.race([running, sleep(longestEnd, undefined, { ref: false })])
      transport.close()
    },
  }
}
