import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { createFileTransport } from './file-transport.ts'
import { createSmtpTransport } from './smtp.ts'
import type { Transport } from './transport.ts'

/** How many emails are sent at once. */
export const sendConcurrency = 4

/** The configured mail server, or files. */
export function openTransport(config: Pick<Config, 'mail' | 'dataDir'>, log: Logger): Transport {
  const { smtpUrl, timeoutMs, logsLinks } = config.mail
  if (smtpUrl) return createSmtpTransport(smtpUrl, timeoutMs, sendConcurrency)
  if (!logsLinks)
    log.warn(
      'SMTP_URL is not set: emails become files that only you can read, so that nobody can reset a password, and unless AUTH_AUTOCONFIRM=off addresses are not confirmed',
    )
  return createFileTransport(config.dataDir, log, logsLinks)
}
