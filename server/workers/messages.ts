import type { ServerConfig } from '../config.ts'
import type { Family } from '../metrics/families.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import type { FromCounting, ToCounting } from '../visits/counting/messages.ts'

// Messages between the processes of one server, as structured clones over the channel of node:cluster.

/** A token that one process took (1) or gave back (-1). */
export type Spent = [policy: BucketPolicy, key: string, tokens: number]

/** A visitor, new to a link today. */
export type Visited = [linkId: string, visitor: number]

export type ToWorker =
  /** `config` is the share of the worker. */
  | { kind: 'start'; number: number; journal: string; config: ServerConfig }
  /** Serve on, and say at /health/ready that this will end. */
  | { kind: 'drain' }
  /** End: accept no more connections, and serve those that are open for at most `graceMs`. */
  | { kind: 'stop'; graceMs: number }
  | { kind: 'spent'; spent: Spent[] }
  | { kind: 'visited'; visited: Visited[] }
  | { kind: 'counting'; message: FromCounting }
  /** Asks for its metrics. */
  | { kind: 'measure' }

export type ToPrimary =
  /** It listens to messages from now on; earlier ones would be lost. */
  | { kind: 'listening' }
  | { kind: 'ready' }
  /** The start failed; the message tells the operator why. */
  | { kind: 'failed'; message: string }
  | { kind: 'spent'; spent: Spent[] }
  | { kind: 'visited'; visited: Visited[] }
  | { kind: 'unknown-host'; host: string }
  | { kind: 'counting'; message: ToCounting }
  | { kind: 'metrics'; families: Family[] }
