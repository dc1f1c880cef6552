import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport, type SendMailOptions } from 'nodemailer'
import type { Config } from '../config.ts'
import { isLoopback } from '../http/loopback.ts'
import type { Logger } from '../log.ts'
import { ifError } from '../primitives/caught-error.ts'
import { writeWhole } from '../primitives/write-whole.ts'

/** Sends emails. */
export interface Transport {
  name: 'smtp' | 'file'
  /** Resolves when the email was accepted. The same email may be sent twice. */
  send(message: OutgoingMessage): Promise<void>
  /** Whether the mail server accepts a session, with its login. */
  isUp(): Promise<boolean>
  close(): void
}

export interface OutgoingMessage extends SendMailOptions {
  /** The id of its row in the outbox. */
  id: string
  template: string
  /** Plain text. Without a mail server its first link may go to the log. */
  text: string
  date: Date
}

/** How many emails are sent at once. */
export const sendConcurrency = 4
/** For a whole email. A lease (queue.ts) lasts twice as long. */
const sendTimeoutMs = 30_000

/** The configured mail server, or files. */
export function openTransport(config: Pick<Config, 'mail' | 'dataDir'>, log: Logger): Transport {
  const { smtpUrl, timeoutMs, logsLinks } = config.mail
  if (smtpUrl) return createSmtpTransport(smtpUrl, timeoutMs)
  if (!logsLinks)
    log.warn(
      'SMTP_URL is not set: emails become files that only the operator can read. People cannot reset a password, and addresses are confirmed only with AUTH_AUTOCONFIRM=off',
    )
  return createFileTransport(join(config.dataDir, 'outbox'), log, logsLinks)
}

/** Connections to the mail server, opened when they are needed. */
export function openSmtp(url: string, timeoutMs: number) {
  const { username, hostname, searchParams } = new URL(url)
  const saysTls = ['requireTLS', 'ignoreTLS', 'secure'].some((name) => searchParams.has(name))
  return createTransport({
    url,
    pool: true,
    maxConnections: sendConcurrency,
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
    ...(username !== '' && !isLoopback(hostname) && !saysTls && { requireTLS: true }),
  })
}

function createSmtpTransport(url: string, timeoutMs: number): Transport {
  const transport = openSmtp(url, timeoutMs)
  return {
    name: 'smtp',
    async send({ id: _id, template: _template, ...message }) {
      await transport.sendMail({ ...message, signal: AbortSignal.timeout(sendTimeoutMs) })
    },
    isUp: () => transport.verify().catch(ifError(Error, () => false)),
    close: () => transport.close(),
  }
}

/** Files of emails are kept for a week, and the newest only. */
const keepFilesMs = 7 * 24 * 60 * 60_000
const maxFiles = 5_000

/** Their names begin with the moment, so they sort by age. */
async function removeOld(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort()
  const oldest = momentOf(new Date(Date.now() - keepFilesMs))
  const isExpired = (name: string, i: number) => name < oldest || i < files.length - maxFiles
  for (const name of files.filter(isExpired)) await rm(join(folder, name), { force: true })
}

const momentOf = (date: Date): string => date.toISOString().replaceAll(/\D/g, '').slice(0, 14)

/** Without a mail server each email becomes a file that mail programs open. The log names it, and its link if allowed. */
function createFileTransport(folder: string, log: Logger, logsLinks: boolean): Transport {
  const composer = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    name: 'file',
    async send({ id, template, ...message }) {
      const { message: bytes } = await composer.sendMail(message)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // Named after its row, so that an email that is sent twice is one file.
      const file = join(folder, `${momentOf(message.date)}-${template}-${id}.eml`)
      await writeWhole(file, bytes as Buffer)
      const link = logsLinks ? /https?:\/\/\S+/.exec(message.text)?.[0] : undefined
      await removeOld(folder)
      log.info({ file, link }, 'email written to a file, because SMTP_URL is not set')
    },
    // A file that cannot be written is a fault of the disk.
    isUp: () => Promise.resolve(false),
    close: () => composer.close(),
  }
}
