import { randomBytes } from 'node:crypto'
import { access, constants } from 'node:fs/promises'
import OpenAI from 'openai'
import { openBackupFolder } from '../backup/backup-folder.ts'
import { callStripe, createStripeClient } from '../billing/stripe/client.ts'
import { isLoopback } from '../http/loopback.ts'
import { createS3Store } from '../media/s3-store.ts'
import { openSmtp } from '../mail/transport.ts'
import { type DoctorDeps, type Finding, ok, okIf, problem, reasonOf, warning } from './finding.ts'

const aiTimeoutMs = 10_000

export async function checkMail({ config }: DoctorDeps): Promise<Finding[]> {
  const { smtpUrl, timeoutMs } = config.mail
  if (!smtpUrl)
    return [
      warning(
        'No SMTP_URL is set: emails become files in DATA_DIR/outbox, and people cannot reset a password.',
      ),
    ]
  const transport = openSmtp(smtpUrl, timeoutMs)
  try {
    await transport.verify()
    return [ok('The mail server takes our name and password. Try a mail: npm run mail -- EMAIL')]
  } catch (error) {
    return [problem(`The mail server refuses: ${reasonOf(error)}. Look at SMTP_URL.`)]
  } finally {
    transport.close()
  }
}

export async function checkPayments({ config }: DoctorDeps): Promise<Finding[]> {
  const { payments } = config
  if (!payments) return [ok('Paid plans are not sold.')]
  if (payments.provider === 'play_money') return [checkPlayMoney(config)]
  const stripe = createStripeClient(payments.secretKey, payments.apiUrl)
  const prices = Object.entries(payments.prices).map(async ([plan, id]): Promise<Finding> => {
    try {
      const { active, recurring } = await callStripe(() => stripe.prices.retrieve(id))
      return okIf(
        active && recurring !== null,
        `Stripe knows the price of the plan ${plan}.`,
        problem(`The price ${id} of the plan ${plan} is not active, or not recurring.`),
      )
    } catch (error) {
      return problem(`Stripe does not give the price ${id} (${plan}): ${reasonOf(error)}.`)
    }
  })
  const webhook = okIf(
    Boolean(payments.webhookSecret),
    'The signing secret of the webhook is set.',
    warning('STRIPE_WEBHOOK_SECRET is not set: payments take up to ten minutes to count.'),
  )
  return [...(await Promise.all(prices)), webhook]
}

function checkPlayMoney({ host, publicUrl }: DoctorDeps['config']): Finding {
  const isPrivate = isLoopback(publicUrl === undefined ? host : new URL(publicUrl).hostname)
  return okIf(
    isPrivate,
    'Play money: nothing is charged.',
    warning(
      `Play money is on at ${publicUrl ?? host}: everyone who reaches it gets paid plans for nothing. Set SANDBOX_PAYMENTS=off, or STRIPE_….`,
    ),
  )
}

/** Stores a few bytes, reads them and removes them again. */
export async function checkStorage({ config }: DoctorDeps): Promise<Finding[]> {
  const { s3 } = config.media
  if (!s3) {
    await access(config.dataDir, constants.W_OK)
    return [ok('Images are files in DATA_DIR/media.')]
  }
  const store = createS3Store(s3)
  const [hash, bytes] = [randomBytes(32).toString('hex'), randomBytes(100)]
  try {
    await store.put(hash, bytes)
    const found = await store.get(hash)
    await store.remove(hash)
    return [
      okIf(
        found?.equals(bytes) === true,
        `The bucket ${s3.bucket} stores and gives back.`,
        problem(`The bucket ${s3.bucket} gives back something else than was stored.`),
      ),
    ]
  } catch (error) {
    return [problem(`The bucket ${s3.bucket} cannot be used: ${reasonOf(error)}. Look at S3_….`)]
  }
}

export async function checkBackups({ config }: DoctorDeps): Promise<Finding[]> {
  const { schedule } = config.backup
  if (!schedule)
    return [warning('BACKUP_SCHEDULE is not set: backups are made by hand only (docs/backup.md).')]
  try {
    await openBackupFolder(schedule.to, config).tryIt()
    return [ok(`Backups can be written to ${schedule.to}.`)]
  } catch (error) {
    return [
      problem(
        `Backups cannot be written to ${schedule.to}: ${reasonOf(error)}. Look at BACKUP_TO.`,
      ),
    ]
  }
}

export async function checkAi({ config: { ai } }: DoctorDeps): Promise<Finding[]> {
  if (!ai.provider) return [ok('Popups are drafted without an AI.')]
  const { apiKey, baseUrl, textModel } = ai.provider
  const client = new OpenAI({ apiKey, baseURL: baseUrl, timeout: aiTimeoutMs, maxRetries: 0 })
  try {
    const { data } = await client.models.list()
    return [
      okIf(
        data.some(({ id }) => id === textModel),
        `The AI has the model ${textModel}.`,
        warning(`The AI does not list the model ${textModel} of AI_TEXT_MODEL.`),
      ),
    ]
  } catch (error) {
    return [problem(`The AI does not answer: ${reasonOf(error)}. Look at AI_BASE_URL.`)]
  }
}
