import { setTimeout as sleep } from 'node:timers/promises'
import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import { limitKey } from '../http/client-address.ts'
import type { GuardFacts } from '../http/router.ts'
import type { Transaction } from '../postgres/database.ts'
import { firstRow } from '../postgres/rows.ts'
import { isUuid } from '../primitives/uuid.ts'
import type { Claims } from '../postgres/begin.ts'
import { ForeignAccountError } from '../tokens/tokens.ts'
import { recordPerson } from '../tokens/person.ts'
import { appScopes, type Identity, TokenError } from '../tokens/tokens.ts'
import { type AuthCall, type AuthGuard, transaction } from './call.ts'
import { type AuthError, authErrors } from './errors.ts'
import { type LimitName, policies } from './limits.ts'
import { HasherBusyError } from './password-hasher.ts'
import { isAllowedOrigin } from './redirects.ts'
import type { Session } from './sessions.ts'
import { type Factor, findUser, lockAccount, type LockedAccount, type User } from './users.ts'
import { replaceError } from '../primitives/caught-error.ts'
import { orThrow } from '../primitives/or-throw.ts'

/** Counts the request against the client's address, for all servers on one database together. @throws {AuthError} 429 */
export function limit(name: LimitName): AuthGuard {
  return (call) => countRequest(call, name)
}

/** For a handler that counts the request in a separate transaction: this process's count alone. @throws {AuthError} 429 */
export function limitHere(name: LimitName): AuthGuard {
  return ({ deps, info }) =>
    refuseExcess(deps.budgets.takeHere(policies[name], limitKey(info.address)))
}

/** @throws {AuthError} 429 when the client's address has no request left */
export async function countRequest({ deps, info }: AuthCall, name: LimitName): Promise<void> {
  refuseExcess(await deps.budgets.take(policies[name], limitKey(info.address)))
}

/** @param wait seconds until the next request; undefined: it may go on. @throws {AuthError} 429 */
export function refuseExcess(wait: number | undefined): void {
  if (wait !== undefined) throw authErrors.tooManyRequests(wait)
}

/**
 * Delays every answer until `durationMs` have passed, so that its time does not tell whether an address has an account.
 * The duration must be several times the duration of the handler; bench/auth.ts measures it.
 */
export function steadyTime(durationMs: number): AuthGuard {
  return () => {
    const minimum = sleep(durationMs)
    return { beforeAnswer: () => minimum }
  }
}

/** Long enough for a mail to be queued, or a code to be compared. */
export const mailWorkMs = 100

/**
 * Covers the two password hashes of a sign-up as well. Where accounts open without confirmation the answer says whether
 * the address is taken, so there is nothing to hide.
 */
export const steadySignUp: AuthGuard = (call) =>
  call.deps.config.auth.autoconfirm ? undefined : steadyTime(400)(call)

/**
 * Takes one of the slots for requests that hash a password, until the answer. Without it a crowd would use up the
 * database connections before the hasher's queue is full.
 *
 * @throws {AuthError} 429
 */
export const hashingSlot: AuthGuard = ({ deps }) => {
  const release = orThrow(
    deps.hasher.reserve(),
    () => new HasherBusyError('too many requests hash passwords'),
  )
  return { beforeAnswer: release }
}

/** For the operator's own programs, which hold the API key of role `service_role`. @throws {AuthError} 401 or 403 */
export async function serviceOnly(call: AuthCall): Promise<void> {
  if ((await readBearer(call)).role !== 'service_role') throw authErrors.notAdmin()
}
serviceOnly.facts = { caller: 'service_role' } satisfies GuardFacts

/** A handler for calls of the protocol that this server does not have, so that clients get the protocol's error code. */
export function refuse(error: () => AuthError): () => Promise<Response> {
  return () => Promise.reject(error())
}

export function bearerToken({ headers }: Pick<Request, 'headers'>): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
}

interface Bearer {
  user: User
  /** Scopes of the app that holds the session; undefined for the person's own session. */
  scopes: ReadonlySet<OAuthScope> | undefined
  session: Pick<Session, 'id' | 'aal' | 'amr' | 'created_at'>
}

/** A call with a genuine bearer token, with a session and an account that were alive a moment ago. */
export type SignedInCall = AuthCall & Bearer

/**
 * For a person: bearer token genuine, account and session still there, account not banned. All of it is read on each
 * request, so that a sign-out works at once and not when the token expires.
 */
export async function signedIn(call: AuthCall): Promise<Bearer> {
  const bearer = await signedInOrApp(call)
  if (bearer.scopes) throw authErrors.insufficientScope()
  return bearer
}
signedIn.facts = { caller: 'person' } satisfies GuardFacts

