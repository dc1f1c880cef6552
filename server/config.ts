import { resolve } from 'node:path'
import type { ApiSourceId } from '#domain/transfer/sources.ts'
import type { PaymentSettings } from './billing/settings.ts'
import type { Env } from './env.ts'
import { isLoopback } from './http/loopback.ts'
import type { ClickStreamSettings } from './visits/stream/stream-address.ts'
import { ifDefined } from './primitives/if-defined.ts'

/** Settings of the server: derived from the environment; env.ts refuses contradictions. */
export type Config = ReturnType<typeof createConfig>

export function createConfig(env: Env) {
  return {
    host: env.HOST,
    port: env.PORT,
    /** Processes that share the port (workers/primary.ts); 1 is the whole server in one process. */
    workers: env.WORKERS,
    /** Where metrics and health are served to the operator; undefined: nowhere, and health at the public port alone. */
    admin: ifDefined(env.ADMIN_PORT, (port) => ({ host: env.ADMIN_HOST ?? '127.0.0.1', port })),
    /** The origin that people reach Hoplet at, without a trailing slash; undefined until the port is known. */
    publicUrl: ifDefined(env.PUBLIC_URL, (url) => new URL(url).origin),
    /** The origin of the server's own links; undefined: `publicUrl`. */
    linksUrl: ifDefined(env.LINKS_URL, (url) => new URL(url).origin),
    /** Reserved words that stay with a link or a bio page; filled at the start (postgres/own-names.ts). */
    keptNames: new Set<string>(),
    dataDir: resolve(env.DATA_DIR),
    /** Where the data directories of all servers of the database are; undefined: no adoption of other servers' journals. */
    sharedDataDir: ifDefined(env.SHARED_DATA_DIR, (path) => resolve(path)),
    /** Unset: the embedded PostgreSQL in the data directory. */
    databaseUrl: env.DATABASE_URL,
    /** Where notifications arrive, beside a pooler in transaction mode; undefined: at `databaseUrl`. */
    databaseListenUrl: env.DATABASE_LISTEN_URL,
    /** A replica, for reads that it can have as well as the primary; undefined: all reads are the primary's. */
    databaseReadUrl: env.DATABASE_READ_URL,
    /** How many proxies in front of us set X-Forwarded-For; 0 means that the header is not believed. */
    trustedProxies: env.TRUSTED_PROXIES,
    /** Whether requests for hosts that are not ours get our links, or 421. */
    unknownHosts: env.UNKNOWN_HOSTS,
    /** How long a server that was told to stop serves on, with /health/ready at 503. */
    drainSeconds: env.DRAIN_SECONDS,
    /** Connections to the database for everything but visits and one that listens. */
    databaseConnectTimeoutMs: 3_000,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    /** Connections for looking up names and for counting visits. */
    visitsPoolSize: env.DATABASE_VISITS_POOL_SIZE,
    /** Open connections that one client address may have; 0 means no limit. */
    connectionsPerAddress: env.CONNECTIONS_PER_ADDRESS,
    clicks: clicksOf(env),
    /** The newest version in which clicks are recorded (visits/record/record-version.ts). */
    clickRecords: env.CLICK_RECORDS,
    visits: {
      /** Names that memory holds, about 2 kB each. */
      nameCacheBytes: env.NAME_CACHE_MB * 2 ** 20,
      /** How long a visitor waits for the look-up of a name that memory does not hold. */
      lookupTimeoutMs: 5_000,
      /** Whether links may answer 301 and 308. */
      allowPermanentRedirects: env.ALLOW_PERMANENT_REDIRECTS,
    },
    /** How long single hits are kept, by plan. */
    clickRetentionDays: env.CLICK_RETENTION_DAYS,
    /** Where hits are stored; unset: in PostgreSQL. May hold a password. */
    clickhouse: clickhouseOf(env),
    /** The path of a larger MMDB; unset: the one that is installed, which knows countries. */
    geoipDatabase: env.GEOIP_DATABASE,
    /** Header with the visitor's country, set by a trusted proxy; in lower case. */
    countryHeader: env.GEOIP_HEADER,
    /** A private ES256 JWK as JSON text; unset: one is made and kept in the data directory. */
    signingKey: env.JWT_SIGNING_KEY,
    auth: authOf(env),
    ai: aiOf(env),
    media: mediaOf(env),
    installation: {
      /** Whether accounts have plans; false: each has the rights of Business, without quotas. */
      hasPlans: env.PLANS,
      /** Maximum of links of an account where there are no plans. */
      linksPerAccount: env.LINKS_PER_ACCOUNT ?? 100_000,
    },
    /** Undefined: paid plans cannot be bought here. */
    payments: paymentsOf(env),
    mail: mailOf(env),
    /** Where people can write to; unset unless the operator has named a sender. */
    contact: env.mail?.MAIL_FROM.address,
    /** Where traces are sent, by OTLP over HTTP; undefined: nowhere. */
    tracing: tracingOf(env),
    backup: backupOf(env),
    /** Probable mistakes in the settings, one sentence each. */
    warnings: env.warnings,
    webhooks: webhooksOf(env),
    domains: domainsOf(env),
    imports: importsOf(env),
    /** Whether a new link without a title gets that of its page. */
    fetchTitles: env.FETCH_TITLES,
    /** Whether destinations of links are checked now and then. */
    checkLinks: env.CHECK_LINKS,
    rateLimits: env.RATE_LIMITS,
    /** Whether browsers must use HTTPS for every subdomain of the site as well. */
    hstsSubdomains: env.HSTS_SUBDOMAINS,
    /** Where people report vulnerabilities, as a URI; undefined: there is no security.txt. */
    securityContact: env.SECURITY_CONTACT,
    logLevel: env.LOG_LEVEL,
  }
}

