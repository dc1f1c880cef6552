import { qrLimitReachedNotice } from '#domain/texts/plan-texts.ts'
import type { Database } from '../postgres/database.ts'
import { HttpError } from '../http/errors.ts'
import { valueAs } from '../postgres/rows.ts'

/** The database's answer to a download. */
export interface QrUse {
  allowed: boolean
  limit: number
  plan: string
}

/**
 * Counts codes as downloads, each once per look and day, all or none; none on the plan Free.
 *
 * @param keys codes, with the mark of a placement behind a slash
 * @param look id of a look, or `plain`
 * @throws {HttpError} 429 when the plan allows no more today
 */
export async function countQrDownloads(
  database: Database,
  account: string,
  keys: readonly string[],
  look: string,
): Promise<void> {
  const use = await valueAs<QrUse>(
    database,
    { role: 'hoplet_worker' },
    'select app.count_qr_downloads($1, $2, $3)',
    [account, keys, look],
  )
  if (!use?.allowed) throw qrLimitReached(use?.limit ?? 0)
}

/** The refusal of one more download today. */
export function qrLimitReached(limit: number): HttpError {
  const { title, description } = qrLimitReachedNotice(limit)
  return new HttpError(429, `${title}: ${description}`)
}
