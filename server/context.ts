import { hostname } from 'node:os'
import manifest from '../package.json' with { type: 'json' }
import { createApiKeys } from './tokens/api-keys.ts'
import { createMembers, membersChannel } from './tokens/members.ts'
import { type Members } from './tokens/tokens.ts'
import { loadKeys } from './tokens/keys.ts'
import { createTokens, issuerOf } from './tokens/tokens.ts'
import { createSecretBox } from './auth/secret-box.ts'
import { createPasswordHasher, type PasswordHasher } from './auth/password-hasher.ts'
import { createSignInProviders } from './auth/providers/sign-in-providers.ts'
import { createGuessGuard } from './auth/guessing/guess-guard.ts'
import { createVisitorPasswords } from './auth/guessing/visitor-passwords.ts'
import { createBudgets } from './auth/protection/budgets.ts'
import { createSecurityEvents } from './auth/protection/security-events.ts'
import { createAi } from './ai/ai.ts'
import { openAnalytics } from './analytics/analytics.ts'
import { createPdfMaker } from './pdf/make-pdf.ts'
import { createReportPdfs } from './analytics/shared/pdf/report-pdfs.ts'
import { createSharedReports } from './analytics/shared/shared-report.ts'
import { startBackups } from './backup/schedule.ts'
import { createBilling } from './billing/billing.ts'
import { exportOfPayments } from './billing/person-export.ts'
import { quotas } from './tables/errors.ts'
import { exportOfTables } from './tables/person-export.ts'
import type { Config, ServerConfig } from './config.ts'
import { createJobs } from './primitives/jobs.ts'
import { createUndo, type Undo } from './primitives/undo.ts'
import { createCounts } from './primitives/counts.ts'
import { type BucketPolicy, createRateLimits } from './primitives/token-bucket.ts'
import type { Logger } from './log.ts'
import { domainsChannel, openHosts } from './http/open-hosts.ts'
import { createTraffic } from './http/traffic.ts'
import { createMailer } from './mail/mail.ts'
import { createMedia } from './media/media.ts'
import { followInstallation } from './peers/installation.ts'
import { startPeers } from './peers/peers.ts'
import type { Database } from './postgres/database.ts'
import { listen, type Listener } from './postgres/listen.ts'
import { openDatabases } from './postgres/open-databases.ts'
import { startTitleFetcher, untitledChannel } from './titles/title-fetcher.ts'
import { startTracing } from './tracing/tracing.ts'
import { connectHere } from './visits/counting/counting-here.ts'
import type { LinkCheckTiming } from './link-health/check-pass.ts'
import { startDomainChecks } from './domains/domain-checks.ts'
import { checksChannel, startLinkChecks } from './link-health/link-checks.ts'
import { type CountingDeps, startCounting } from './visits/counting/counting.ts'
import type { CountingPort } from './visits/counting/messages.ts'
import { createExpectations } from './visits/rules/expectations.ts'
import type { ReportVisitor } from './visits/rules/first-visits.ts'
import { createVisits, type VisitsDeps } from './visits/visits.ts'
import { getFromEndpoint } from './webhooks/post.ts'
import { createArchives } from './transfer/archive/archives.ts'
import { exportOfArchives } from './transfer/archive/person-export.ts'
import { createImports } from './transfer/imports.ts'
import { exportOfImports } from './transfer/person-export.ts'
import { createWebhooks } from './webhooks/webhooks.ts'
import { exportOfWebhooks } from './webhooks/person-export.ts'
import { startRetention } from './postgres/retention.ts'

const { version } = manifest

/** Everything the doors need, created once at the start. */
export type Context = Awaited<ReturnType<typeof createContext>>

/** Parts that a test may replace. */
export interface Overrides extends Pick<Partial<VisitsDeps>, 'openClickSink'> {
  database?: Database
  hasher?: PasswordHasher
  /** Milliseconds; rate limits refill by it. */
  rateLimitClock?: () => number
  getPublic?: typeof getFromEndpoint
  linkCheckTiming?: LinkCheckTiming
}

