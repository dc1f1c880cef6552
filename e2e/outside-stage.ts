import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type Outside, startOutside } from '#test/auth/official-calls/outside.ts'
import { expectNoFaults, launchBrowser } from './browser.ts'
import { type BuiltServer, startBuiltServer } from './built-server.ts'

export interface OutsideStage {
  server: BuiltServer
  browser: Browser
  outside: Outside
}

/** The built server with everything switched on that it can talk to: mail, text messages, sign-in providers. */
export function setOutsideStage(ready: (stage: OutsideStage) => void | Promise<void>): void {
  let outside: Outside | undefined
  let server: BuiltServer | undefined
  let browser: Browser | undefined
  beforeAll(async () => {
    outside = await startOutside()
    // Security keys want a site with a name; and the provider is another site than ours, as the real ones are.
    server = await startBuiltServer(outside.environment, 'localhost')
    await outside.google.register(`${server.url}/auth/v1/callback`)
    browser = await launchBrowser()
    await ready({ server, browser, outside })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await outside?.close()
  })
  afterEach(expectNoFaults)
}
