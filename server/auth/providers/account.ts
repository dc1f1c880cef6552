import { type AuthCall, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'
import type { Transaction } from '../../postgres/database.ts'
import { clearUnproven } from '../unproven.ts'
import { findUser, type User } from '../users.ts'
import type { ProviderIdentity } from './claims.ts'
import {
  findIdentity,
  insertAccount,
  insertIdentity,
  lockOwner,
  noteSignIn,
  refreshProviders,
} from './identities.ts'
import { decideAccount, type Decision } from './linking.ts'
import type { ProviderSettings } from './provider.ts'

/** Somebody whom a provider vouches for, with whose account they asked to be linked with, if any. */
export interface Arrival {
  provider: ProviderSettings
  identity: ProviderIdentity
  linkTo: string | undefined
}

export interface Arrived<Result> {
  user: User
  decision: Exclude<Decision, { kind: 'refuse' }>['kind']
  result: Result
}

/** How often an arrival is decided anew because another request made the same account or identity first. */
const tries = 3

/**
 * Finds or makes the account of somebody who came from a provider, and does `then` in the same transaction.
 *
 * @throws {AuthError} when they get none
 */
export async function arrive<Result>(
  call: AuthCall,
  arrival: Arrival,
  then: (db: Transaction, user: User) => Promise<Result>,
): Promise<Arrived<Result>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction(call, async (db) => {
        const decision = await decide(db, call, arrival)
        const userId = await carryOut(db, decision, arrival)
        const user = await findUser(db, userId)
        if (!user) throw authErrors.userNotFound()
        if (user.is_banned) throw authErrors.userBanned(403)
        return { user, decision: decision.kind, result: await then(db, user) }
      })
    } catch (error) {
      if (attempt === tries || !isUniqueViolation(error)) throw error
    }
  }
}

async function decide(
  db: Transaction,
  call: AuthCall,
  { provider, identity, linkTo }: Arrival,
): Promise<Exclude<Decision, { kind: 'refuse' }>> {
  const decision = decideAccount({
    issuer: identity.issuer,
    identity: await findIdentity(db, { provider: provider.id, subject: identity.subject }),
    owner:
      identity.email && identity.isEmailVerified ? await lockOwner(db, identity.email) : undefined,
    linkTo,
    signUp: call.context.config.auth.signUp,
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
  decision: Exclude<Decision, { kind: 'refuse' }>,
  { provider, identity }: Arrival,
): Promise<string> {
  const userId = decision.kind === 'create' ? await insertAccount(db, identity) : decision.userId
  if (decision.kind === 'take over') await clearUnproven(db, userId)
  if (decision.kind !== 'sign in') {
    await insertIdentity(db, userId, provider.id, identity)
    await refreshProviders(db, userId)
  }
  await noteSignIn(db, userId, provider.id, identity)
  return userId
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}
