import { buffer } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import { callbackify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface Received {
  recipient: string
  sender: string
  raw: string
  mail: Email
}

export interface TestSmtp {
  /** For SMTP_URL. */
  url: string
  port: number
  /** The mails it took, each as often as it came. */
  received: Received[]
  close(): Promise<void>
}

interface Behavior {
  port?: number
  /** A reply instead of 250 to this recipient, for example 450. */
  refuseRecipient?: (address: string) => number | undefined
  /** A reply instead of 250 to this content. */
  refuseMessage?: (raw: string) => number | undefined
  /** Milliseconds before it answers to a message. */
  slow?: (address: string) => number
  /** Called before its "250" to a message that it has taken leaves; the answer waits for it. */
  afterTaking?: (message: Received) => Promise<void>
  options?: SMTPServerOptions
}

/** A mail server that keeps its mails. */
export async function startSmtp(behavior: Behavior = {}): Promise<TestSmtp> {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
    onRcptTo({ address }, _session, callback) {
      const refusal = behavior.refuseRecipient?.(address)
      callback(refusal === undefined ? null : replyOf(refusal))
    },
    onData(stream, session, callback) {
      const take = async () => {
        const bytes = await buffer(stream)
        const raw = bytes.toString('latin1')
        const { mailFrom, rcptTo } = session.envelope
        const recipient = rcptTo[0]?.address ?? ''
        const refusal = behavior.refuseMessage?.(raw)
        if (refusal !== undefined) throw replyOf(refusal)
        const delay = behavior.slow?.(recipient) ?? 0
        await new Promise((resolve) => setTimeout(resolve, delay))
        const message = {
          recipient,
          sender: mailFrom === false ? '' : mailFrom.address,
          raw,
          mail: await PostalMime.parse(bytes),
        }
        received.push(message)
        await behavior.afterTaking?.(message)
      }
      callbackify(take)((error) => callback(error))
    },
    ...behavior.options,
  })
  // Some tests want a client that ends in the middle of a mail.
  server.on('error', () => {})
  await new Promise<void>((resolve) => {
    server.listen(behavior.port ?? 0, '127.0.0.1', () => resolve())
  })
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function replyOf(code: number): Error {
  return Object.assign(new Error('no'), { responseCode: code })
}