/** Settings with the addresses of the server, and its database. */
export type ServerConfig = Config & {
  publicUrl: string
  readonly linksUrl: string
  databaseUrl: string
}

/** Adds the addresses. The public one may be known only when the server listens; that of its links follows it, unless LINKS_URL names it. */
export function withAddresses(
  settings: Config & { databaseUrl: string },
  publicUrl: string,
): ServerConfig {
  const config = {
    ...settings,
    publicUrl,
    get linksUrl(): string {
      return settings.linksUrl ?? config.publicUrl
    },
  }
  return config
}

interface ClickSettings {
  mode: Env['CLICK_MODE']
  fsync: boolean
  /** Bytes of the files that are kept for a full disk. */
  reserveBytes: number
  /** Unset: clicks go into the journal alone. */
  stream?: ClickStreamSettings | undefined
}

function clicksOf(env: Env): ClickSettings {
  const stream = env.CLICK_LOG && {
    ...env.CLICK_LOG,
    credentials: env.CLICK_LOG_CREDENTIALS,
    ca: env.CLICK_LOG_CA,
    certificate: env.CLICK_LOG_CERTIFICATE,
    stream: env.CLICK_LOG_STREAM ?? 'HOPLET_CLICKS',
    replicas: env.CLICK_LOG_REPLICAS ?? 3,
  }
  const reserveBytes = env.CLICK_RESERVE_MB * 1024 ** 2
  return { mode: env.CLICK_MODE, fsync: env.CLICK_FSYNC, reserveBytes, stream }
}

