import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from 'node:http'
import type { Hono } from 'hono'
import type { Config } from './config.ts'
import { type Context, createContext, type Overrides } from './context.ts'
import type { AdminServer } from './metrics/admin-server.ts'
import { openDataDir } from './data-dir.ts'
import { listenOn, urlOfListener } from './http/listen.ts'
import type { Logger } from './log.ts'
import { createWebApp } from './pages/web-app.ts'
import { startEmbeddedPostgres } from './postgres/embedded.ts'
import { migrate } from './postgres/migrate.ts'
import { claimOwnNames } from './postgres/own-names.ts'
import { waitForDatabase } from './postgres/wait-for-database.ts'
import { createHttpServer } from './server.ts'

export interface Hoplet {
  context: Context
  /** Where the server listens, for example `http://127.0.0.1:3000`. */
  url: string
  /** Where metrics and health are served, when ADMIN_PORT is set. */
  adminUrl: string | undefined
  /**
   * Completes the current requests, applies the clicks, stops the database. Safe to call twice.
   *
   * @param drainMs how long to serve on beforehand, with /health/ready at 503, until a load balancer has noticed
   */
  stop(drainMs?: number): Promise<void>
}

export interface StartOptions {
  overrides?: Overrides
  /** Creates the app that serves the pages; the development server puts Vite here. */
  web?: (context: Context) => Hono
  /** Ends the wait for a database that does not answer. */
  signal?: AbortSignal
}

/** Database, migrations, context, listen: everything between a configuration and a running server. */
export async function startHoplet(
  config: Config,
  log: Logger,
  options: StartOptions = {},
): Promise<Hoplet> {
  const undo: (() => Promise<void>)[] = []
  const stopAll = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const dataDir = await openDataDir(config.dataDir, log)
    undo.push(() => dataDir.release())
    const embedded = config.databaseUrl
      ? undefined
      : await startEmbeddedPostgres({ dataDir: dataDir.path, log })
    if (embedded) undo.push(() => embedded.stop())
    const databaseUrl = config.databaseUrl ?? embedded?.url ?? ''
    await waitForDatabase(databaseUrl, log, options.signal)
    await migrate(databaseUrl, log)

    // The port comes first: with PORT=0 only the system knows it, and the public address is made of it.
    const publicUrl = config.publicUrl ?? defaultPublicUrl(config.host, config.port)
    const context = await createContext(
      { ...config, databaseUrl, publicUrl },
      log,
      options.overrides,
    )
    undo.push(() => context.close())
    // Pushed first, so that it is closed after the public server: it tells how a drain goes.
    let admin: AdminServer | undefined
    undo.push(async () => admin?.close())
    const server = createHttpServer(
      context,
      options.web?.(context) ?? createWebApp(context, webFolder),
    )
    const address = await listenOn(server, config)
    undo.push(() => closeServer(server))
    // They would hold the server open.
    undo.push(() => context.analytics.live.close())
    if (!config.publicUrl) context.config.publicUrl = defaultPublicUrl(config.host, address.port)
    await claimOwnNames(context.database, context.config.publicUrl, log)
    if (config.admin) {
      // Most servers have no admin port, and need not load what it takes.
      const { startAdminServer } = await import('./metrics/admin-server.ts')
      admin = await startAdminServer(context, server, config.admin)
    }

    let stopping: Promise<void> | undefined
    return {
      context,
      url: urlOfListener(address),
      adminUrl: admin?.url,
      stop(drainMs = 0) {
        context.draining = true
        return (stopping ??= sleep(drainMs).then(stopAll))
      },
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

/** Beside dist/server when built; `npm run dev` brings its own. */
const webFolder = new URL('../web', import.meta.url).pathname

function defaultPublicUrl(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  return `http://${everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Stops accepting; the current requests have at most 10 s. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), 10_000)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}