/** How a process that is one of several differs from a whole server (docs/decisions/0005). */
export interface ProcessPart {
  /** Whether it has the periodic jobs of the server. Default: true. */
  runsJobs?: boolean
  /** Where the clicks of the process are counted. Default: in this thread. */
  openCounting?: (
    deps: CountingDeps & { config: ServerConfig },
  ) => CountingPort | Promise<CountingPort>
  /** Told of each token that this process takes (1) or gives back (-1). */
  onSpent?: (policy: BucketPolicy, key: string, tokens: number) => void
  /** Told of each unknown host that requests are for; default: the log is. */
  onUnknownHost?: ((host: string) => void) | undefined
  /** Told of each new visitor of a link with a rule about first visits. */
  onVisitor?: ReportVisitor
}

export async function createContext(
  config: ServerConfig,
  log: Logger,
  overrides: Overrides = {},
  { runsJobs = true, openCounting = countHere, ...heard }: ProcessPart = {},
) {
  const jobs = createJobs({ log, areTimed: runsJobs })
  const undo = createUndo()
  const tracing = await startTracing(config.tracing, { version, host: hostname() }, log)
  undo.add(async () => tracing?.close())
  const database = undo.closing(overrides.database ?? openDatabases(config, log))
  // Features end their own first, those that would take long.
  undo.closing(jobs)
  const listenUrl = config.databaseListenUrl ?? config.databaseUrl
  const listener = undo.closing(listen(listenUrl, channelsOf(config, runsJobs), log))
  const installation = followInstallation({ config, database, listener, log })
  const rateLimits = createRateLimits(config.rateLimits, overrides.rateLimitClock, heard.onSpent)
  const hasher = undo.closing(overrides.hasher ?? createPasswordHasher())
  const parts = { config, database, log, jobs }
  const analytics = undo.closing(await openAnalytics(parts))
  const { identify, placeOf, sharesOf, live } = analytics
  listener.on(membersChannel, live.recheck, () => {})
  const securityEvents = undo.closing(createSecurityEvents({ database, log }))
  const members = undo.closing(createMembers({ database, listener, securityEvents, log }))
  const { tokens, secretBox, keyId } = await openTokens({ ...parts, placeOf, members, undo })
  const enabled = config.rateLimits
  const budgets = createBudgets({ database, local: rateLimits, secretBox, log, enabled })
  const guesses = createGuessGuard({ enabled, secretBox })
  const visitorPasswords = createVisitorPasswords({ hasher, guesses, budgets, secretBox })
  const hosts = undo.closing(await openHosts({ ...parts, ...heard, listener }))
  const visits = undo.closing(
    createVisits({
      ...parts,
      hosts,
      listener,
      rateLimits,
      identify,
      sharesOf,
      passwords: visitorPasswords,
      onVisitor: heard.onVisitor,
      counting: await openCounting({ config, database, log, keyId }),
      openClickSink: overrides.openClickSink,
    }),
  )
  const media = createMedia(parts)
  const billing = undo.closing(createBilling(parts))
  const mail = undo.closing(createMailer(parts))
  const webhooks = createWebhooks({ ...parts, secretBox, version, wakeMail: mail.wake })
  undo.closing(webhooks.sender)
  const readers = startReaders({ ...parts, listener, secretBox, media, undo, overrides })
  const clockAheadMs = () => visits.measures().heartbeat.clockSkewMs
  const peers = undo.closing(startPeers({ ...parts, keyId, clockAheadMs, hosts }))
  const backups = undo.closing(startBackups(parts))
  return {
    config,
    log,
    database,
    listener,
    tokens,
    rateLimits,
    hasher,
    /** The sign-in providers that are configured. */
    providers: createSignInProviders(config.auth.providers),
    secretBox,
    securityEvents,
    /** Like rateLimits, for limits that hold across servers and restarts. */
    budgets,
    guesses,
    visitorPasswords,
    /** Shared reports of links, for people without an account. */
    sharedReports: createSharedReports({ database, readers: analytics.readers }),
    ...createPdfs(),
    hosts,
    expectations: createExpectations({ config, database }),
    visits,
    analytics,
    media,
    ai: createAi({ config, database, media }),
    billing,
    mail,
    /** People's webhooks, and the sender of their events. */
    webhooks,
    ...readers,
    /** Files with everything of an account. */
    archives: undo.closing(startArchives({ ...parts, analytics, media, mail })),
    exports: exportsOf(database),
    ...createDoorCounts(),
    /** Choices that hold for every server of the database. */
    installation,
    /** The other servers of this database. */
    peers,
    /** Deletes rows after their retention. */
    retention: startRetention(parts),
    /** By BACKUP_SCHEDULE. */
    backups,
    /** Set when the server is going down: /health/ready answers 503. */
    draining: false,
    close: undo.all,
  }
}

