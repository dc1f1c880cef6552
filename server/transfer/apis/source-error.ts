/**
 * Kinds of refusals of a source: `token` it is wrong or has expired, `right` it may not read this, `wait` too many requests, `answer`
 * nothing that we understand, `unreachable` no answer, or the service has a fault.
 */
export type SourceErrorKind = 'token' | 'right' | 'wait' | 'answer' | 'unreachable'

/** A page that could not be read. The message is a sentence for the owner of the import, without the token. */
export class SourceError extends Error {
  override name = 'SourceError'
  readonly kind: SourceErrorKind
  /** Undefined: the service did not say. */
  readonly retryAfterSeconds: number | undefined

  constructor(kind: SourceErrorKind, message: string, retryAfterSeconds?: number) {
    super(message)
    this.kind = kind
    this.retryAfterSeconds = retryAfterSeconds
  }
}
