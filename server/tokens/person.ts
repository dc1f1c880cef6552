import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import { httpErrors } from '../http/errors.ts'
import type { HttpCall, RequestInfo } from '../http/router.ts'
import type { Claims } from '../postgres/begin.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import type { RateLimits } from '../primitives/token-bucket.ts'
import { countAccountRequest } from './request-limits.ts'
import { personOf } from './tokens.ts'
import {
  appScopes,
  isLimitedToDomains,
  identify,
  rightsOf,
  roleRights,
  type Tokens,
} from './tokens.ts'

/** The person of a token with a session that was alive a moment ago, and the account that they act for. */
export interface Person {
  /** The account: the person's own or a space. */
  id: string
  /** The human. */
  personId: string
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
export function recordPerson(
  info: RequestInfo,
  { sub, person = sub, client_id: clientId }: Claims,
): void {
  if (typeof sub !== 'string' || typeof person !== 'string' || clientId !== undefined) return
  info.personId = person
  info.accountId = sub
}

/**
 * The person of the bearer token, for the areas that answer `{error}`. The key of a role, like a missing token, gives 'No access
 * token'.
 *
 * @param forApps the scope with which an app or an API key may come for the person; without one it may not
 * @param forMembers the right that a member of a space needs; without one only its owners may come
 * @throws {HttpError | TokenError | SessionEndedError} answered with 401, 403 or 429
 */
export async function requirePerson(
  deps: { tokens: Tokens; database: Database; rateLimits: RateLimits },
  { request, info }: Pick<HttpCall, 'request' | 'info'>,
  forApps?: OAuthScope,
  forMembers = forApps,
): Promise<Person> {
  const { members } = deps.tokens
  try {
    const identity = await identify(deps.tokens, request)
    const { wait } = countAccountRequest(deps, identity, info)
    if (wait !== undefined) throw httpErrors.tooManyRequests(wait)
    return await members.inPresentRole(identity, async ({ role, claims }) => {
      if (role !== 'authenticated') throw httpErrors.noToken()
      requireRights(claims, forApps, forMembers)
      await queryAs(deps.database, { role, claims, readOnly: true }, 'select')
      recordPerson(info, claims)
      return { id: claims.sub, personId: personOf(claims), claims }
    })
  } catch (error) {
    members.recordRefused(error, request, info)
    throw error
  }
}

/** @throws {HttpError} 403 */
function requireRights(
  claims: Claims,
  forApps: OAuthScope | undefined,
  forMembers: OAuthScope | undefined,
): void {
  // Apps may use the table door. Calls that cost money or change the account are for the person.
  const scopes = appScopes(claims)
  if ((scopes && forApps === undefined) || isLimitedToDomains(claims)) throw httpErrors.notForApps()
  if (scopes && forApps !== undefined && !scopes.has(forApps))
    throw httpErrors.insufficientScope(forApps)
  const rights = roleRights(claims)
  if (rights && (forMembers === undefined || !rights.has(forMembers))) throw httpErrors.notForRole()
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
  if (rightsOf(claims) || claims['person'] !== undefined) return false
  const caller = { role: 'authenticated', claims, readOnly: true } as const
  return (
    (await queryAs(database, caller, `select where api.session_facts() ->> 'role' = 'admin'`))
      .length > 0
  )
}
