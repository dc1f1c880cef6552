import { createUndo, type Undo } from './primitives/undo.ts'
import { defaultPublicUrl } from './http/default-public-url.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from 'node:http'
import type { Hono } from 'hono'
import { type Config, withAddresses } from './config.ts'
import { type Context, createContext, type Overrides, type ProcessPart } from './context.ts'
import { settleClickStore } from './analytics/click-store.ts'
import { ConfigurationError } from './env.ts'
import { openDataDir } from './data-dir.ts'
import { createHealth } from './http/health.ts'
import { listenOn, stopAccepting, urlOfListener } from './http/listen.ts'
import type { Logger } from './log.ts'
import type { HttpEnvironment } from './http/router.ts'
import { createWebApp } from './pages/web-app.ts'
import { DatabaseUnavailableError } from './postgres/database.ts'
import { warnOfCollations } from './postgres/collations.ts'
import { warnOfSuperuser } from './postgres/superuser.ts'
import { startEmbeddedPostgres } from './postgres/embedded.ts'
import { migrate } from './postgres/migrate.ts'
import { settleInstallation } from './peers/installation.ts'
import { claimOwnNames } from './postgres/own-names.ts'
import { checkReadUrl } from './postgres/read-url-check.ts'
import { waitForDatabase } from './postgres/wait-for-database.ts'
import { createHttpServer } from './server.ts'
import { ifError } from './primitives/caught-error.ts'

/** A running server: one process, or several (workers/primary.ts). */
export interface Running {
  publicUrl: string
  /** Replaces the workers one by one, without refusing a connection; joins the replacement in progress. */
  restart?: () => Promise<void>
  /**
   * Completes the current requests, applies the clicks, stops the database. Safe to call twice.
   *
   * @param drainMs how long to serve on beforehand, with /health/ready at 503, until a load balancer has noticed
   */
  stop(drainMs?: number): Promise<void>
}

/** A server in one process. */
export interface Hoplet extends Running {
  context: Context
  /** Where the server listens, for example `http://127.0.0.1:3000`. */
  url: string
  /** Where metrics and health are served, when ADMIN_PORT is set. */
  adminUrl: string | undefined
}

export interface StartOptions {
  overrides?: Overrides
  /** Where clicks are counted. Default: in this thread. */
  openCounting?: ProcessPart['openCounting']
  /** Creates the app that serves the pages; the development server puts Vite here. */
  web?: (context: Context) => Hono<HttpEnvironment>
  /** Ends the wait for a database that does not answer. */
  signal?: AbortSignal
}

/** Milliseconds after a drain for requests that are on their way on connections that were accepted last. */
export const lastGraceOf = (drainMs: number) => Math.min(drainMs, 1_000)

/** Database, migrations, context, listen: everything between a configuration and a running server. */
export async function startHoplet(
  config: Config,
  log: Logger,
  options: StartOptions = {},
): Promise<Hoplet> {
  const undo = createUndo()
  try {
    const { signal } = options
    const { databaseUrl, admin } = await openPrerequisites(config, log, { undo, signal })
    // The port comes first: with PORT=0 only the system knows it, and the public address is made of it.
    const publicUrl = config.publicUrl ?? defaultPublicUrl(config.host, config.port)
    const context = await createContext(
      withAddresses({ ...config, databaseUrl }, publicUrl),
      log,
      options.overrides,
      { ...(options.openCounting && { openCounting: options.openCounting }) },
    )
    undo.add(() => context.close())
    admin?.tlsAsk.follow(context.hosts)
    // Added first, so that it is closed after the public server: it tells how a drain goes.
    undo.add(async () => admin?.close())
    const server = createHttpServer(context, options.web?.(context) ?? createBuiltWeb(context))
    const address = await listenOn(server, config)
    let graceMs = 0
    undo.add(async () => {
      await stopAccepting(server, graceMs)
      await closeServer(server)
    })
    // They would hold the server open.
    undo.add(() => context.analytics.live.close())
    if (!config.publicUrl) context.config.publicUrl = defaultPublicUrl(config.host, address.port)
    const claim = () => claimOwnNames(context.database, context.config, log)
    const claimLater = () => waitForDatabase(databaseUrl, log, options.signal).then(claim)
    await claim().catch(ifError(DatabaseUnavailableError, claimLater))
    if (admin) {
      const { createMetrics } = await import('./metrics/metrics.ts')
      const metrics = createMetrics({ context, server, tlsAsks: admin.tlsAsk.counts })
      admin.server.attach({ metrics, health: createHealth(context) })
    }

    let stopping: Promise<void> | undefined
    return {
      context,
      publicUrl: context.config.publicUrl,
      url: urlOfListener(address),
      adminUrl: admin?.server.url,
      stop(drainMs = 0) {
        context.draining = true
        graceMs = lastGraceOf(drainMs)
        return (stopping ??= sleep(drainMs).then(undo.all))
      },
    }
  } catch (error) {
    await undo.all()
    throw error
  }
}

