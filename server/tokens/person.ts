import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import { httpErrors } from '../http/errors.ts'
import type { HttpCall, RequestInfo } from '../http/router.ts'
import type { Claims } from '../postgres/begin.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import type { RateLimits } from '../primitives/token-bucket.ts'
import { countAccountRequest } from './request-limits.ts'
import { appScopes, identify, type Tokens } from './tokens.ts'

/** The person of a token with a session that was alive a moment ago. */
export interface Person {
  id: string
  claims: Claims
}

/** Part of a feature in the export of a person's data (auth/account/export.ts). */
export interface PersonExport {
  /** Everything short, by the names of its fields in the export. */
  facts?(person: Person): Promise<Record<string, unknown>>
  /** Lists that may be long, page by page. */
  lists?(person: Person): Record<string, AsyncIterable<unknown[]>>
}

/** Records the person of a request with a live session. Requests of an app are not its person's. */
export function recordPerson(info: RequestInfo, { sub, client_id: clientId }: Claims): void {
  if (typeof sub === 'string' && clientId === undefined) info.personId = sub
}

/**
 * The person of the bearer token, for the areas that answer `{error}`. The key of a role, like a missing token, gives 'No access
 * token'.
 *
 * @param forApps the scope with which an app or an API key may come for the person; without one it may not
 * @throws {HttpError | TokenError | SessionEndedError} answered with 401, 403 or 429
 */
export async function requirePerson(
  deps: { tokens: Tokens; database: Database; rateLimits: RateLimits },
  { request, info }: Pick<HttpCall, 'request' | 'info'>,
  forApps?: OAuthScope,
): Promise<Person> {
  const identity = await identify(deps.tokens, request)
  const { wait } = countAccountRequest(deps, identity, info)
  if (wait !== undefined) throw httpErrors.tooManyRequests(wait)
  if (identity.role !== 'authenticated') throw httpErrors.noToken()
  const { role, claims } = identity
  // Apps may use the table door. Calls that cost money or change the account are for the person.
  const scopes = appScopes(claims)
  if (scopes && forApps === undefined) throw httpErrors.notForApps()
  if (scopes && forApps !== undefined && !scopes.has(forApps))
    throw httpErrors.insufficientScope(forApps)
  await queryAs(deps.database, { role, claims, readOnly: true }, 'select')
  recordPerson(info, claims)
  return { id: claims.sub, claims }
}

/**
 * Asks the database whether the session has the rights of an admin: an app has none, and neither has a session with
 * claims that are due (docs/decisions/0068-admins-by-a-claim.md).
 *
 * @throws {SessionEndedError}
 */
export async function isAdmin(
  database: Pick<Database, 'transactionAs'>,
  claims: Claims,
): Promise<boolean> {
  if (appScopes(claims)) return false
  const caller = { role: 'authenticated', claims, readOnly: true } as const
  return (
    (await queryAs(database, caller, `select where api.session_facts() ->> 'role' = 'admin'`))
      .length > 0
  )
}
