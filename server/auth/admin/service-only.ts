import { TokenError } from '../../tokens/tokens.ts'
import type { Handler } from '../call.ts'
import { authErrors } from '../errors.ts'

/** Lets a handler run only for the operator's own programs, which hold the key of role `service_role`. */
export function serviceOnly(handler: Handler): Handler {
  return async (call) => {
    const token = /^Bearer +(\S+)$/i.exec(call.request.headers.get('authorization') ?? '')?.[1]
    if (token === undefined) throw authErrors.noAuthorization()
    const identity = await call.context.tokens.verify(token).catch((error: unknown) => {
      if (!(error instanceof TokenError)) throw error
      throw authErrors.badToken(`unable to parse or verify signature, ${error.message}`)
    })
    if (identity.role !== 'service_role') throw authErrors.notAdmin()
    return handler(call)
  }
}
