import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import type { Keys } from '../tokens/keys.ts'
import { toError } from '../primitives/caught-error.ts'

export interface DoctorDeps {
  config: Config
  log: Logger
  database: Database
  keys: Keys
}

/** `problem`: something does not work. `warning`: it works, but will not last or is not safe. */
type Level = 'ok' | 'warning' | 'problem'

/** Result of one check. */
export interface Finding {
  level: Level
  /** One sentence, and for warnings and problems the remedy. */
  text: string
}

export const ok = (text: string): Finding => ({ level: 'ok', text })
export const warning = (text: string): Finding => ({ level: 'warning', text })
export const problem = (text: string): Finding => ({ level: 'problem', text })

/** The finding of a check that is either fine or not. */
export function okIf(isFine: boolean, text: string, otherwise: Finding): Finding {
  return isFine ? ok(text) : otherwise
}

/** Error message of the failed check. */
export function reasonOf(error: unknown): string {
  const { cause, message } = toError(error)
  // fetch says only that it failed.
  return (cause instanceof Error && cause.message) || message
}
