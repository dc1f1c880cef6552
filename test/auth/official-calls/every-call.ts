import { accountCalls } from './account-calls.ts'
import { factorCalls } from './factor-calls.ts'
import { keyCalls } from './key-calls.ts'
import { mailedCalls } from './mailed-calls.ts'
import { oauthCalls } from './oauth-calls.ts'
import { offCalls } from './off-calls.ts'
import { phoneCalls } from './phone-calls.ts'
import { providerCalls } from './provider-calls.ts'
import { sessionCalls } from './session-calls.ts'
import type { Calls } from './world.ts'

/** Every call of the official client that a person's browser makes. */
export const everyCall: Calls = {
  ...accountCalls,
  ...sessionCalls,
  ...mailedCalls,
  ...providerCalls,
  ...factorCalls,
  ...phoneCalls,
  ...keyCalls,
  ...oauthCalls,
  ...offCalls,
}
