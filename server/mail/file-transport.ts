import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Logger } from '../log.ts'
import type { Transport } from './transport.ts'

/** Without a mail server each email becomes a file that mail programs open. The log names it, and its link if allowed. */
export function createFileTransport(dataDir: string, log: Logger, logsLinks: boolean): Transport {
  const folder = join(dataDir, 'outbox')
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
      const moment = message.date.toISOString().replaceAll(/\D/g, '').slice(0, 14)
      // Named after its row, so that an email that is sent twice is one file.
      const file = join(folder, `${moment}-${template}-${id}.eml`)
      await writeWhole(file, bytes as Buffer)
      const link = logsLinks ? /https?:\/\/\S+/.exec(message.text)?.[0] : undefined
      log.info({ file, link }, 'email written to a file, because SMTP_URL is not set')
    },
    close: () => composer.close(),
  }
}

async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const partial = `${file}.part`
  const handle = await open(partial, 'w', 0o600)
  try {
    await handle.writeFile(bytes)
  } finally {
    await handle.close()
  }
  await rename(partial, file)
}
