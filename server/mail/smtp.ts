import { createTransport } from 'nodemailer'
import { MailRefusedError, type Transport } from './transport.ts'

/** A mail takes no longer than this in all; a lease (queue.ts) lasts twice as long. */
const overallLimit = 30_000

/** Sends over SMTP, on a few connections that stay open for a while. */
export function createSmtpTransport(
  url: string,
  timeLimit: number,
  connections: number,
): Transport {
  const { username, hostname, searchParams } = new URL(url)
  const isNear = /^(localhost|127\..*|\[::1\])$/.test(hostname)
  const saysTls = ['requireTLS', 'ignoreTLS', 'secure'].some((name) => searchParams.has(name))
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: connections,
    // The outbox tries again, and it knows how often.
    maxRequeues: 0,
    idleTimeout: 30_000,
    connectionTimeout: timeLimit,
    greetingTimeout: timeLimit,
    socketTimeout: timeLimit,
    dnsTimeout: timeLimit,
    disableFileAccess: true,
    disableUrlAccess: true,
    // A password crosses no network in the clear, even if somebody on the way hides that TLS is offered.
    ...(username !== '' && !isNear && !saysTls && { requireTLS: true }),
  })
  return {
    name: 'smtp',
    async send({ id: _id, template: _template, ...message }) {
      try {
        await transport.sendMail({ ...message, signal: AbortSignal.timeout(overallLimit) })
      } catch (error) {
        throw isRefusal(error)
          ? new MailRefusedError(error instanceof Error ? error.message : '', { cause: error })
          : error
      }
    },
    close: () => transport.close(),
  }
}

/** A lasting "no" (5xx) to this recipient or this content; to a log-in or a sender it is the operator's to mend. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error) || !('command' in error)) return false
  const code = Number(error.responseCode)
  return code >= 500 && code < 600 && /^(RCPT TO|DATA)$/.test(String(error.command))
}
