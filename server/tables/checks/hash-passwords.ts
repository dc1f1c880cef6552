import { visitorPasswordMaxBytes } from '#domain/links/link-limits.ts'
import { canonicalVisitorPassword } from '#domain/forms/passwords.ts'
import { problems } from '../errors.ts'
import type { RelationRules } from '../rule-types.ts'
import type { Row, TableRequest } from '../table-request.ts'
import { orThrow } from '../../primitives/or-throw.ts'

/** A hash takes as long as hundreds of rows. */
const maxPasswords = 20

const isTooLong = (password: string) =>
  Buffer.byteLength(canonicalVisitorPassword(password)) > visitorPasswordMaxBytes

/**
 * Puts hashes in place of the passwords of one request's rows, so that no statement, log or stored answer has one. Null and ''
 * remove a password.
 *
 * @returns a function for each row; it throws 400 for a password beyond 1,024 bytes or more than 20 of them, 429 when too many
 *   wait for their hash
 */
export function passwordHashing(
  { deps }: Pick<TableRequest, 'deps'>,
  { passwords = [] }: RelationRules,
): (row: Row) => Promise<Row> {
  let count = 0
  return async (row) => {
    const hashed = { ...row }
    for (const column of passwords) {
      const password = row[column] ?? ''
      if (!(column in row) || password === '') continue
      if (typeof password !== 'string' || isTooLong(password)) throw problems.password()
      if (++count > maxPasswords) throw problems.tooManyPasswords()
      const hash = orThrow(await deps.visitorPasswords.hash(password), () =>
        problems.tooManyRequests(2),
      )
      hashed[column] = hash
    }
    return hashed
  }
}
