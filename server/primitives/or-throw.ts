/**
 * A value that has to be there: `orThrow(await findUser(db, id), authErrors.noSuchUser)`.
 *
 * @throws the error, in place of null and undefined
 */
export function orThrow<T>(value: T, errorOf: () => Error): NonNullable<T> {
  if (value === null || value === undefined) throw errorOf()
  return value
}
