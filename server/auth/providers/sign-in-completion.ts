import { isUniqueViolation } from '../../primitives/error-code.ts'
import { type AuthCall, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'
import type { Transaction } from '../../postgres/database.ts'
import { clearUnverifiedAccount } from '../clear-unverified-account.ts'
import { findUser, type User } from '../users.ts'
import type { ProviderIdentity } from './provider.ts'
import {
  findIdentity,
  insertAccount,
  insertIdentity,
  lockOwner,
  noteSignIn,
  refreshProviders,
} from './identities.ts'
import { decideAccount, type LinkingDecision } from './linking.ts'
import type { SignInProviderSettings } from '../settings.ts'

/** A person who came back from a provider, and the account that they asked to link, if any. */
export interface SignInCompletion {
  provider: SignInProviderSettings
  identity: ProviderIdentity
  linkTo: string | undefined
}

export interface CompletedSignIn<Result> {
  user: User
  decision: Exclude<LinkingDecision, { kind: 'refuse' }>['kind']
  result: Result
}

/** Attempts when another request creates the same account or identity at the same time. */
const maxAttempts = 3

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
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction(call, async (db) => {
        const decision = await decideFor(db, call, completion)
        const userId = await carryOut(db, decision, completion)
        const user = await findUser(db, userId)
        if (!user) throw authErrors.userNotFound()
        if (user.is_banned) throw authErrors.userBanned(403)
        return { user, decision: decision.kind, result: await then(db, user) }
      })
    } catch (error) {
      if (attempt === maxAttempts || !isUniqueViolation(error)) throw error
    }
  }
}

async function decideFor(
  db: Transaction,
  call: AuthCall,
  { provider, identity, linkTo }: SignInCompletion,
): Promise<Exclude<LinkingDecision, { kind: 'refuse' }>> {
  const decision = decideAccount({
    issuer: identity.issuer,
    identity: await findIdentity(db, { provider: provider.id, subject: identity.subject }),
    owner:
      identity.email && identity.isEmailVerified ? await lockOwner(db, identity.email) : undefined,
    linkTo,
    signUp: call.deps.config.auth.signUp,
  })
  if (decision.kind !== 'refuse') return decision
  switch (decision.why) {
    case 'other issuer':
      throw authErrors.issuerChanged(provider.name)
    case 'linked':
      throw authErrors.identityLinked(true)
    case 'linked to another':
      throw authErrors.identityLinked(false)
    case 'sign-up disabled':
      throw authErrors.signUpDisabled()
  }
}

/** @returns the account's id */
async function carryOut(
  db: Transaction,
  decision: Exclude<LinkingDecision, { kind: 'refuse' }>,
  { provider, identity }: SignInCompletion,
): Promise<string> {
  const userId = decision.kind === 'create' ? await insertAccount(db, identity) : decision.userId
  if (decision.kind === 'take over') await clearUnverifiedAccount(db, userId)
  if (decision.kind !== 'sign in') {
    await insertIdentity(db, userId, provider.id, identity)
    await refreshProviders(db, userId)
  }
  await noteSignIn(db, userId, provider.id, identity)
  return userId
}
