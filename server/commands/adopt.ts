import { createConfig } from '../config.ts'
import { readEnv } from '../env.ts'
import { createLog } from '../log.ts'
import { adoptJournal } from './adopt-journal.ts'

/**
 * `npm run adopt -- FOLDER`: counts the clicks that a server left in its data directory when it died for good. Exit code
 * 0 when all of them are counted.
 */
async function main(): Promise<void> {
  const message = await adoptJournal(
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
