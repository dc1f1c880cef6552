import type { ColumnMap } from '#domain/transfer/readers/mapped.ts'
import type { SecretBox } from '../auth/secret-box.ts'
import { HttpError } from '../http/errors.ts'
import type { ServerConfig } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Media } from '../media/media.ts'
import type { Database } from '../postgres/database.ts'
import type { Jobs } from '../primitives/jobs.ts'
import type { getFromEndpoint } from '../webhooks/post.ts'

export interface ImportJobDeps {
  config: ServerConfig
  database: Database
  log: Logger
  jobs: Jobs
  secretBox: SecretBox
  getPublic: typeof getFromEndpoint
  media: Pick<Media, 'saveUpload'>
}

/** The facts of `app.imports` that the job needs. */
export interface ImportAtWork {
  id: string
  user_id: string
  source: string
  state: 'reading' | 'running' | 'waiting'
  is_complete: boolean
  undoes: boolean
  headers: string[] | null
  mapping: ColumnMap | null
  access: string | null
  rows: number
}

/** One import of an account is at work at a time. */
export const importIsAtWork = () =>
  new HttpError(409, 'Another import of yours is under way. Please wait for its end, or delete it.')
