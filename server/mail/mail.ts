import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { createCounts } from '../primitives/counts.ts'
import type { Jobs } from '../primitives/jobs.ts'
import { deliver } from './deliver.ts'
import { createQueue, type LeasedEmail } from './queue.ts'
import { openTransport, sendConcurrency } from './transport.ts'

interface MailDeps {
  config: Pick<Config, 'mail' | 'dataDir'> & { publicUrl: string; linksUrl: string }
  database: Database
  log: Logger
  jobs: Jobs
}

/** Delay of the first run: publicUrl is known only after listen(). */
const firstRunMs = 1_000
/** A mail server that does not answer must not delay the shutdown longer. */
const closeTimeoutMs = 10_000

/** Sends the emails in the outbox, which `enqueueMail` fills; see docs/decisions/0053 for retries. */
export function createMailer({ config, database, log, jobs }: MailDeps) {
  const { from, pollIntervalMs } = config.mail
  const queue = createQueue(database)
  const transport = openTransport(config, log)
  const outcomes = createCounts(['sent', 'retried', 'given-up'])
  let closed = false
  /** Another run follows the current one. */
  let wanted = false
  /** The mail server itself failed last time. */
  let outage = false

  const attempt = async (mail: LeasedEmail): Promise<void> => {
    const failure = await deliver(mail, transport, { from, site: config, log })
    outcomes.add(failure ? (failure.forGood ? 'given-up' : 'retried') : 'sent')
    if (!failure) await queue.markSent(mail.id)
    else if (failure.forGood) await queue.markGivenUp(mail.id, failure.reason)
    else if (failure.outage) await queue.markDelayed(mail.id, failure.reason)
    else await queue.markFailed(mail, failure.reason)
    outage = failure?.outage === true
  }

  const lane = async (): Promise<void> => {
    while (!closed && !outage) {
      const mail = await queue.claim()
      if (!mail) return
      await attempt(mail)
    }
  }
  const sendDue = async (): Promise<void> => {
    // After an outage one email tries alone, so that the others keep their attempts.
    const probe = outage ? await queue.claim() : undefined
    if (probe) await attempt(probe)
    const ends = await Promise.allSettled(Array.from({ length: sendConcurrency }, lane))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
  const sending = jobs.add('send emails', { everyMs: pollIntervalMs, firstRunMs }, async () => {
    do {
      wanted = false
      await sendDue()
    } while (wanted && !closed)
  })

  /** Sends everything that is due. */
  const drain = () => {
    // The current run may have found the outbox empty a moment ago.
    wanted = true
    return sending.run()
  }
  return {
    /** Reads the outbox now, after a transaction that queued an email. */
    wake() {
      if (!closed) void drain()
    },
    status: queue.counts,
    outcomes,
    drain,
    /** Waits for the emails that are being sent. */
    async close() {
      closed = true
      await Promise.race([sending.close(), sleep(closeTimeoutMs, undefined, { ref: false })])
      transport.close()
    },
  }
}
