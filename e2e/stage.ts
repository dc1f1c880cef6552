import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { expectNoFaults, launchBrowser } from './browser.ts'
import { type BuiltServer, startBuiltServer } from './built-server.ts'

interface Stage {
  server: BuiltServer
  browser: Browser
}

/**
 * What the browser tests of a file play on: the built server and a browser, from before its first test to after its
 * last. After each test nothing unexpected may have happened in any page.
 */
export function setStage(ready: (stage: Stage) => void): void {
  let server: BuiltServer | undefined
  let browser: Browser | undefined
  beforeAll(async () => {
    server = await startBuiltServer({ RATE_LIMITS: 'off' })
    browser = await launchBrowser()
    ready({ server, browser })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })
  afterEach(expectNoFaults)
}
