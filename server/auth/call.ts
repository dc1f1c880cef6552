import type * as z from 'zod'
import {
  BodyError,
  BodyShapeError,
  BodyTooLargeError,
  NotJsonError,
  readJsonAs,
  readText,
} from '../http/body.ts'
import { type Guard, type HttpCall, routesWith } from '../http/router.ts'
import type { Mailer } from '../mail/mail.ts'
import type { Database, Transaction } from '../postgres/database.ts'
import type { RateLimits } from '../primitives/token-bucket.ts'
import type { PersonExport } from '../tokens/person.ts'
import type { Tokens } from '../tokens/tokens.ts'
import { authErrors } from './errors.ts'
import type { GuessGuard } from './guessing/guess-guard.ts'
import type { PasswordHasher } from './password-hasher.ts'
import type { Budgets } from './protection/budgets.ts'
import type { SecurityEvents } from './protection/security-events.ts'
import type { SignInProviders } from './providers/sign-in-providers.ts'
import type { SecretBox } from './secret-box.ts'
import type { AuthSettings } from './settings.ts'

/** What the auth area needs of the server. */
export interface AuthDeps {
  config: {
    publicUrl: string
    auth: AuthSettings
    mail: { smtpUrl: string | undefined }
    rateLimits: boolean
  }
  database: Database
  tokens: Tokens
  rateLimits: RateLimits
  /** Like rateLimits, for limits that hold across servers and restarts. */
  budgets: Budgets
  guesses: GuessGuard
  hasher: PasswordHasher
  providers: SignInProviders
  secretBox: SecretBox
  securityEvents: SecurityEvents
  mail: Pick<Mailer, 'wake'>
  /** What the features contribute to the export of a person's data. */
  exports: readonly PersonExport[]
}

/** One request to the auth area. */
export interface AuthCall extends HttpCall {
  deps: AuthDeps
}

export type AuthGuard<Added extends object = object> = Guard<AuthCall, Added>

/** Writes one line of the auth area's route table. */
export const authRoute = routesWith<AuthCall>()

/** No form of the protocol is larger. */
export const maxFormBytes = 16 * 1_024

/** Runs `work` as the auth area's own database role, in one transaction. */
export function transaction<T>(
  { deps }: Pick<AuthCall, 'deps'>,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  return deps.database.transactionAs({ role: 'hoplet_auth' }, work)
}

/**
 * Reads and checks the JSON body. Only `application/json` is accepted: a form on another site cannot send it.
 *
 * @throws {AuthError} 400, 413 or 415
 */
export async function readBody<Shape extends z.ZodType>(
  { request }: Pick<AuthCall, 'request'>,
  shape: Shape,
): Promise<z.output<Shape>> {
  try {
    return await readJsonAs(request, shape)
  } catch (error) {
    if (error instanceof NotJsonError) throw authErrors.notJson()
    if (error instanceof BodyTooLargeError) throw authErrors.bodyTooLarge()
    if (error instanceof BodyError) throw authErrors.badJson(error.message)
    if (error instanceof BodyShapeError)
      throw authErrors.invalid([error.field, error.message].filter(Boolean).join(': '))
    if (request.signal.aborted) throw authErrors.badJson('The request was aborted')
    throw error
  }
}

/** Reads the fields of a form: none when they cannot be read. */
export async function readFormFields({
  request,
}: Pick<AuthCall, 'request'>): Promise<URLSearchParams> {
  try {
    return new URLSearchParams(await readText(request, maxFormBytes))
  } catch (error) {
    if (error instanceof BodyError || error instanceof BodyTooLargeError)
      return new URLSearchParams()
    throw error
  }
}
