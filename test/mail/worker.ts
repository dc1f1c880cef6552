import { createLog } from '#server/log.ts'
import { createMailer } from '#server/mail/mail.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { createJobs } from '#server/primitives/jobs.ts'
import { mailConfig } from './mails.ts'

/** A process that does nothing but send the outbox, for the test that kills it. */
const [databaseUrl = '', smtpUrl = ''] = process.argv.slice(2)
const log = createLog('silent')
const mailer = createMailer({
  config: {
    ...mailConfig({ SMTP_URL: smtpUrl, MAIL_FROM: 'mail@go.example' }),
    publicUrl: 'https://go.example',
    linksUrl: 'https://go.example',
    dataDir: '',
  },
  database: openDatabase(databaseUrl, log),
  log,
  jobs: createJobs({ log }),
})
process.stdin.once('data', () => void mailer.drain())
process.stdout.write('ready\n')
