import type { JWK } from 'jose'
import { createSecretBox } from '#server/auth/secret-box.ts'
import type { Config } from '#server/config.ts'
import { createLog } from '#server/log.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { createJobs } from '#server/primitives/jobs.ts'
import { createWebhookSender } from '#server/webhooks/sender.ts'

/** A process that does nothing but send webhooks, for the test that kills it. */
const [databaseUrl = '', webhooks = '', key = ''] = process.argv.slice(2)
const log = createLog('silent')
createWebhookSender({
  config: { webhooks: JSON.parse(webhooks) as Config['webhooks'] },
  database: openDatabase(databaseUrl, log),
  log,
  jobs: createJobs({ log }),
  secretBox: createSecretBox(JSON.parse(key) as JWK),
  version: 'test',
  wakeMail: () => {},
})
// The job's timer does not keep the process alive.
setInterval(() => {}, 1_000)
