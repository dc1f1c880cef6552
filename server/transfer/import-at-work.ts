import type { ColumnMap } from '#domain/transfer/readers/mapped.ts'
import type { SecretBox } from '../auth/secret-box.ts'
import { HttpError } from '../http/errors.ts'
import type { ServerConfig } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Media } from '../media/media.ts'
import type { Database } from '../postgres/database.ts'
import type { Jobs } from '../primitives/jobs.ts'
import { queryAs } from '../postgres/rows.ts'
import type { ImportPlaces } from './prepare-row.ts'
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
  /** The host that the person chose; null: that of new links. */
  domain: string | null
  rows: number
}

/** The account's domains, and the host of links that are from none of them. A team moves its domain last, so it may be not verified yet. */
export async function placesOf(
  database: Database,
  { user_id: account, domain }: Pick<ImportAtWork, 'user_id' | 'domain'>,
): Promise<ImportPlaces> {
  const rows = await queryAs<{ host: string; is_default: boolean }>(
    database,
    { role: 'hoplet_worker', readOnly: true },
    'select host, is_default and is_served as is_default from app.domains where user_id = $1',
    [account],
  )
  const domains = rows.map(({ host }) => host)
  const byDefault = rows.find((row) => row.is_default)?.host ?? ''
  // A domain that was lost since is not chosen any more.
  const isKept = domain === '' || (domain !== null && domains.includes(domain))
  return { domains, domain: isKept ? domain : byDefault }
}

/** One import of an account is at work at a time. */
export const importIsAtWork = () =>
  new HttpError(409, 'Another import of yours is under way. Please wait for its end, or delete it.')
