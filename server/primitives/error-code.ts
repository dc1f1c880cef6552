/**
 * The `code` of an error: a SQLSTATE from PostgreSQL ('23505'), a Node system code ('ENOENT'), or undefined.
 */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Makes a `catch` handler for a file or folder that does not exist. It throws other errors again. */
export function ifMissing<Result>(result: Result): (error: unknown) => Result {
  return (error) => {
    if (errorCode(error) === 'ENOENT') return result
    throw error
  }
}

/** SQLSTATE 23505: a unique key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return errorCode(error) === '23505'
}

/** SQLSTATE P0001: `raise exception` in one of our own functions. */
export function isRaisedException(error: unknown): boolean {
  return errorCode(error) === 'P0001'
}

/** SQLSTATE of class 22 or 23: the values themselves are refused, so a retry is useless. */
export function isRefusedValue(error: unknown): boolean {
  return /^2[23]/.test(errorCode(error) ?? '')
}

/** SQLSTATE 22021, 22P02 and 22P05: a text has characters, such as NUL, that the database cannot store. */
export function isUnstorableText(error: unknown): boolean {
  return ['22021', '22P02', '22P05'].includes(errorCode(error) ?? '')
}

/** SQLSTATE 40P01 and 40001: the same transaction may succeed when it runs again. */
export function isRetryableConflict(error: unknown): boolean {
  const code = errorCode(error)
  return code === '40P01' || code === '40001'
}

/** SQLSTATE 57014, 55P03 and 40P01: a statement waited too long for a lock, or ended a deadlock. */
export function isLockFailure(error: unknown): boolean {
  const code = errorCode(error)
  return code === '57014' || code === '55P03' || code === '40P01'
}
