import { loadKeys } from './tokens/keys.ts'
import { createTokens, issuerOf } from './tokens/tokens.ts'
import { createSecretBox } from './auth/secret-box.ts'
import { createPasswordHasher, type PasswordHasher } from './auth/password-hasher.ts'
import { createSignInProviders } from './auth/providers/sign-in-providers.ts'
import { createGuessGuard } from './auth/guessing/guess-guard.ts'
import { createBudgets } from './auth/protection/budgets.ts'
import { createSecurityEvents } from './auth/protection/security-events.ts'
import { createAi } from './ai/ai.ts'
import { openAnalytics } from './analytics/analytics.ts'
import { startBackups } from './backup/schedule.ts'
import { createBilling } from './billing/billing.ts'
import { exportOfPayments } from './billing/person-export.ts'
import { quotas } from './tables/errors.ts'
import { exportOfTables } from './tables/person-export.ts'
import type { Config } from './config.ts'
import { createCounts } from './primitives/counts.ts'
import { createRateLimits } from './primitives/token-bucket.ts'
import type { Logger } from './log.ts'
import { createTraffic } from './http/traffic.ts'
import { createMailer } from './mail/mail.ts'
import { createMedia } from './media/media.ts'
import { type Database, openDatabase } from './postgres/database.ts'
import { listen } from './postgres/listen.ts'
import { createVisits, type VisitsDeps } from './visits/visits.ts'
import { startRetention } from './postgres/retention.ts'

/** Everything the doors need, created once at the start. */
export type Context = Awaited<ReturnType<typeof createContext>>

/** What a test may replace. */
export interface Overrides extends Pick<Partial<VisitsDeps>, 'openClickSink'> {
  database?: Database
  hasher?: PasswordHasher
}

export async function createContext(
  config: Config & { publicUrl: string; databaseUrl: string },
  log: Logger,
  overrides: Overrides = {},
) {
  const database =
    overrides.database ??
    openDatabase(config.databaseUrl, log, { doors: config.databasePoolSize, visits: 4 })
  const listener = listen(config.databaseUrl, ['hoplet_names', 'hoplet_catalog'], log)
  const keys = await loadKeys(config.dataDir, config.signingKey)
  const tokens = await createTokens(keys, () => issuerOf(config))
  const rateLimits = createRateLimits(config.rateLimits)
  const hasher = overrides.hasher ?? createPasswordHasher()
  const { openClickSink } = overrides
  const analytics = await openAnalytics({ config, database, log })
  const { identify, hits } = analytics
  const visits = createVisits({
    config,
    database,
    listener,
    rateLimits,
    log,
    identify,
    hits,
    openClickSink,
  })
  const media = createMedia({ config, database, log })
  const ai = createAi({ config, database, media })
  const billing = createBilling({ config, database, log })
  const mail = createMailer({ config, database, log })
  const secretBox = createSecretBox(keys.signingKey)
  const enabled = config.rateLimits
  const budgets = createBudgets({ database, local: rateLimits, secretBox, log, enabled })
  const securityEvents = createSecurityEvents({ database, log })
  const { clickRetentionDays } = config
  const retention = startRetention({ database, log, clickRetentionDays })
  const backups = startBackups({ config, database, log })
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
    guesses: createGuessGuard({ enabled, secretBox }),
    visits,
    analytics,
    media,
    ai,
    billing,
    mail,
    /** What the features contribute to the export of a person's data. */
    exports: [exportOfTables(database), exportOfPayments(database)],
    /** Requests that are not visits. */
    traffic: createTraffic(),
    /** Rows that were refused because a plan, or a limit that all plans share, allows no more. */
    quotaRefusals: createCounts(quotas),
    /** Deletes what has passed its time. */
    retention,
    /** By BACKUP_SCHEDULE. */
    backups,
    /** Set when the server is going down: /health/ready answers 503. */
    draining: false,
    async close() {
      await backups.close()
      await billing.close()
      await mail.close()
      await visits.close()
      await analytics.close()
      await media.close()
      await hasher.close()
      await retention.close()
      await securityEvents.close()
      await listener.close()
      await database.close()
    },
  }
}
