import type { Context } from '../context.ts'
import type { Identity } from '../tokens/tokens.ts'
import type { Limits } from './limits.ts'
import type { SchemaRules } from './rules.ts'
import type { ServedSchema } from './scope.ts'

/** What the table door needs, and the schema that it serves. */
export interface TablesDeps extends Pick<
  Context,
  'config' | 'database' | 'listener' | 'rateLimits' | 'tokens'
> {
  schema: string
  rules: SchemaRules
}

/** One request, with what the door found out before a handler sees it. */
export interface TableRequest {
  request: Request
  identity: Identity
  limits: Limits
  /** Goes into the audit log beside what an admin changes. */
  requestId: string
  served: ServedSchema
}
