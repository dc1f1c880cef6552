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
}

/**
 * What the browser tests of a file play on: the built server and a browser, from before its first test to after its
 * last. After each test nothing unexpected may have happened in any page.
 */
export function setStage(
  ready: (stage: Stage) => unknown,
  { environment = () => ({ RATE_LIMITS: 'off' }), hostname }: StageSettings = {},
): void {
  let server: BuiltServer | undefined
  let browser: Browser | undefined
  beforeAll(async () => {
    ;[server, browser] = await Promise.all([
      startBuiltServer(environment(), hostname),
      launchBrowser(),
    ])
    await ready({ server, browser })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })
  afterEach(expectNoFaults)
}
