import { canonicalVisitorPassword } from '#domain/forms/passwords.ts'
import { constantTimeEqual } from '../../primitives/constant-time.ts'
import { HasherBusyError, type PasswordHasher } from '../password-hasher.ts'
import type { Budgets } from '../protection/budgets.ts'
import type { SecretBox } from '../secret-box.ts'
import type { GuessGuard, GuessOutcome } from './guess-guard.ts'
import {
  type PasswordRefusal,
  tooManyPasswords,
  wrongPassword,
} from '../../http/password-refusal.ts'
import { ifError } from '../../primitives/caught-error.ts'
import { createConcurrencyLimit } from '../../primitives/concurrency-limit.ts'
import { orThrow } from '../../primitives/or-throw.ts'

interface VisitorPasswordsDeps {
  hasher: PasswordHasher
  guesses: GuessGuard
  budgets: Budgets
  secretBox: Pick<SecretBox, 'digest'>
}

/** A thing with a password that visitors give. */
interface Guarded {
  /** For example `report` and its id. */
  subject: string
  hash: string
  /** New with each password. */
  version: string
}

/** Share of the hashing thread (decision 0022) for visitors, so that a flood never blocks sign-in. */
const maxSlots = 10

/** Passwords that visitors give without an account: their hashes, their guesses, and proofs that one was right. */
export function createVisitorPasswords({
  hasher,
  guesses,
  budgets,
  secretBox,
}: VisitorPasswordsDeps) {
  const slots = createConcurrencyLimit(maxSlots)
  const tooMany = () => new HasherBusyError('too many passwords of visitors wait')
  const inSlot = async <T>(work: () => Promise<T>): Promise<T> => {
    const leave = orThrow(slots.take('all'), tooMany)
    try {
      return await work()
    } finally {
      leave()
    }
  }
  const proofOf = ({ subject, version }: Guarded) =>
    secretBox.digest(JSON.stringify([subject, version]), 'visitor passwords')

  return {
    /** Undefined while too many passwords wait for their hash. */
    hash: (password: string): Promise<string | undefined> =>
      inSlot(() => hasher.hash(canonicalVisitorPassword(password))).catch(
        ifError(HasherBusyError, () => undefined),
      ),

    /**
     * Compares as often as the guess guard allows from networks that are unknown to an account (decision 0021).
     * Resolves to undefined if the password is right.
     */
    async check(
      { subject, hash }: Guarded,
      password: string,
      address: string,
    ): Promise<PasswordRefusal | undefined> {
      const canonical = canonicalVisitorPassword(password)
      const guess = await guesses.start({ email: subject, address, password: canonical })
      if (guess.wait !== undefined) return tooManyPasswords(guess.wait)
      let outcome: GuessOutcome = 'abandoned'
      try {
        const wait = await budgets.transaction((_, buckets) => guess.admit(buckets, []))
        if (wait !== undefined) return tooManyPasswords(wait)
        const isRight = await inSlot(() => hasher.verify(password, hash, canonical))
        outcome = isRight ? 'right' : 'wrong'
        return isRight ? undefined : wrongPassword
      } catch (error) {
        if (error instanceof HasherBusyError) return tooManyPasswords(2)
        throw error
      } finally {
        for (const token of guess.settle(outcome)) await budgets.giveBack(...token)
      }
    },

    /** For a visitor who gave the right password; a new password voids it. */
    proofOf,
    isProof: (guarded: Guarded, given: string) => constantTimeEqual(proofOf(guarded), given),
  }
}
