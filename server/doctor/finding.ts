import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import type { Keys } from '../tokens/keys.ts'

export interface DoctorDeps {
  config: Config
  log: Logger
  database: Database
  keys: Keys
}

/** `problem`: something does not work. `warning`: it works, but will not last or is not safe. */
type Level = 'ok' | 'warning' | 'problem'

/** What the doctor found out about one thing. */
export interface Finding {
  level: Level
  /** One sentence, and for warnings and problems what to do. */
  text: string
}

export const ok = (text: string): Finding => ({ level: 'ok', text })
export const warning = (text: string): Finding => ({ level: 'warning', text })
export const problem = (text: string): Finding => ({ level: 'problem', text })

/** What went wrong, in the words of whoever noticed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  // fetch says only that it failed.
  return cause instanceof Error && cause.message ? cause.message : error.message
}
