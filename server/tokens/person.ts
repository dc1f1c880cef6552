import { httpErrors } from '../http/errors.ts'
import type { Claims, Database } from '../postgres/database.ts'
import { identify } from './identify.ts'
import type { Tokens } from './tokens.ts'

/** Whose token it was; the session was alive a moment ago. */
export interface Person {
  id: string
  claims: Claims
}

/**
 * The person behind the bearer token, for the doors that answer `{error}`. The API keys are no person: for them, as
 * for nobody, it is 'No access token' (specification §8).
 *
 * @throws {HttpError | TokenError | SessionEndedError} what those doors answer with 401
 */
export async function requirePerson(
  { tokens, database }: { tokens: Tokens; database: Database },
  request: Request,
): Promise<Person> {
  const identity = await identify(tokens, request)
  if (identity.role !== 'authenticated') throw httpErrors.noToken()
  const { role, claims } = identity
  // An app that acts for somebody has the table door; what costs money or changes the account is the person's.
  if (claims['client_id'] !== undefined) throw httpErrors.notForApps()
  await database.transactionAs({ role, claims, readOnly: true }, async () => {})
  return { id: claims.sub, claims }
}
