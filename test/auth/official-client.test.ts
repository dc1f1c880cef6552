import { AuthClient } from '@supabase/auth-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { adminAppCalls } from './official-calls/admin-app-calls.ts'
import { adminCalls } from './official-calls/admin-calls.ts'
import { everyCall } from './official-calls/every-call.ts'
import { type Outside, startOutside } from './official-calls/outside.ts'
import { softSecurityKey } from './official-calls/soft-security-key.ts'
import type { World } from './official-calls/world.ts'
import { officialAdmin, officialClient } from './requests.ts'
import { makeBrowser } from './stand-ins/browser.ts'
import { freePort } from '../free-port.ts'

// Each call of the official client against the running server, in Node; e2e/official-client.test.ts makes them in Chromium.

let outside: Outside
let server: TestServer
let world: World
beforeAll(async () => {
  outside = await startOutside()
  const port = await freePort()
  // Security keys want a site with a name.
  const url = `http://localhost:${port}`
  const { auth, mail } = createConfig(parseVariables(outside.environment))
  server = await startTestServer({ auth, mail, port, publicUrl: url })
  await outside.google.register(`${url}/auth/v1/callback`)
  const { anonKey, serviceRoleKey, sql } = server
  const browser = makeBrowser()
  world = {
    url,
    anonKey,
    sql,
    outside,
    newClient: (flowType = 'implicit') =>
      officialClient(
        { url, anonKey },
        { flowType, fetch: (input, init) => browser.open(new Request(input).url, init) },
      ),
    admin: officialAdmin({ url, serviceRoleKey }),
    travel(address) {
      browser.forget(outside.google.url)
      return browser.travel(address, ({ href }) => href.startsWith(outside.app))
    },
    key: softSecurityKey(url),
  }
})
afterAll(async () => {
  await server.close()
  await outside.close()
})

const calls = { ...everyCall, ...adminCalls, ...adminAppCalls }

for (const [name, makeCall] of Object.entries(calls)) it(name, () => makeCall(world))

describe('the list', () => {
  /** Calls that ask no server, or that are not part of the protocol yet. */
  const others = [
    'initialize',
    'isThrowOnErrorEnabled',
    'onAuthStateChange',
    'startAutoRefresh',
    'stopAutoRefresh',
    'dispose',
    // Of `experimental` clients only.
    'signInWithPasskey',
    'registerPasskey',
    // Private: steps of calls in the list.
    'signInWithEthereum',
    'signInWithSolana',
    'linkIdentityOAuth',
    'linkIdentityIdToken',
    'fetchJwk',
  ]

  it('leaves out no call of the client', () => {
    const { admin, mfa, oauth } = new AuthClient({ url: 'http://none.invalid', ...forgetful })
    const known = [
      ...callsOf(AuthClient.prototype),
      ...callsOf(mfa, 'mfa.'),
      ...callsOf(oauth, 'oauth.'),
      ...callsOf(Object.getPrototypeOf(admin), 'admin.'),
      ...callsOf(admin.mfa, 'admin.mfa.'),
      ...callsOf(admin.oauth, 'admin.oauth.'),
    ]
    const made = Object.keys(calls).flatMap((name) => name.replace(/ \(.*/, '').split(', '))
    expect(known.filter((name) => !made.includes(name) && !others.includes(name))).toEqual([])
    expect(known.length).toBeGreaterThan(50)
  })

  const forgetful = { persistSession: false, autoRefreshToken: false }

  function callsOf(owner: object, prefix = ''): string[] {
    return Object.entries(Object.getOwnPropertyDescriptors(owner))
      .filter(([name, { value }]) => typeof value === 'function' && !/^_|^constructor$/.test(name))
      .map(([name]) => prefix + name)
  }
})