interface GroundOptions {
  undo: Undo
  signal?: AbortSignal | undefined
  /** Settings of the embedded PostgreSQL. */
  settings?: Record<string, string>
}

/** Prerequisites of a server: the data directory, locked, the admin port, and a database that answers and is migrated. */
export async function openPrerequisites(
  config: Config,
  log: Logger,
  { undo, signal, settings = {} }: GroundOptions,
): Promise<{ databaseUrl: string; admin: Admin | undefined }> {
  const dataDir = await openDataDir(config.dataDir, log)
  undo.add(() => dataDir.release())
  const admin = config.admin && (await openAdmin(config, config.admin, log))
  if (admin) undo.closing(admin)
  const checkReplica = async (databaseUrl: string) => {
    const { databaseReadUrl: readUrl } = config
    return readUrl === undefined ? [] : checkReadUrl({ databaseUrl, readUrl }, log)
  }
  const serviceProblems = await findServiceProblems(config, log)
  if (serviceProblems.length > 0) {
    const others = await checkReplica(config.databaseUrl ?? '')
    throw new ConfigurationError([...serviceProblems, ...others])
  }
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir: dataDir.path, log, settings })
  if (embedded) undo.add(() => embedded.stop())
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? ''
  await waitForDatabase(databaseUrl, log, signal)
  const problems = await checkReplica(databaseUrl)
  if (problems.length > 0) throw new ConfigurationError(problems)
  await migrate(databaseUrl, log)
  await warnOfCollations(databaseUrl, log)
  if (config.databaseUrl !== undefined) await warnOfSuperuser(config.databaseUrl, log)
  await settleClickStore(databaseUrl, config.clickhouse, log)
  await settleInstallation(databaseUrl, config.installation, log)
  return { databaseUrl, admin }
}

type Admin = Awaited<ReturnType<typeof openAdmin>>

/** Opens the admin port, where a TLS server in front asks before the database answers. Most servers have none, and need not load its modules. */
async function openAdmin(config: Config, at: NonNullable<Config['admin']>, log: Logger) {
  const { startAdminServer } = await import('./metrics/admin-server.ts')
  const { openTlsAsk } = await import('./http/tls-ask.ts')
  const tlsAsk = await openTlsAsk({ config, log })
  const server = await startAdminServer(at, { tlsAsk, log })
  return {
    tlsAsk,
    server,
    /** Safe to call twice. */
    async close(): Promise<void> {
      await server.close()
      await tlsAsk.close()
    },
  }
}

/** Problems of the click stream and ClickHouse, all at once. Most servers have neither, and need not load their modules. */
async function findServiceProblems(
  { clicks: { stream }, clickhouse }: Config,
  log: Logger,
): Promise<string[]> {
  const found = await Promise.all([
    stream && import('./visits/stream/start-check.ts').then((m) => m.checkClickStream(stream, log)),
    clickhouse &&
      import('./analytics/clickhouse/start-check.ts').then((m) => m.checkClickHouse(clickhouse)),
  ])
  return found.flatMap((problems) => problems ?? [])
}

/** The web app beside dist/server when built; `npm run dev` brings its own. */
export const createBuiltWeb = (context: Context): Hono<HttpEnvironment> =>
  createWebApp(context, new URL('../web', import.meta.url).pathname)

/** Stops accepting; the current requests have at most 10 s. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), 10_000)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}
