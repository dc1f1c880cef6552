import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import type { Context } from '../context.ts'
import { SecondFactorMissingError, SessionEndedError } from '../postgres/begin.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import { mcpAudience, mcpScopes } from '../tokens/audiences.ts'
import type { RequestInfo } from '../http/router.ts'
import { ForeignAccountError, type PersonIdentity, personOf } from '../tokens/tokens.ts'
import { actingFor, appScopes, rightsOf, TokenError } from '../tokens/tokens.ts'
import { matchError } from '../primitives/caught-error.ts'
import { orThrow } from '../primitives/or-throw.ts'

/** The calling app and its person. */
export interface Agent {
  identity: PersonIdentity
  /** The account that it acts for. */
  accountId: string
  personId: string
  clientId: string
  scopes: ReadonlySet<OAuthScope>
}

/** A request that goes no further: the door answers with this. */
export class Refusal extends Error {
  name = 'Refusal'
  readonly response: Response
  constructor(response: Response) {
    super(`refused with ${response.status}`)
    this.response = response
  }
}

type BearerDeps = Pick<Context, 'config' | 'database' | 'tokens'>

/**
 * The app of the bearer token. Takes only an app's token for this resource, of a session that was alive a moment ago: a token for
 * another door, a person's own and an API key are refused, as the protocol demands.
 *
 * @throws {Refusal} 401, 403 or 503
 */
export async function authenticateAgent(
  deps: BearerDeps,
  { request, info }: { request: Request; info: RequestInfo },
): Promise<Agent> {
  const { config, database, tokens } = deps
  const header = orThrow(
    request.headers.get('authorization'),
    () => new Refusal(challenge(config, 401, 'An access token is needed', undefined, mcpScopes)),
  )
  const [, token] = /^Bearer +(\S+)$/i.exec(header) ?? []
  const invalid = (why: string) =>
    new Refusal(challenge(config, 401, why, 'invalid_token', mcpScopes))
  if (token === undefined) throw invalid('Authorization is not a bearer token')
  try {
    const app = await tokens.verify(token, [mcpAudience(config)])
    if (app.role !== 'authenticated' || !appScopes(app.claims))
      throw invalid('The token is not an app’s for /mcp')
    const acting = await actingFor(tokens, app, request)
    return await tokens.members.inPresentRole(acting, async (identity) => {
      const { role, claims } = identity
      await database.transactionAs({ role, claims, readOnly: true }, async () => {})
      return {
        identity,
        accountId: claims.sub,
        personId: personOf(claims),
        clientId: String(claims['client_id']),
        scopes: rightsOf(claims) ?? new Set(),
      }
    })
  } catch (error) {
    tokens.members.recordRefused(error, request, info)
    const known = matchError(
      error,
      [TokenError, ({ message }) => invalid(message)],
      [SessionEndedError, () => invalid('The session of this token has ended')],
      [SecondFactorMissingError, () => invalid('A second factor is needed')],
      [ForeignAccountError, ({ message }) => new Refusal(refusal(403, 'access_denied', message))],
      [DatabaseUnavailableError, unavailable],
    )
    throw known ?? error
  }
}

const unavailable = () =>
  new Refusal(refusal(503, 'unavailable', 'Please try again.', { 'Retry-After': '2' }))

/** @throws {Refusal} 403 insufficient_scope, by which a client knows the missing scopes */
export function requireScopes(
  { config }: Pick<BearerDeps, 'config'>,
  { scopes }: Agent,
  needed: readonly OAuthScope[],
): void {
  const missing = needed.filter((scope) => !scopes.has(scope))
  if (missing.length === 0) return
  // With its present scopes: the next token replaces this one.
  const all = mcpScopes.filter((scope) => scopes.has(scope) || missing.includes(scope))
  const why = `This app was not allowed ${missing.join(' ')}`
  throw new Refusal(challenge(config, 403, why, 'insufficient_scope', all))
}

/** With where to get a token, and the scopes to ask for (RFC 9728 5.1, RFC 6750 3). */
function challenge(
  { publicUrl }: { publicUrl: string },
  status: 401 | 403,
  why: string,
  code: 'invalid_token' | 'insufficient_scope' | undefined,
  scopes: readonly string[],
): Response {
  const parts = [
    ...(code === undefined ? [] : [`error="${code}"`]),
    `scope="${scopes.join(' ')}"`,
    `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp"`,
  ]
  const headers = { 'WWW-Authenticate': `Bearer ${parts.join(', ')}` }
  return refusal(status, code ?? 'unauthorized', why, headers)
}

export function refusal(
  status: number,
  error: string,
  description: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json(
    { error, error_description: description },
    { status, headers: { 'Cache-Control': 'no-store', ...headers } },
  )
}
