import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { compose } from '../mail/deliver.ts'
import { openTransport } from '../mail/transport.ts'
import { isAddress } from '../mail/settings.ts'
import { errorMessage } from '../primitives/caught-error.ts'
import { oneArgument } from './one-argument.ts'

const usage = 'Usage: npm run mail -- EMAIL   (sends a test mail to this address)'

/**
 * Sends a mail at once, past the outbox, so that the reply of the mail server is seen.
 *
 * @param args the e-mail address and nothing else
 * @returns a message for the operator
 * @throws {Error} with a message for the operator
 */
export async function sendTestMail(args: string[], config: Config, log: Logger): Promise<string> {
  const recipient = oneArgument(args, usage)
  if (!isAddress(recipient)) throw new Error(usage)
  const { from } = config.mail
  const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`
  const site = { publicUrl, linksUrl: config.linksUrl ?? publicUrl }
  const transport = openTransport(config, log)
  const mail = { id: randomUUID(), template: 'test', recipient, data: {}, created_at: new Date() }
  try {
    await transport.send(compose(mail, { from, site }))
  } catch (error) {
    throw new Error(`The mail was not sent: ${errorMessage(error)}`, { cause: error })
  } finally {
    transport.close()
  }
  return transport.name === 'smtp'
    ? `The mail server has taken a mail from ${from.address} to ${recipient}. See whether it arrives.`
    : `No SMTP_URL is set, so the mail is a file in ${join(config.dataDir, 'outbox')}.`
}
