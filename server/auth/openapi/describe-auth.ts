import { describeDoor, describeOnce, type Json, openApiResponse } from '../../http/openapi.ts'
import type { DoorRoute } from '../../http/router.ts'
import { identify, issuerOf, TokenError } from '../../tokens/tokens.ts'
import { type AuthCall, authRoute } from '../call.ts'
import { authErrors } from '../errors.ts'
import { limitHere } from '../guards.ts'
import { accountOperations } from './account-operations.ts'
import { adminOperations } from './admin-operations.ts'
import { authErrorAnswer } from './answers.ts'
import { appOperations } from './app-operations.ts'
import { signInOperations } from './sign-in-operations.ts'
import { replaceError } from '../../primitives/caught-error.ts'

const operations = {
  ...signInOperations,
  ...accountOperations,
  ...appOperations,
  ...adminOperations,
}

const description =
  'Accounts and sessions, in the protocol of the official auth client. A call with a lock needs the access token of a session; API keys open the other doors. Where a captcha is asked for, the body has `gotrue_meta_security.captcha_token` as well.'

/** GET /openapi.json: the door's own description. The admin API is in it for the operator's programs. */
export function authDescription(routes: () => readonly DoorRoute<AuthCall>[]) {
  const describe = describeOnce((address, seesAdmin: boolean) =>
    describeAuth(routes(), address, seesAdmin),
  )
  return authRoute('GET', '/openapi.json', [limitHere('document')], async (call) => {
    const { role } = await identify(call.deps.tokens, call.request).catch(
      replaceError(TokenError, ({ message }) => authErrors.badToken(message)),
    )
    const document = describe(issuerOf(call.deps.config), role === 'service_role')
    return openApiResponse(document, call.request)
  })
}

function describeAuth(
  routes: readonly DoorRoute<AuthCall>[],
  address: string,
  seesAdmin: boolean,
): Json {
  const door = { title: 'Hoplet accounts', description, address, routes, operations }
  return describeDoor(
    { ...door, error: authErrorAnswer },
    (caller) => seesAdmin || caller !== 'service_role',
  )
}
