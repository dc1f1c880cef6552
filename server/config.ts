import { resolve } from 'node:path'
import type { AiProviderSettings } from './ai/openai-provider.ts'
import type { AuthSettings, CaptchaServiceSettings } from './auth/settings.ts'
import type { PaymentSettings } from './billing/settings.ts'
import type { Env } from './env.ts'
import { isLoopback } from './http/loopback.ts'
import type { MailSettings } from './mail/settings.ts'
import type { S3Settings } from './media/s3-store.ts'

/** What the server runs with: derived from the environment; what could contradict was refused by env.ts. */
export type Config = ReturnType<typeof createConfig>

export function createConfig(env: Env) {
  return {
    host: env.HOST,
    port: env.PORT,
    /** The origin that people reach Hoplet at, without a trailing slash; undefined until the port is known. */
    publicUrl: env.PUBLIC_URL ? new URL(env.PUBLIC_URL).origin : undefined,
    dataDir: resolve(env.DATA_DIR),
    /** Unset: the embedded PostgreSQL in the data directory. */
    databaseUrl: env.DATABASE_URL,
    /** How many proxies in front of us set X-Forwarded-For; 0 means that the header is not believed. */
    trustedProxies: env.TRUSTED_PROXIES,
    /** How long a server that was told to stop serves on, with /health/ready at 503. */
    drainSeconds: env.DRAIN_SECONDS,
    /** Connections to the database for everything but visits, which have four of their own, and one that listens. */
    databasePoolSize: env.DATABASE_POOL_SIZE,
    /** Open connections that one client address may have; 0 means no limit. */
    connectionsPerAddress: env.CONNECTIONS_PER_ADDRESS,
    clicks: { mode: env.CLICK_MODE, fsync: env.CLICK_FSYNC },
    visits: {
      /** Names that memory holds, about 2 kB each. */
      nameCacheSize: env.NAME_CACHE_SIZE,
      /** How long a visitor waits for the look-up of a name that memory does not hold. */
      lookupTimeoutMs: 5_000,
    },
    clickRetentionDays: env.CLICK_RETENTION_DAYS,
    /** A private ES256 JWK as JSON text; unset: one is made and kept in the data directory. */
    signingKey: env.JWT_SIGNING_KEY,
    auth: authOf(env),
    ai: {
      /** Unset: drafts without an AI. */
      provider: aiProviderOf(env),
      limits: { perPerson: env.AI_DAILY_PER_PERSON, total: env.AI_DAILY_TOTAL },
      /** In milliseconds, retries included. */
      timeLimits: { text: 30_000, image: 60_000 },
    },
    media: {
      /** Unset: files in the data directory. */
      s3: s3Of(env),
      uploadsPerDay: 100,
    },
    /** Undefined: paid plans cannot be bought here. */
    payments: paymentsOf(env),
    mail: mailOf(env),
    rateLimits: env.RATE_LIMITS,
    /** Whether browsers must use HTTPS for every subdomain of the site as well. */
    hstsSubdomains: env.HSTS_SUBDOMAINS,
    logLevel: env.LOG_LEVEL,
  }
}

function authOf(env: Env): AuthSettings {
  return {
    // Without a mail server no address could be confirmed.
    autoconfirm: env.AUTH_AUTOCONFIRM ?? env.SMTP_URL === undefined,
    signUp: !env.AUTH_DISABLE_SIGNUP,
    passwordMinLength: env.PASSWORD_MIN_LENGTH,
    redirectUrls: env.AUTH_REDIRECT_URLS,
    providers: env.signInProviders,
    manualLinking: env.AUTH_MANUAL_LINKING,
    oauthRegistration: env.AUTH_OAUTH_REGISTRATION,
    smsWebhook: env.SMS_WEBHOOK_URL,
    captcha: captchaOf(env),
  }
}

function mailOf(env: Env): MailSettings {
  return {
    from: env.MAIL_FROM,
    smtpUrl: env.SMTP_URL,
    timeoutMs: 10_000,
    pollIntervalMs: 5_000,
    logsLinks: isLoopback(env.PUBLIC_URL ? new URL(env.PUBLIC_URL).hostname : env.HOST),
  }
}

/** Undefined without configuration; env.ts has refused a partial one. */
function aiProviderOf(env: Env): AiProviderSettings | undefined {
  const { AI_BASE_URL: baseUrl, AI_API_KEY: apiKey, AI_TEXT_MODEL: textModel } = env
  if (!baseUrl || !apiKey || !textModel) return undefined
  return { baseUrl, apiKey, textModel, imageModel: env.AI_IMAGE_MODEL }
}

/** Undefined without configuration; env.ts has refused a partial one. */
function s3Of(env: Env): S3Settings | undefined {
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region = 'us-east-1' } = env
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) return undefined
  return { endpoint, bucket, region, accessKeyId, secretAccessKey }
}

/** Undefined without configuration; env.ts has refused a partial one. */
function captchaOf(env: Env): CaptchaServiceSettings | undefined {
  const { CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY: siteKey, CAPTCHA_SECRET: secret } = env
  if (!provider || !siteKey || !secret) return undefined
  return { provider, siteKey, secret, verifyUrl: env.CAPTCHA_VERIFY_URL }
}

/**
 * Undefined without a provider. `auto` gives play money only to the operator's own machine: neither the address that
 * the server listens on nor the one that people use may be anyone else's.
 */
function paymentsOf(env: Env): PaymentSettings | undefined {
  const {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_PRICE_PRO: pro,
    STRIPE_PRICE_BUSINESS: business,
  } = env
  if (secretKey && pro && business) {
    const { STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: apiUrl } = env
    return { provider: 'stripe', secretKey, webhookSecret, prices: { pro, business }, apiUrl }
  }
  const isPrivate =
    isLoopback(env.HOST) && (!env.PUBLIC_URL || isLoopback(new URL(env.PUBLIC_URL).hostname))
  const isOn = env.SANDBOX_PAYMENTS === 'on' || (env.SANDBOX_PAYMENTS === 'auto' && isPrivate)
  return isOn ? { provider: 'play_money' } : undefined
}
