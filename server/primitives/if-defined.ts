/** Applies a function to a value that is there: `ifDefined(env.SHARED_DATA_DIR, resolve)`; null and undefined give undefined. */
export function ifDefined<T, Result>(
  value: T,
  map: (value: NonNullable<T>) => Result,
): Result | undefined {
  return value === null || value === undefined ? undefined : map(value)
}
