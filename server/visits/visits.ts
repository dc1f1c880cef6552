import type { IncomingMessage, ServerResponse } from 'node:http'

/** Door 4. */
export interface Visits {
  /** True: it was a visit, answered now or later; false: not a `/{code}` path, the app takes it. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  close(): Promise<void>
}

export async function createVisits(_parts: object): Promise<Visits> {
  return { handle: () => false, close: async () => {} }
}
