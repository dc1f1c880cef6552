import { createTransport } from 'nodemailer'
import { MailRefusedError, type Transport } from './transport.ts'

/** For a whole email. A lease (queue.ts) lasts twice as long. */
const sendTimeoutMs = 30_000

/** Sends over SMTP, on a pool of connections. */
export function createSmtpTransport(
  url: string,
  timeoutMs: number,
  connections: number,
): Transport {
  const { username, hostname, searchParams } = new URL(url)
  const isNear = /^(localhost|127\..*|\[::1\])$/.test(hostname)
  const saysTls = ['requireTLS', 'ignoreTLS', 'secure'].some((name) => searchParams.has(name))
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: connections,
    // The outbox retries, and counts the attempts.
    maxRequeues: 0,
    idleTimeout: 30_000,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    // Never send a password in plain text, even if an attacker on the way hides that TLS is offered.
    ...(username !== '' && !isNear && !saysTls && { requireTLS: true }),
  })
  return {
    name: 'smtp',
    async send({ id: _id, template: _template, ...message }) {
      try {
        await transport.sendMail({ ...message, signal: AbortSignal.timeout(sendTimeoutMs) })
      } catch (error) {
        throw isRefusal(error)
          ? new MailRefusedError(error instanceof Error ? error.message : '', { cause: error })
          : error
      }
    },
    close: () => transport.close(),
  }
}

/** A permanent failure (5xx) of this recipient or content. One of the login or the sender is for the operator to fix. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error) || !('command' in error)) return false
  const code = Number(error.responseCode)
  return code >= 500 && code < 600 && /^(RCPT TO|DATA)$/.test(String(error.command))
}