function authOf(env: Env) {
  return {
    /** New accounts need not confirm their email address. Without a mail server none could be confirmed. */
    autoconfirm: env.AUTH_AUTOCONFIRM ?? env.mail?.SMTP_URL === undefined,
    signUp: !env.AUTH_DISABLE_SIGNUP,
    /** Whether all invitations make new accounts where sign-up is closed; else those of admins do. */
    inviteSignUp: env.INVITE_SIGNUP,
    /** Whether people sign in with passwords, and with links and codes of emails; else by a provider only. */
    passwords: env.AUTH_PASSWORDS,
    passwordMinLength: env.PASSWORD_MIN_LENGTH,
    /** A session that was not refreshed for so long ends. */
    sessionIdleDays: env.SESSION_IDLE_DAYS,
    /** How long the claims of a sign-in count, for providers with an admin claim. */
    claimHours: env.AUTH_CLAIM_HOURS,
    /** Where sign-ins may lead besides the web app's own pages (auth/redirects.ts). */
    redirectUrls: env.AUTH_REDIRECT_URLS,
    providers: env.signInProviders,
    /** Whether people may link more sign-ins to their account. */
    manualLinking: env.AUTH_MANUAL_LINKING,
    /** Whether apps may register themselves. */
    oauthRegistration: env.AUTH_OAUTH_REGISTRATION,
    /** Receives text messages for phones as second factors; unset: phones are not offered. */
    smsWebhook: env.SMS_WEBHOOK_URL,
    captcha: env.captcha && {
      provider: env.captcha.CAPTCHA_PROVIDER,
      siteKey: env.captcha.CAPTCHA_SITE_KEY,
      secret: env.captcha.CAPTCHA_SECRET,
      /** Unset: the provider's own address. */
      verifyUrl: env.captcha.CAPTCHA_VERIFY_URL,
    },
  }
}

function clickhouseOf(env: Env) {
  return ifDefined(env.CLICKHOUSE_URL, (url) => ({
    url,
    cluster: env.CLICKHOUSE_CLUSTER,
    keepDays: Math.max(...Object.values(env.CLICK_RETENTION_DAYS)),
  }))
}

function aiOf(env: Env) {
  return {
    /** Unset: drafts without an AI. */
    provider: env.ai && {
      /** For example `https://api.openai.com/v1`. */
      baseUrl: env.ai.AI_BASE_URL,
      apiKey: env.ai.AI_API_KEY,
      textModel: env.ai.AI_TEXT_MODEL,
      imageModel: env.ai.AI_IMAGE_MODEL,
    },
    /** Calls per UTC day. */
    limits: { perPerson: env.AI_DAILY_PER_PERSON, total: env.AI_DAILY_TOTAL },
    /** In milliseconds, retries included. */
    timeLimits: { text: 30_000, image: 60_000 },
  }
}

function mediaOf(env: Env) {
  return {
    /** Unset: files in the data directory. */
    s3: env.s3 && {
      /** For example `https://s3.eu-central-1.amazonaws.com`. */
      endpoint: env.s3.S3_ENDPOINT,
      bucket: env.s3.S3_BUCKET,
      region: env.s3.S3_REGION,
      accessKeyId: env.s3.S3_ACCESS_KEY_ID,
      secretAccessKey: env.s3.S3_SECRET_ACCESS_KEY,
    },
    uploadsPerDay: 100,
    /** Maximum for all images of a person. */
    uploadBytes: 500_000_000,
  }
}

function tracingOf(env: Env) {
  return (
    env.tracing && {
      /** Without `/v1/traces`. */
      endpoint: env.tracing.OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: env.tracing.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      serviceName: env.tracing.OTEL_SERVICE_NAME ?? 'hoplet',
      /** The share of traces that begin here and are kept, 0 to 1. */
      sampleRatio: env.tracing.OTEL_TRACES_SAMPLER_ARG ?? 1,
    }
  )
}

function backupOf(env: Env) {
  return {
    /** Undefined: backups are made by command only. */
    schedule:
      env.BACKUP_SCHEDULE === undefined || env.BACKUP_TO === undefined
        ? undefined
        : {
            /** A cron expression, in UTC. */
            cron: env.BACKUP_SCHEDULE,
            /** A folder, or `s3://bucket/prefix`. */
            to: env.BACKUP_TO,
            keep: env.BACKUP_KEEP ?? { daily: 7, weekly: 4, monthly: 6 },
          },
    /** Undefined: backups are not encrypted. */
    passphrase: env.BACKUP_PASSPHRASE,
  }
}

