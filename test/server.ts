import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { createPasswordHasher } from '#server/auth/password-hasher.ts'
import { type Config, createConfig } from '#server/config.ts'
import type { Context, Overrides } from '#server/context.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { shared } from './shared-server.ts'

export interface TestServer extends Pick<TestDatabase, 'sql' | 'superuserUrl'> {
  /** For example `http://127.0.0.1:41234`. */
  url: string
  /** Only with `admin` in the configuration. */
  adminUrl: string
  anonKey: string
  serviceRoleKey: string
  databaseUrl: string
  context: Context
  /** True when rate limits are off and the real hasher is in place: factories may insert accounts directly. */
  isPlain: boolean
  close(): Promise<void>
}

/**
 * The server that the files of a worker share, for tests that look only at their own data: warm connections
 * save a second of processor time per file. It ends with the worker, or before a file that fakes timers: do not close it.
 */
export function sharedServer(): Promise<TestServer> {
  return (shared.server ??= startTestServer()) as Promise<TestServer>
}

/** Starts the whole server in this process, on a free port, with its own database and data directory. */
export async function startTestServer(
  config: Partial<Config> = {},
  overrides: Overrides = {},
  log = createLog('fatal'),
): Promise<TestServer> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(inject('scratch'), 'data-'))
  const defaults = createConfig(
    parseVariables({ PORT: '0', RATE_LIMITS: 'off', DATA_DIR: dataDir, CLICK_RESERVE_MB: '0' }),
  )
  const hoplet = await startHoplet(
    {
      ...defaults,
      databaseUrl: database.url,
      // A busy machine may need longer than the product waits.
      databaseConnectTimeoutMs: 60_000,
      // Tests plant domains that are in no DNS.
      domains: { ...defaults.domains, checkEveryMs: 86_400_000 },
      ...config,
    },
    log,
    // Rate limits do not refill: a count of refusals does not depend on the speed of the machine. A hash of the usual
    // cost takes longer than the rest of a short test.
    {
      overrides: {
        rateLimitClock: () => 0,
        hasher: createPasswordHasher({ cost: 4 }),
        ...overrides,
      },
    },
  )
  const { context, url } = hoplet
  return {
    url,
    adminUrl: hoplet.adminUrl ?? '',
    context,
    anonKey: context.tokens.anonKey,
    serviceRoleKey: context.tokens.serviceRoleKey,
    databaseUrl: database.url,
    superuserUrl: database.superuserUrl,
    sql: database.sql,
    isPlain: !context.config.rateLimits && !overrides.hasher,
    async close() {
      await hoplet.stop()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
