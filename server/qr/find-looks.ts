import { plainQrLook, type QrLook, storedLook } from '#domain/qr/qr-look.ts'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { isUuid } from '../primitives/uuid.ts'
import type { Person } from '../tokens/person.ts'

export const lookParameter = z
  .string()
  .refine(
    (text) => text === 'default' || text === 'plain' || isUuid(text),
    'look must be default, plain or the id of a look',
  )
  .default('default')
  .describe('The id of a look, `default` for the default one of the account, or `plain`')

export interface FoundLook {
  /** Its id, or `plain`. */
  key: string
  look: QrLook
}

/** The look of the person that a call names. @throws {HttpError} 404 */
export async function findLook(
  database: Database,
  { id, claims }: Person,
  wanted: string,
): Promise<FoundLook> {
  const plain = { key: 'plain', look: plainQrLook }
  if (wanted === 'plain') return plain
  const [row] = await queryAs<{ id: string; look: unknown }>(
    database,
    { role: 'authenticated', claims, readOnly: true },
    `select id, look from api.qr_looks
      where user_id = $1 and case when $2::uuid is null then is_default else id = $2::uuid end`,
    [id, wanted === 'default' ? null : wanted],
  )
  if (row) return { key: row.id, look: storedLook(row.look) }
  if (wanted === 'default') return plain
  throw new HttpError(404, 'You have no look with this id')
}
