import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, it } from 'vitest'
import { everyCall } from '#test/auth/official-calls/every-call.ts'
import { type Outside, startOutside } from '#test/auth/official-calls/outside.ts'
import type { World } from '#test/auth/official-calls/world.ts'
import { officialAdmin } from '#test/auth/requests.ts'
import { plugKeyIn } from './account-factors.ts'
import { expectNoFaults, launchBrowser, openPage } from './browser.ts'
import { type BuiltServer, startBuiltServer } from './built-server.ts'
import { openClientPage } from './client-page.ts'

// Each call of the official client against the built server, in Chromium; test/auth/official-client.test.ts makes them in Node.

let outside: Outside
let server: BuiltServer
let browser: Browser
let world: World
beforeAll(async () => {
  outside = await startOutside()
  // Security keys want a site with a name.
  server = await startBuiltServer(outside.environment, 'localhost')
  await outside.google.register(`${server.url}/auth/v1/callback`)
  browser = await launchBrowser()
  const page = await openPage(browser, server.url)
  await plugKeyIn(page)
  const { newClient } = await openClientPage(page, server.anonKey)
  world = {
    ...server,
    outside,
    newClient,
    admin: officialAdmin(server),
    travel: (address) => travel(page, address),
    key: {
      register: (client, friendlyName) => client.mfa.webauthn.register({ friendlyName }),
      authenticate: (client, factorId) => client.mfa.webauthn.authenticate({ factorId }),
    },
  }
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await outside.close()
})
afterEach(expectNoFaults)

/** In another tab of the same browser. */
async function travel(page: Page, address: string): Promise<URL> {
  const context = page.context()
  await context.clearCookies({ domain: new URL(outside.google.url).hostname })
  const tab = await context.newPage()
  try {
    await tab.goto(address)
    await tab.waitForURL(`${outside.app}**`)
    return new URL(tab.url())
  } finally {
    await tab.close()
  }
}

for (const [name, makeCall] of Object.entries(everyCall)) it(name, () => makeCall(world))
