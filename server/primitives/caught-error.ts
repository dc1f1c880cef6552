// A caught error has no type: these functions find it out.

type ErrorClass = abstract new (...args: never[]) => Error

/**
 * Makes a `catch` handler for one class of errors. It throws the others again:
 * `work().catch(ifError(LeaseHeldError, () => 0))`.
 */
export function ifError<Kind extends ErrorClass, Result>(
  kind: Kind,
  handle: (error: InstanceType<Kind>) => Result,
): (error: unknown) => Result {
  return (error) => {
    if (isA(error, kind)) return handle(error)
    throw error
  }
}

/** Makes a `catch` handler that throws another error in place of one class of errors. */
export function replaceError<Kind extends ErrorClass>(
  kind: Kind,
  replacement: (error: InstanceType<Kind>) => Error,
): (error: unknown) => never {
  return (error) => {
    throw isA(error, kind) ? replacement(error) : error
  }
}

/** The same for errors that a test recognizes, such as `isUniqueViolation`. */
export function replaceErrorWhen(
  isMeant: (error: unknown) => boolean,
  replacement: (error: unknown) => Error,
): (error: unknown) => never {
  return (error) => {
    throw isMeant(error) ? replacement(error) : error
  }
}

/** One class of errors, and the result for them. Without a result they count as unknown. */
type ErrorCase<Kind extends ErrorClass, Result> = readonly [
  kind: Kind,
  resultOf: (error: InstanceType<Kind>) => Result | undefined,
]

/** The result of the first case that an error belongs to; undefined for other errors. */
export function matchError<Kinds extends ErrorClass[], Result>(
  error: unknown,
  ...cases: { [At in keyof Kinds]: ErrorCase<Kinds[At], Result> }
): Result | undefined {
  const found = (cases as ErrorCase<ErrorClass, Result>[]).find(([kind]) => isA(error, kind))
  return found?.[1](error as Error)
}

function isA<Kind extends ErrorClass>(error: unknown, kind: Kind): error is InstanceType<Kind> {
  return error instanceof kind
}

/** The thrown value as an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Message of an error, or the text of another thrown value. A connection that tried several addresses has an error for each. */
export function errorMessage(thrown: unknown): string {
  const error = toError(thrown)
  const causes: unknown[] = error instanceof AggregateError ? error.errors : []
  return error.message || causes.map(errorMessage).join(', ')
}
