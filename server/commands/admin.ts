import { createConfig } from '../config.ts'
import { readEnv } from '../env.ts'
import { createLog } from '../log.ts'
import { explain, makeAdmin } from './make-admin.ts'

/** `npm run admin -- EMAIL`, beside a running server or without one. Exit code 0 when the account is an admin now. */
async function main(): Promise<void> {
  const message = await makeAdmin(
    process.argv.slice(2),
    createConfig(readEnv()),
    createLog('error'),
  )
  process.stdout.write(`${message}\n`)
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${explain(error)}\n`)
    process.exit(1)
  },
)
