import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { isSmtpUrl, parseSender } from './mail/settings.ts'
import { parseStreamAddress } from './visits/stream/stream-address.ts'

const probe = Buffer.from('hoplet')
/** Each has connections to the database of its own. */
const maxWorkers = 128
const privateJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
})

const onOff = z.enum(['on', 'off']).transform((value) => value === 'on')
const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most))

/** A number of processes, or `auto`: as many as this machine runs at once. */
const processes = z
  .string()
  .regex(/^(?:\d+|auto)$/, 'must be a whole number or auto')
  .transform((text) =>
    text === 'auto' ? Math.min(availableParallelism(), maxWorkers) : Number(text),
  )
  .refine((count) => count >= 1 && count <= maxWorkers, `must be between 1 and ${maxWorkers}`)

/** One number for all plans, or `free=90,pro=400,business=800`. */
const retentionDays = z
  .string()
  .regex(
    /^(?:\d+|free=\d+,pro=\d+,business=\d+)$/,
    'must be a number of days, or free=N,pro=N,business=N',
  )
  .transform((text) => {
    const [free = '', pro = free, business = free] = text.match(/\d+/g) ?? []
    return { free: Number(free), pro: Number(pro), business: Number(business) }
  })
  .refine(
    (days) => Object.values(days).every((each) => each >= 1 && each <= 3_650),
    'must be between 1 and 3650 days',
  )

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL', abort: true })
  .refine((url) => {
    const { username, password, search, hash } = new URL(url)
    return username + password + search + hash === ''
  }, 'must have no user, query or fragment')

/** Addresses apart by commas or blanks; only their paths may have wildcards (auth/redirects.ts). */
const redirectUrls = z
  .string()
  .transform((list) => list.split(/[\s,]+/).filter(Boolean))
  .pipe(
    z.array(
      httpUrl.refine(
        (url) => !new URL(url).host.includes('*'),
        'must name its host in full: only the path may have * or **',
      ),
    ),
  )

/** `journal`, or the addresses of NATS servers. */
const clickLog = z.string().transform((text, context) => {
  if (text === 'journal') return undefined
  const address = parseStreamAddress(text)
  if (typeof address !== 'string') return address
  context.addIssue(address)
  return z.NEVER
})

const stripePrice = z.string().regex(/^price_\w+$/, 'must be the id of a price (price_…)')

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
  WORKERS: processes.default(1),
  ADMIN_HOST: z.string().optional(),
  ADMIN_PORT: wholeNumber(1, 65_535).optional(),
  PUBLIC_URL: httpUrl
    .refine((url) => new URL(url).pathname === '/', 'must have no path')
    .optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.string().refine(isPostgresUrl, 'must be a postgres:// URL').optional(),
  DATABASE_POOL_SIZE: wholeNumber(2, 1_000).default(10),
  DRAIN_SECONDS: wholeNumber(0, 300).default(5),
  TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
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
  NAME_CACHE_SIZE: wholeNumber(1_000, 10_000_000).default(150_000),
  CLICK_FSYNC: onOff.default(false),
  CLICK_RETENTION_DAYS: retentionDays.default({ free: 90, pro: 400, business: 800 }),
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
  AUTH_MANUAL_LINKING: onOff.default(true),
  AUTH_OAUTH_REGISTRATION: onOff.default(true),
  AUTH_REDIRECT_URLS: redirectUrls.default([]),
  PASSWORD_MIN_LENGTH: wholeNumber(6, 72).default(6),
  SMS_WEBHOOK_URL: httpUrl.optional(),
  RATE_LIMITS: onOff.default(true),
  HSTS_SUBDOMAINS: onOff.default(false),
  AI_DAILY_PER_PERSON: wholeNumber(0, 1_000_000).default(50),
  AI_DAILY_TOTAL: wholeNumber(0, 1_000_000_000).default(2_000),
  SANDBOX_PAYMENTS: z.enum(['auto', 'on', 'off']).default('auto'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

const clickStreamVariables = [
  'CLICK_LOG_STREAM',
  'CLICK_LOG_REPLICAS',
  'CLICK_LOG_CREDENTIALS',
  'CLICK_LOG_CA',
] as const
const needsStream = 'means something only with nats:// or tls:// as CLICK_LOG'

export const envSchema = singleVariables
  .extend({
    ai: variableGroups.ai.optional(),
    s3: variableGroups.s3.optional(),
    stripe: variableGroups.stripe.optional(),
    captcha: variableGroups.captcha.optional(),
    mail: variableGroups.mail.optional(),
  })
  .refine((env) => env.ADMIN_PORT === undefined || env.ADMIN_PORT !== env.PORT, {
    path: ['ADMIN_PORT'],
    message: 'must be another port than PORT',
    when,
  })
  .refine((env) => env.ADMIN_HOST === undefined || env.ADMIN_PORT !== undefined, {
    path: ['ADMIN_HOST'],
    message: 'means something only with ADMIN_PORT',
    when,
  })
  .refine((env) => !env.CLICK_FSYNC || env.CLICK_MODE === 'journal', {
    path: ['CLICK_FSYNC'],
    message: 'means something only with CLICK_MODE=journal',
    when,
  })
  .refine((env) => !env.CLICK_LOG || env.CLICK_MODE === 'journal', {
    path: ['CLICK_MODE'],
    message: 'cannot be sync with a stream as CLICK_LOG; remove one of both lines',
    when,
  })
  .check(({ value: env, issues }) => {
    const login = env.CLICK_LOG?.user ?? env.CLICK_LOG?.token
    for (const name of clickStreamVariables) {
      if (env[name] !== undefined && !env.CLICK_LOG)
        issues.push({ code: 'custom', path: [name], input: env, message: needsStream })
    }
    if (env.CLICK_LOG_CREDENTIALS !== undefined && login !== undefined)
      issues.push({
        code: 'custom',
        path: ['CLICK_LOG_CREDENTIALS'],
        input: env,
        message: 'cannot be set beside a user or token in CLICK_LOG; keep one',
      })
    if (env.CLICK_LOG_CA !== undefined && env.CLICK_LOG?.tls === false)
      issues.push({
        code: 'custom',
        path: ['CLICK_LOG_CA'],
        input: env,
        message: 'means something only with tls:// in CLICK_LOG',
      })
  })
  .refine((env) => env.SANDBOX_PAYMENTS !== 'on' || !env.stripe, {
    path: ['SANDBOX_PAYMENTS'],
    message: 'cannot be on beside STRIPE_SECRET_KEY',
    when,
  })

/** Also `postgres://user@/database?host=/run/postgresql`, a socket as libpq writes it, which is not a URL. */
function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text.replace('@/', '@socket/'))
}

function isSigningKey(text: string): boolean {
  try {
    const jwk = privateJwk.parse(JSON.parse(text))
    const { d: _private, ...publicJwk } = jwk
    // With halves that do not belong together, no signature could be verified.
    const signature = sign('sha256', probe, createPrivateKey({ key: jwk, format: 'jwk' }))
    return verify('sha256', probe, createPublicKey({ key: publicJwk, format: 'jwk' }), signature)
  } catch {
    return false
  }
}
