import type { Logger } from '../log.ts'

/** What every area knows about a request besides the request itself. */
export interface RequestInfo {
  /** The client's address (see client-address.ts). */
  address: string
  /** Sent back as X-Request-Id, and part of every log line about this request. */
  requestId: string
  log: Logger
}

/** Answers the requests under one prefix, in one protocol. Never throws for a person's mistake. */
export type Door = (request: Request, info: RequestInfo) => Promise<Response>
