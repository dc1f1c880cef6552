import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { createFileTransport } from './file-transport.ts'
import { createSmtpTransport } from './smtp.ts'
import type { Transport } from './transport.ts'

/** So many mails are sent at once. */
export const lanes = 4

/** The mail server that is configured, or files. */
export function openTransport(config: Pick<Config, 'mail' | 'dataDir'>, log: Logger): Transport {
  const { smtpUrl, timeLimit } = config.mail
  return smtpUrl
    ? createSmtpTransport(smtpUrl, timeLimit, lanes)
    : createFileTransport(config.dataDir, log)
}
