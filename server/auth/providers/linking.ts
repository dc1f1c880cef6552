import type { SecurityEventName } from '#domain/access/security-events.ts'
import type { Transaction } from '../../postgres/database.ts'
import { firstRow, onlyRow } from '../../postgres/rows.ts'
import { isRetryableConflict, isUniqueViolation } from '../../primitives/error-code.ts'
import { type AuthCall, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'
import type { SignInProviderSettings } from '../../env-providers.ts'
import {
  clearUnverifiedAccount,
  findUser,
  lockAccountOf,
  type LockedAccount,
  type User,
} from '../users.ts'
import { identityData, metadataFrom } from './claims.ts'
import { refuseBanned } from '../guards.ts'
import { takeClaimedRoles } from './claimed-role.ts'
import { refreshProviders } from './identities.ts'
import type { ProviderIdentity } from './provider.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { withRetries } from '../../primitives/with-retries.ts'
import { ifDefined } from '../../primitives/if-defined.ts'

/** A person who came back from a provider, and the account that they asked to link, if any. */
interface SignInCompletion {
  provider: SignInProviderSettings
  identity: ProviderIdentity
  linkTo: string | undefined
}

/** Facts about the person for the choice of the account. */
interface LinkingFacts extends SignInCompletion {
  /** The account that has this identity already, and the issuer that it came from. */
  known: { user_id: string; issuer: string | null } | undefined
  /** The account with the email address that the provider vouches for. */
  owner: LockedAccount | undefined
  /** Whether new accounts are allowed. */
  signUp: boolean
}

type LinkingDecision =
  | { kind: 'sign in' | 'link' | 'take over'; userId: string }
  | { kind: 'create'; userId?: undefined }

/**
 * Decides which account a person gets (docs/decisions/0060-linking-identities.md). An address counts only when the provider
 * vouches for it. An account with an unverified address goes to the person who has now verified it, without its creator's data.
 *
 * @throws {AuthError} when they get none
 */
function decideAccount(facts: LinkingFacts): LinkingDecision {
  const { provider, identity, linkTo, known, owner, signUp } = facts
  if (known && known.issuer !== identity.issuer) throw authErrors.issuerChanged(provider.name)
  if (linkTo !== undefined) {
    if (!known) return { kind: 'link', userId: linkTo }
    const isOwn = known.user_id === linkTo
    throw isOwn ? authErrors.identityLinked() : authErrors.identityLinkedElsewhere()
  }
  if (known) return { kind: 'sign in', userId: known.user_id }
  if (owner) return { kind: owner.is_email_proven ? 'link' : 'take over', userId: owner.id }
  if (!signUp) throw authErrors.signUpDisabled()
  return { kind: 'create' }
}

interface CompletedSignIn<Result> {
  user: User
  decision: LinkingDecision['kind']
  result: Result
}

/** Security events of each decision. */
export const completionEvents = {
  'sign in': 'sign-in',
  link: 'identity linked',
  'take over': 'account taken over by who proved its address',
  create: 'sign-up',
} as const satisfies Record<LinkingDecision['kind'], SecurityEventName>

/** Attempts when another request creates the same account or identity, or changes the same role, at the same time. */
const maxAttempts = 3
const mayRetry = (error: unknown) => isUniqueViolation(error) || isRetryableConflict(error)

/**
 * Finds or creates the account of a person who came from a provider, and runs `then` in the same transaction.
 *
 * @throws {AuthError} when the person gets no account
 */
export async function completeProviderSignIn<Result>(
  call: AuthCall,
  completion: SignInCompletion,
  then: (db: Transaction, user: User) => Promise<Result>,
): Promise<CompletedSignIn<Result>> {
  return withRetries({ attempts: maxAttempts, mayRetry }, () =>
    transaction(call, async (db) => {
      const decision = decideAccount(await readFacts(db, call, completion))
      const userId = await carryOut(db, decision, completion)
      const user = orThrow(await findUser(db, userId), authErrors.userNotFound)
      refuseBanned(user)
      await takeClaimedRoles(db, call, userId, completion)
      return { user, decision: decision.kind, result: await then(db, user) }
    }),
  )
}

/** Locks the account with the address, so that the decision about it stays valid. */
async function readFacts(
  db: Transaction,
  call: AuthCall,
  completion: SignInCompletion,
): Promise<LinkingFacts> {
  const { provider, identity } = completion
  const known = await firstRow<NonNullable<LinkingFacts['known']>>(
    db,
    `select user_id, identity_data ->> 'iss' as issuer from auth.identities where provider = $1 and provider_id = $2`,
    [provider.id, identity.subject],
  )
  const { vouchedEmail } = identity
  const owner = await ifDefined(vouchedEmail, (email) => lockAccountOf(db, email))
  return { ...completion, known, owner, signUp: call.deps.config.auth.signUp }
}

/** @returns the account's id. @throws unique_violation (SQLSTATE 23505) when another request was first */
async function carryOut(
  db: Transaction,
  { kind, userId: chosen }: LinkingDecision,
  { provider, identity }: SignInCompletion,
): Promise<string> {
  const userId = chosen ?? (await insertAccount(db, identity))
  if (kind === 'take over') await clearUnverifiedAccount(db, userId)
  if (kind !== 'sign in') {
    await db.query(
      `insert into auth.identities (user_id, provider, provider_id, identity_data) values ($1, $2, $3, '{}')`,
      [userId, provider.id, identity.subject],
    )
    await refreshProviders(db, userId)
  }
  await recordSignIn(db, userId, provider.id, identity)
  return userId
}

/** Creates an account for a new person. It gets the email address only if the provider vouches for it. */
async function insertAccount(db: Transaction, identity: ProviderIdentity): Promise<string> {
  const { id } = await onlyRow<{ id: string }>(
    db,
    `insert into auth.users (email, email_confirmed_at, email_proven_at, user_metadata)
      values ($1, case when $1::text is not null then now() end, case when $1::text is not null then now() end, $2)
      returning id`,
    [identity.vouchedEmail, JSON.stringify(metadataFrom(identity))],
  )
  return id
}

/**
 * Stores a sign-in: the provider's current data, and their proof about the account. An account without an address
 * gets the one that the provider vouches for, unless another account has it.
 */
async function recordSignIn(
  db: Transaction,
  userId: string,
  provider: string,
  identity: ProviderIdentity,
): Promise<void> {
  await db.query(
    `update auth.identities set identity_data = $3, last_sign_in_at = now(), updated_at = now()
      where provider = $1 and provider_id = $2`,
    [provider, identity.subject, JSON.stringify(identityData(identity))],
  )
  await db.query(
    `update auth.users set last_sign_in_at = now(),
        email = case when email is null and not exists (select 1 from auth.users o where o.email = $2) then $2 else email end
      where id = $1`,
    [userId, identity.vouchedEmail],
  )
  await db.query(
    `update auth.users set email_confirmed_at = coalesce(email_confirmed_at, now()),
        email_proven_at = coalesce(email_proven_at, now()) where id = $1 and email = $2`,
    [userId, identity.vouchedEmail],
  )
}
