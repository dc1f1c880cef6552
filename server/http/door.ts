import type { Logger } from '../log.ts'

/** What a door knows of a request besides the request itself. */
export interface Caller {
  /** The client's address (see client-address.ts). */
  address: string
  /** Sent back as X-Request-Id and found in every log line about this request. */
  requestId: string
  log: Logger
}

/** A door answers requests under its prefix and knows nothing of the other doors. It never throws for a person's mistake. */
export type Door = (request: Request, caller: Caller) => Promise<Response>
