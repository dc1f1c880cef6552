import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { expectNoFaults, launchBrowser } from './browser.ts'
import { type BuiltServer, startBuiltServer } from './built-server.ts'

export interface Stage {
  server: BuiltServer
  browser: Browser
}

interface StageSettings {
  /** The server's environment; without it, a server without rate limits. */
  environment?: () => Record<string, string>
  hostname?: 'localhost'
  /** Starts a server without accounts, for tests that look at all accounts. */
  isFresh?: true
}

const environmentOfAll = { RATE_LIMITS: 'off' }

// A worker keeps one browser, and one server for the tests that look only at their own data.
let sharedBrowser: Promise<Browser> | undefined
let sharedServer: Promise<BuiltServer> | undefined

/** The server of a worker, for tests that look only at their own data. */
export const sharedBuiltServer = (): Promise<BuiltServer> =>
  (sharedServer ??= startBuiltServer(environmentOfAll))

/**
 * The stage of the browser tests of a file: the built server and a browser. After each test nothing unexpected may have
 * happened in any page; after the last one its pages are closed.
 */
export function setStage(
  ready: (stage: Stage) => unknown,
  { environment, hostname, isFresh }: StageSettings = {},
): void {
  const isShared = !environment && !hostname && !isFresh
  let server: BuiltServer | undefined
  let browser: Browser | undefined
  beforeAll(async () => {
    ;[server, browser] = await Promise.all([
      isShared
        ? sharedBuiltServer()
        : startBuiltServer(environment?.() ?? environmentOfAll, hostname),
      (sharedBrowser ??= launchBrowser()),
    ])
    await ready({ server, browser })
  })
  afterAll(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
    if (!isShared) await server?.close()
  })
  afterEach(expectNoFaults)
}
