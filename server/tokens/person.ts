import { httpErrors } from '../http/errors.ts'
import type { Claims, Database } from '../postgres/database.ts'
import { identify, type Tokens } from './tokens.ts'

/** The person of a token whose session was alive a moment ago. */
export interface Person {
  id: string
  claims: Claims
}

/** What a feature contributes to the export of a person's data (auth/account/export.ts). */
export interface PersonExport {
  /** Everything short, by the names of its fields in the export. */
  facts?(person: Person): Promise<Record<string, unknown>>
  /** Lists that may be long, page by page. */
  lists?(person: Person): Record<string, AsyncIterable<unknown[]>>
}

/**
 * The person of the bearer token, for the areas that answer `{error}`. An API key, like a missing token, gives 'No access
 * token'.
 *
 * @throws {HttpError | TokenError | SessionEndedError} answered with 401
 */
export async function requirePerson(
  { tokens, database }: { tokens: Tokens; database: Database },
  request: Request,
): Promise<Person> {
  const identity = await identify(tokens, request)
  if (identity.role !== 'authenticated') throw httpErrors.noToken()
  const { role, claims } = identity
  // Apps may use the table door. What costs money or changes the account is for the person.
  if (claims['client_id'] !== undefined) throw httpErrors.notForApps()
  await database.transactionAs({ role, claims, readOnly: true }, async () => {})
  return { id: claims.sub, claims }
}
