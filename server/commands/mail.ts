import { createConfig } from '../config.ts'
import { readEnv } from '../env.ts'
import { createLog } from '../log.ts'
import { sendTestMail } from './send-test-mail.ts'

/** `npm run mail -- EMAIL`: tries the mail settings; needs no running server. Exit code 0 when the mail was taken. */
async function main(): Promise<void> {
  const message = await sendTestMail(
    process.argv.slice(2),
    createConfig(readEnv()),
    createLog('error'),
  )
  process.stdout.write(`${message}\n`)
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  },
)
