import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { isSmtpUrl, parseSender } from './mail/settings.ts'
import {
  backupKeep,
  cacheMegabytes,
  clickLog,
  dnsServers,
  headerList,
  httpUrl,
  ipAddresses,
  isCronExpression,
  isPostgresUrl,
  isSigningKey,
  onOff,
  workerCount,
  redirectUrls,
  retentionDays,
  securityContact,
  stripePrice,
  wholeNumber,
} from './env-values.ts'

// Contradictions are found beside other problems: all are listed at once.
const when = () => true

/** Variables that mean something only together. */
export const variableGroups = {
  ai: z.object({
    AI_BASE_URL: httpUrl,
    AI_API_KEY: z.string(),
    AI_TEXT_MODEL: z.string(),
    AI_IMAGE_MODEL: z.string().optional(),
  }),
  s3: z.object({
    S3_ENDPOINT: httpUrl,
    S3_BUCKET: z.string(),
    S3_ACCESS_KEY_ID: z.string(),
    S3_SECRET_ACCESS_KEY: z.string(),
    S3_REGION: z.string().default('us-east-1'),
  }),
  stripe: z
    .object({
      STRIPE_SECRET_KEY: z
        .string()
        .regex(/^(sk|rk)_(test|live)_\w+$/, 'must be a secret or restricted key (sk_… or rk_…)'),
      STRIPE_PRICE_PRO: stripePrice,
      STRIPE_PRICE_BUSINESS: stripePrice,
      STRIPE_WEBHOOK_SECRET: z
        .string()
        .regex(/^whsec_\S+$/, 'must begin with whsec_')
        .optional(),
      STRIPE_API_URL: httpUrl.optional(),
    })
    .refine((env) => !env.STRIPE_PRICE_PRO || env.STRIPE_PRICE_PRO !== env.STRIPE_PRICE_BUSINESS, {
      path: ['STRIPE_PRICE_BUSINESS'],
      message: 'must be another price than STRIPE_PRICE_PRO',
      when,
    }),
  captcha: z.object({
    CAPTCHA_PROVIDER: z.enum(['turnstile', 'hcaptcha']),
    CAPTCHA_SITE_KEY: z.string(),
    CAPTCHA_SECRET: z.string(),
    CAPTCHA_VERIFY_URL: httpUrl.optional(),
  }),
  // The names and forms of the OpenTelemetry specification.
  tracing: z.object({
    OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl,
    OTEL_EXPORTER_OTLP_HEADERS: headerList.optional(),
    OTEL_SERVICE_NAME: z.string().max(255).optional(),
    OTEL_TRACES_SAMPLER_ARG: z
      .string()
      .transform(Number)
      .pipe(z.number('must be a number').min(0).max(1))
      .optional(),
  }),
  // A sender alone is fine: emails that become files name it.
  mail: z.object({
    MAIL_FROM: z.string().transform((text, context) => {
      const sender = parseSender(text)
      if (sender) return sender
      context.addIssue('must be an e-mail address, or a name and one: Hoplet <hoplet@example.com>')
      return z.NEVER
    }),
    SMTP_URL: z
      .string()
      .refine(isSmtpUrl, 'must be smtp://[user:password@]host[:port] or smtps://…')
      .optional(),
  }),
}