function webhooksOf(env: Env) {
  return {
    /** Whether people's webhooks may be http, and at private addresses. */
    allowsPrivate: env.WEBHOOK_PRIVATE_ADDRESSES,
    /** Hosts with a listmonk server, with the port unless it is that of the scheme: http and private addresses are fine. */
    leadHosts: env.LEAD_HOSTS,
    providerHosts: {
      brevo: 'https://api.brevo.com',
      mailchimp: 'https://{dc}.api.mailchimp.com',
    },
    /** From the look-up of the name to the end of the answer. */
    timeoutMs: 10_000,
    /** Claim timeout: afterwards another process may send the event. */
    leaseSeconds: 30,
    /** Between attempts; the last one repeats. */
    retryPausesSeconds: [5, 30, 120, 600, 3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600],
    /** From the first attempt on. */
    giveUpSeconds: 3 * 24 * 3_600,
    /** At most so often is an account told about clicks. */
    clicksIntervalSeconds: 10,
    pollIntervalMs: 1_000,
  }
}

function domainsOf(env: Env) {
  return {
    dns: {
      /** IP addresses, perhaps with ports; empty: those of the system. */
      servers: env.DNS_SERVERS,
      timeoutMs: 5_000,
    },
    /** IP addresses of this server, for hosts that cannot have a CNAME record; empty: those of the host of links. */
    addresses: env.DOMAIN_ADDRESSES,
    /** Whether a host is asked over https before it is verified; else DNS is trusted. */
    probes: env.DOMAIN_PROBE,
    probeTimeoutMs: 10_000,
    /** How often due checks are looked for. */
    checkEveryMs: 30_000,
  }
}

/** Addresses of the APIs that imports read. Services that people run themselves have none here: their address is asked for. */
const apiOrigins: Partial<Record<ApiSourceId, string>> = {
  bitly: 'https://api-ssl.bitly.com',
  dub: 'https://api.dub.co',
  rebrandly: 'https://api.rebrandly.com',
  'short-io': 'https://api.short.io',
}

function importsOf(env: Env) {
  return {
    apiOrigins,
    /** Whether the server of a source may be at a private address, as those of webhooks may. */
    allowsPrivate: env.WEBHOOK_PRIVATE_ADDRESSES,
    /** From the look-up of the name to the end of a page. */
    timeoutMs: 30_000,
  }
}

function mailOf(env: Env) {
  return {
    from: env.mail?.MAIL_FROM ?? { name: 'Hoplet', address: 'hoplet@localhost' },
    /** Unset: emails become files in the data directory. May hold a password. */
    smtpUrl: env.mail?.SMTP_URL,
    /** For connecting, and for each response of the mail server. */
    timeoutMs: 10_000,
    /** How often the outbox is read. */
    pollIntervalMs: 5_000,
    /** The log names the links in emails that become files only where other machines cannot reach the server. */
    logsLinks: isLoopback(env.PUBLIC_URL ? new URL(env.PUBLIC_URL).hostname : env.HOST),
  }
}

/**
 * Undefined without a provider. `auto` gives play money only to the operator's own machine: neither the address that
 * the server listens on nor the one that people use may be anyone else's.
 */
function paymentsOf(env: Env): PaymentSettings | undefined {
  if (!env.PLANS) return undefined
  const { stripe } = env
  if (stripe) {
    return {
      provider: 'stripe',
      secretKey: stripe.STRIPE_SECRET_KEY,
      webhookSecret: stripe.STRIPE_WEBHOOK_SECRET,
      prices: { pro: stripe.STRIPE_PRICE_PRO, business: stripe.STRIPE_PRICE_BUSINESS },
      apiUrl: stripe.STRIPE_API_URL,
    }
  }
  const isPrivate =
    isLoopback(env.HOST) && (!env.PUBLIC_URL || isLoopback(new URL(env.PUBLIC_URL).hostname))
  const isOn = env.SANDBOX_PAYMENTS === 'on' || (env.SANDBOX_PAYMENTS === 'auto' && isPrivate)
  return isOn ? { provider: 'play_money' } : undefined
}
