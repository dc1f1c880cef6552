import { createConfig } from '../config.ts'
import { readEnv } from '../env.ts'
import { createLog } from '../log.ts'
import { adoptJournal } from './adopt-journal.ts'
import { backUp } from './backup.ts'
import { baseBackup } from './base-backup.ts'
import { callDoctor } from './call-doctor.ts'
import { describeApi } from './describe-api.ts'
import { explain, makeAdmin } from './make-admin.ts'
import { restore, verifyBackup } from './restore.ts'
import { printKeys } from './print-keys.ts'
import { moveClicks } from './move-clicks.ts'
import { upgradePostgres } from './upgrade-postgres.ts'
import { sendTestMail } from './send-test-mail.ts'
import { orThrow } from '../primitives/or-throw.ts'

/** The commands of the operator, beside a running server or without one. Each returns a message for the operator. */
const commands = {
  /** `npm run admin -- EMAIL`, or `-- --sign-in EMAIL` */
  admin: makeAdmin,
  /** `npm run mail -- EMAIL`: tries the mail settings. */
  mail: sendTestMail,
  /** `npm run adopt -- FOLDER`: counts the clicks that a server left in its data directory when it crashed and will not be restarted. */
  adopt: adoptJournal,
  /** `npm run api -- openapi`: the description of the table door. */
  api: describeApi,
  /** `npm run doctor`: examines the deployment. */
  doctor: callDoctor,
  /** `npm run keys`: the signing key that several servers share. */
  keys: printKeys,
  /** `npm run backup -- FILE`: database, keys, images and pending clicks, while the server runs. */
  backup: backUp,
  /** `npm run base-backup -- FOLDER`: the files of the included PostgreSQL, for recovery to a point in time. */
  'base-backup': baseBackup,
  /** `npm run restore -- FILE` */
  restore,
  /** `npm run verify -- FILE`: restores into a separate database. */
  verify: verifyBackup,
  /** `npm run move-clicks`: from PostgreSQL to ClickHouse. */
  'move-clicks': moveClicks,
  /** `npm run upgrade-postgres`: brings the data of the included PostgreSQL to its new major version. */
  'upgrade-postgres': upgradePostgres,
}

async function main([name, ...args]: string[]): Promise<string> {
  const command = orThrow(
    Object.entries(commands).find(([each]) => each === name)?.[1],
    () => new Error(`Unknown command: ${name}`),
  )
  return command(args, createConfig(readEnv()), createLog('error'))
}

main(process.argv.slice(2)).then(
  (message) => {
    process.stdout.write(`${message}\n`)
    process.exit(0)
  },
  (error: unknown) => {
    process.stderr.write(`${explain(error)}\n`)
    process.exit(1)
  },
)