/** Like {@link signedIn}, and also for an app that acts for the person: its token has a client_id. */
export async function signedInOrApp(call: AuthCall): Promise<Bearer> {
  const { role, claims } = await readBearer(call)
  if (role !== 'authenticated') throw authErrors.badToken('missing sub claim')
  const found = await transaction(call, async (db) => ({
    user: await findUser(db, claims.sub),
    session: await firstRow<Bearer['session']>(
      db,
      `select id, aal, amr, created_at from auth.sessions
        where id = $1 and user_id = $2 and auth.session_is_live(id, user_id)`,
      [claims['session_id'], claims.sub],
    ),
  }))
  const user = orThrow(found.user, authErrors.userNotFound)
  refuseBanned(user)
  const session = orThrow(found.session, authErrors.sessionNotFound)
  recordPerson(call.info, claims)
  // A token from before the second factor stays at aal1, although its session is at aal2 by now.
  if (claims['aal'] === 'aal1') session.aal = 'aal1'
  return { user, session, scopes: appScopes(claims) }
}
signedInOrApp.facts = { caller: 'person' } satisfies GuardFacts

/**
 * Adds the account that a person acts for: their own, or with `X-Hoplet-Account` a space that they own.
 *
 * @throws {AuthError} 403
 */
export async function ownedAccount(call: SignedInCall): Promise<{ account: OwnedAccount }> {
  const own = call.user.id
  const id = call.request.headers.get('x-hoplet-account')?.toLowerCase() ?? own
  const base = { session_id: call.session.id, aal: call.session.aal }
  if (id === own) return { account: { id, isSpace: false, claims: { ...base, sub: own } } }
  const role = isUuid(id)
    ? await transaction(call, (db) =>
        firstRow<{ role: string | null }>(db, 'select auth.member_role($1, $2) as role', [id, own]),
      )
    : undefined
  if (!role?.role) {
    const refusal = new ForeignAccountError(own)
    call.deps.tokens.members.recordRefused(refusal, call.request, call.info)
    throw authErrors.foreignAccount()
  }
  if (role.role !== 'owner') throw authErrors.notForRole()
  const claims = { ...base, sub: id, person: own, member_role: 'owner' }
  return { account: { id, isSpace: true, claims } }
}

/** An account with its owner signed in. */
export interface OwnedAccount {
  id: string
  isSpace: boolean
  /** The claims of its owner as they act for it. */
  claims: Claims & { sub: string }
}

/** @throws {AuthError} the refusal; default: 403 user_banned */
export function refuseBanned({ is_banned }: User, refusal = authErrors.userBanned): void {
  if (is_banned) throw refusal()
}

/** @throws {AuthError} 401 without a token, 403 for one that is not genuine */
async function readBearer({ request, deps }: AuthCall): Promise<Identity> {
  const token = orThrow(bearerToken(request), authErrors.noAuthorization)
  return deps.tokens
    .verify(token)
    .catch(
      replaceError(TokenError, ({ message }) =>
        authErrors.badToken(`unable to parse or verify signature, ${message}`),
      ),
    )
}

/** For passwords, and links and codes of emails, where the operator allows them. @throws {AuthError} 400 email_provider_disabled */
export const emailLogins: AuthGuard = ({ deps }) => {
  if (!deps.config.auth.passwords) throw authErrors.emailLoginsDisabled()
}

/** Like {@link emailLogins}, for new accounts. */
export const emailSignUps: AuthGuard = ({ deps }) => {
  if (!deps.config.auth.passwords) throw authErrors.emailSignUpsDisabled()
}

/** For links between accounts and identities, where the operator allows them. @throws {AuthError} 404 manual_linking_disabled */
export const manualLinking: AuthGuard = ({ deps }) => {
  if (!deps.config.auth.manualLinking) throw authErrors.manualLinkingDisabled()
}

/** Refuses a session of a person who has a second factor and has not shown it. @throws {AuthError} 403 insufficient_aal */
export function bothFactors(call: SignedInCall): void {
  if (lacksAal2(call)) throw authErrors.insufficientAal()
}

/** GoTrue lets pages of other origins neither read an app's request nor answer it, with any token. */
export const fromAllowedOrigin: AuthGuard = ({ deps, request }) => {
  if (!isAllowedOrigin(deps.config, request.headers.get('origin'))) throw authErrors.foreignOrigin()
}

/** Whether the person has a second factor that the session has not shown. */
export function lacksAal2({ user, session }: SignedInCall): boolean {
  return isEnrolled(user.factors) && session.aal !== 'aal2'
}

/** Whether one of the factors is verified, so that it counts. */
export function isEnrolled(factors: readonly Pick<Factor, 'status'>[]): boolean {
  return factors.some(({ status }) => status === 'verified')
}

/** Runs `work` in a transaction that holds the lock on the person's own account. @throws {AuthError} 403 user_not_found */
export function ownTransaction<T>(
  call: SignedInCall,
  work: (db: Transaction, account: LockedAccount) => Promise<T>,
): Promise<T> {
  return transaction(call, async (db) => {
    const account = orThrow(await lockAccount(db, call.user.id), authErrors.userNotFound)
    return work(db, account)
  })
}