/** Parts that read from other servers. */
function startReaders({
  listener,
  secretBox,
  undo,
  overrides,
  ...parts
}: Omit<Parameters<typeof createImports>[0], 'getPublic'> & {
  listener: Listener
  undo: Undo
  overrides: Overrides
}) {
  /** Fetches addresses that strangers name. */
  const getPublic = overrides.getPublic ?? getFromEndpoint
  const timing = overrides.linkCheckTiming
  const linkChecks = startLinkChecks({ ...parts, listener, getPublic, version, timing })
  undo.add(async () => linkChecks?.close())
  return {
    getPublic,
    version,
    /** Checks the DNS records of domains. */
    domainChecks: undo.closing(startDomainChecks({ ...parts, getPublic, version })),
    /** Checks destinations of links, with CHECK_LINKS. */
    linkChecks,
    /** Fetches page titles for untitled links. */
    titles: undo.closing(startTitleFetcher({ ...parts, listener, getPublic, version })),
    /** Links from files and other services. */
    imports: undo.closing(createImports({ ...parts, secretBox, getPublic })),
  }
}

function startArchives({
  analytics: { readers },
  media: { read: readImage },
  mail: { wake: wakeMail },
  ...parts
}: Pick<Parameters<typeof createArchives>[0], 'config' | 'database' | 'log' | 'jobs'> & {
  analytics: Pick<Awaited<ReturnType<typeof openAnalytics>>, 'readers'>
  media: Pick<ReturnType<typeof createMedia>, 'read'>
  mail: Pick<ReturnType<typeof createMailer>, 'wake'>
}) {
  return createArchives({ ...parts, readers, readImage, wakeMail, version })
}

/** Parts of the features in the export of a person's data. */
function exportsOf(database: Database) {
  return [
    exportOfTables(database),
    exportOfPayments(database),
    exportOfWebhooks(database),
    exportOfImports(database),
    exportOfArchives(database),
  ]
}

/** Notifications of the database that a process hears. */
function channelsOf({ fetchTitles, checkLinks }: Config, runsJobs: boolean): string[] {
  const channels = ['hoplet_names', 'hoplet_catalog', membersChannel, domainsChannel]
  if (fetchTitles && runsJobs) channels.push(untitledChannel)
  if (checkLinks && runsJobs) channels.push(checksChannel)
  return channels
}

/** One thread at a time makes PDFs. */
function createPdfs() {
  const makePdf = createPdfMaker()
  return { makePdf, reportPdfs: createReportPdfs(makePdf) }
}

/** Counters of the stateless doors. */
function createDoorCounts() {
  return {
    /** Requests that are not visits. */
    traffic: createTraffic(),
    /** Rows that were refused because a plan, or a limit that all plans share, allows no more. */
    quotaRefusals: createCounts(quotas),
  }
}

/** Tokens and the seal of secrets, both by the signing key of the server. */
async function openTokens({
  config,
  database,
  log,
  placeOf,
  members,
  undo,
}: Parameters<typeof createApiKeys>[0] & {
  config: ServerConfig
  members: Members
  undo: Undo
}) {
  const keys = await loadKeys(config.dataDir, config.signingKey)
  const { signingKey } = keys
  const apiKeys = undo.closing(createApiKeys({ database, placeOf, log }))
  const tokens = await createTokens(keys, () => issuerOf(config), { apiKeys, members })
  return { tokens, secretBox: createSecretBox(signingKey), keyId: signingKey.kid ?? '' }
}

const countHere = (deps: CountingDeps): CountingPort => connectHere(startCounting(deps))