/** The variables that stand alone, as text from the environment or from `.env`; an empty one counts as unset. */
export const singleVariables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  WORKERS: workerCount.default(1),
  ADMIN_HOST: z.string().optional(),
  ADMIN_PORT: wholeNumber(1, 65_535).optional(),
  PUBLIC_URL: httpUrl
    .refine((url) => new URL(url).pathname === '/', 'must have no path')
    .optional(),
  LINKS_URL: httpUrl.refine((url) => new URL(url).pathname === '/', 'must have no path').optional(),
  DATA_DIR: z.string().default('./data'),
  SHARED_DATA_DIR: z.string().optional(),
  DATABASE_URL: z.string().refine(isPostgresUrl, 'must be a postgres:// URL').optional(),
  DATABASE_LISTEN_URL: z.string().refine(isPostgresUrl, 'must be a postgres:// URL').optional(),
  DATABASE_READ_URL: z.string().refine(isPostgresUrl, 'must be a postgres:// URL').optional(),
  DATABASE_POOL_SIZE: wholeNumber(2, 1_000).default(10),
  DATABASE_VISITS_POOL_SIZE: wholeNumber(1, 1_000).default(4),
  DRAIN_SECONDS: wholeNumber(0, 300).default(5),
  TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
  UNKNOWN_HOSTS: z.enum(['serve', 'refuse']).default('serve'),
  CONNECTIONS_PER_ADDRESS: wholeNumber(0, 100_000).default(500),
  CLICK_MODE: z.enum(['journal', 'sync']).default('journal'),
  CLICK_LOG: clickLog.optional(),
  CLICK_LOG_STREAM: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
    .optional(),
  CLICK_LOG_REPLICAS: wholeNumber(1, 5).optional(),
  CLICK_LOG_CREDENTIALS: z.string().optional(),
  CLICK_LOG_CA: z.string().optional(),
  CLICK_LOG_CERTIFICATE: z.string().optional(),
  CLICK_RECORDS: wholeNumber(2, 3).default(3),
  NAME_CACHE_MB: cacheMegabytes.default(128),
  CLICK_FSYNC: onOff.default(false),
  CLICK_RESERVE_MB: wholeNumber(0, 1_024).default(64),
  CLICK_RETENTION_DAYS: retentionDays.default({ free: 90, pro: 400, business: 800 }),
  CLICKHOUSE_URL: z
    .url({ protocol: /^https?$/, error: 'must be http(s)://user:password@host:port/database' })
    .refine((url) => /^\/\w{1,64}$/.test(new URL(url).pathname), {
      error: 'must end in the name of a database, such as /hoplet',
    })
    .optional(),
  CLICKHOUSE_CLUSTER: z
    .string()
    .regex(/^\w{1,64}$/, 'must be the name of a cluster')
    .optional(),
  GEOIP_DATABASE: z.string().optional(),
  GEOIP_HEADER: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be the name of a header')
    .transform((name) => name.toLowerCase())
    .optional(),
  JWT_SIGNING_KEY: z
    .string()
    .refine(
      isSigningKey,
      'must be a private P-256 key as a JWK (kty EC, crv P-256, x, y and d of one pair)',
    )
    .optional(),
  AUTH_AUTOCONFIRM: onOff.optional(),
  AUTH_DISABLE_SIGNUP: onOff.default(false),
  INVITE_SIGNUP: onOff.default(false),
  AUTH_PASSWORDS: onOff.default(true),
  AUTH_CLAIM_HOURS: wholeNumber(1, 720).default(12),
  AUTH_MANUAL_LINKING: onOff.default(true),
  AUTH_OAUTH_REGISTRATION: onOff.default(true),
  AUTH_REDIRECT_URLS: redirectUrls.default([]),
  PASSWORD_MIN_LENGTH: wholeNumber(6, 72).default(6),
  SESSION_IDLE_DAYS: wholeNumber(1, 90).default(90),
  SMS_WEBHOOK_URL: httpUrl.optional(),
  WEBHOOK_PRIVATE_ADDRESSES: onOff.default(false),
  DNS_SERVERS: dnsServers.default([]),
  DOMAIN_ADDRESSES: ipAddresses.default([]),
  DOMAIN_PROBE: onOff.default(true),
  LEAD_HOSTS: z
    .string()
    .regex(
      /^[a-z0-9.-]+(:\d{1,5})?(,[a-z0-9.-]+(:\d{1,5})?)*$/,
      'must be hosts with ports, separated by commas, for example listmonk:9000',
    )
    .transform((text) => text.split(','))
    .default([]),
  RATE_LIMITS: onOff.default(true),
  HSTS_SUBDOMAINS: onOff.default(false),
  ALLOW_PERMANENT_REDIRECTS: onOff.default(false),
  FETCH_TITLES: onOff.default(false),
  CHECK_LINKS: onOff.default(false),
  SECURITY_CONTACT: securityContact.optional(),
  AI_DAILY_PER_PERSON: wholeNumber(0, 1_000_000).default(50),
  AI_DAILY_TOTAL: wholeNumber(0, 1_000_000_000).default(2_000),
  BACKUP_SCHEDULE: z
    .string()
    .refine(isCronExpression, 'must be a cron expression of five fields, for example 15 3 * * *')
    .optional(),
  BACKUP_TO: z
    .string()
    .refine(
      (target) =>
        !target.includes('://') || /^s3:\/\/[a-z0-9][a-z0-9.-]{1,62}(?:\/|$)/.test(target),
      'must be a folder or s3://bucket/prefix',
    )
    .optional(),
  BACKUP_KEEP: backupKeep.optional(),
  BACKUP_PASSPHRASE: z.string().min(12, 'must have at least 12 characters').optional(),
  PLANS: onOff.default(true),
  LINKS_PER_ACCOUNT: wholeNumber(1, 100_000_000).optional(),
  SANDBOX_PAYMENTS: z.enum(['auto', 'on', 'off']).default('auto'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

const allVariables = singleVariables.extend({
  ai: variableGroups.ai.optional(),
  s3: variableGroups.s3.optional(),
  stripe: variableGroups.stripe.optional(),
  captcha: variableGroups.captcha.optional(),
  mail: variableGroups.mail.optional(),
  tracing: variableGroups.tracing.optional(),
})

type Variables = z.output<typeof allVariables>

const aStream = 'nats:// or tls:// as CLICK_LOG'
/** Settings that mean something only with another one, and how a refusal names that one. */
const dependents: [name: keyof Variables, isMet: (env: Variables) => unknown, needed: string][] = [
  ['ADMIN_HOST', (env) => env.ADMIN_PORT, 'ADMIN_PORT'],
  ['LINKS_URL', (env) => env.PUBLIC_URL, 'PUBLIC_URL'],
  ['SHARED_DATA_DIR', (env) => env.DATABASE_URL, 'DATABASE_URL'],
  ['DATABASE_LISTEN_URL', (env) => env.DATABASE_URL, 'DATABASE_URL'],
  ['DATABASE_READ_URL', (env) => env.DATABASE_URL, 'DATABASE_URL'],
  ['BACKUP_TO', (env) => env.BACKUP_SCHEDULE, 'BACKUP_SCHEDULE'],
  ['BACKUP_KEEP', (env) => env.BACKUP_SCHEDULE, 'BACKUP_SCHEDULE'],
  ['CLICKHOUSE_CLUSTER', (env) => env.CLICKHOUSE_URL, 'CLICKHOUSE_URL'],
  ['CLICK_LOG_STREAM', (env) => env.CLICK_LOG, aStream],
  ['CLICK_LOG_REPLICAS', (env) => env.CLICK_LOG, aStream],
  ['CLICK_LOG_CREDENTIALS', (env) => env.CLICK_LOG, aStream],
  ['CLICK_LOG_CA', (env) => env.CLICK_LOG, aStream],
  ['CLICK_LOG_CA', (env) => env.CLICK_LOG?.tls !== false, 'tls:// in CLICK_LOG'],
  ['CLICK_LOG_CERTIFICATE', (env) => env.CLICK_LOG, aStream],
  ['CLICK_LOG_CERTIFICATE', (env) => env.CLICK_LOG?.tls !== false, 'tls:// in CLICK_LOG'],
  ['GEOIP_HEADER', (env) => env.TRUSTED_PROXIES > 0, 'TRUSTED_PROXIES'],
  ['LINKS_PER_ACCOUNT', (env) => !env.PLANS, 'PLANS=off'],
  ['CLICK_FSYNC', (env) => env.CLICK_MODE === 'journal', 'CLICK_MODE=journal'],
]

/** Whether two addresses are not the same and have the same host, as far as a server tells hosts apart. */
function areConfused(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  const [hostOfA, hostOfB] = [a, b].map(({ hostname }) => hostname.replace(/^www\./, ''))
  return a.origin !== b.origin && hostOfA === hostOfB
}

type Contradiction = [name: keyof Variables, isWrong: (env: Variables) => unknown, message: string]

const contradictions: Contradiction[] = [
  ...dependents.map(([name, isMet, needed]): Contradiction => [
    name,
    (env) => env[name] && !isMet(env),
    `means something only with ${needed}`,
  ]),
  [
    'ADMIN_PORT',
    (env) => env.ADMIN_PORT && env.ADMIN_PORT === env.PORT,
    'must be another port than PORT',
  ],
  [
    'LINKS_URL',
    ({ LINKS_URL: links, PUBLIC_URL: own }) => links && own && areConfused(links, own),
    'must be PUBLIC_URL, or have another host: ports and www. do not tell two hosts apart',
  ],
  [
    'SHARED_DATA_DIR',
    (env) => env.SHARED_DATA_DIR && resolve(env.SHARED_DATA_DIR) !== dirname(resolve(env.DATA_DIR)),
    'must be the folder in which DATA_DIR is, one folder for each server',
  ],
  [
    'BACKUP_TO',
    (env) => env.BACKUP_SCHEDULE && !env.BACKUP_TO,
    'is missing, though BACKUP_SCHEDULE is set',
  ],
  [
    'BACKUP_TO',
    (env) => env.BACKUP_TO?.startsWith('s3://') && !env.s3,
    'needs S3_ENDPOINT, S3_BUCKET and the keys of the storage',
  ],
  [
    'CLICK_MODE',
    (env) => env.CLICK_LOG && env.CLICK_MODE !== 'journal',
    'cannot be sync with a stream as CLICK_LOG; remove one of both lines',
  ],
  [
    'CLICK_LOG_CREDENTIALS',
    (env) => env.CLICK_LOG_CREDENTIALS && (env.CLICK_LOG?.user ?? env.CLICK_LOG?.token),
    'cannot be set beside a user or token in CLICK_LOG; keep one',
  ],
  [
    'PLANS',
    (env) => !env.PLANS && env.stripe,
    'cannot be off beside STRIPE_SECRET_KEY: running subscriptions would be charged for nothing',
  ],
  [
    'SANDBOX_PAYMENTS',
    (env) => env.SANDBOX_PAYMENTS === 'on' && !env.PLANS,
    'cannot be on beside PLANS=off',
  ],
  [
    'SANDBOX_PAYMENTS',
    (env) => env.SANDBOX_PAYMENTS === 'on' && env.stripe,
    'cannot be on beside STRIPE_SECRET_KEY',
  ],
]

export const envSchema = contradictions.reduce(
  (schema, [name, isWrong, message]) =>
    schema.refine((env) => !isWrong(env), { path: [name], message, when }),
  allVariables,
)
