import { createHash } from 'node:crypto'
import {
  isSameLook,
  plainQrLook,
  type QrLook,
  QrLookError,
  readQrLook,
  storedLook,
} from '#domain/qr/qr-look.ts'
import sharp from 'sharp'
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

/** The same, or a look itself, which need not be saved. */
export const lookOrName = z
  .union(
    [lookParameter, z.looseObject({})],
    'look must be default, plain, the id of a look, or one',
  )
  .default('default')
  .describe('A look itself as in `qr_looks`, or its name as in the query')

/** Bytes of a body: a look with the largest logo, and the codes of a full file. */
export const maxLookBytes = 128 * 1024

export interface FoundLook {
  /** Its id, `plain`, or a hash of one that is not saved. */
  key: string
  look: QrLook
}

/** The look of the person that a call names or brings. @throws {HttpError} 404 about a name, 400 about a look, 422 about its logo */
export async function findLook(
  database: Database,
  person: Person,
  wanted: z.output<typeof lookOrName>,
): Promise<FoundLook> {
  const { key, look } = await lookOf(database, person, wanted)
  if (look.logo === null) return { key, look }
  return { key, look: { ...look, logo: await plainLogo(look.logo) } }
}

const logoPixels = 2_048

/** The logo as a PNG that every program reads. @throws {HttpError} 422 */
async function plainLogo(logo: string): Promise<string> {
  const bytes = Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64')
  try {
    const png = await sharp(bytes, { limitInputPixels: logoPixels ** 2 })
      .png()
      .toBuffer()
    return `data:image/png;base64,${png.toString('base64')}`
  } catch {
    throw new HttpError(
      422,
      `look: the logo is no PNG of at most ${logoPixels} × ${logoPixels} pixels that can be read`,
    )
  }
}

async function lookOf(
  database: Database,
  { id, claims }: Person,
  wanted: z.output<typeof lookOrName>,
): Promise<FoundLook> {
  if (typeof wanted !== 'string') return findEqualLook(database, { id, claims }, lookIn(wanted))
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

function lookIn(value: object): QrLook {
  try {
    return readQrLook(value)
  } catch (error) {
    if (error instanceof QrLookError) throw new HttpError(400, `look: ${error.message}`)
    throw error
  }
}

/** A look that is saved counts downloads as if it had been named. */
async function findEqualLook(
  database: Database,
  { id, claims }: Pick<Person, 'id' | 'claims'>,
  look: QrLook,
): Promise<FoundLook> {
  if (isSameLook(look, plainQrLook)) return { key: 'plain', look }
  const text = JSON.stringify(look)
  const [row] = await queryAs<{ id: string }>(
    database,
    { role: 'authenticated', claims, readOnly: true },
    'select id from api.qr_looks where user_id = $1 and look = $2::jsonb order by id limit 1',
    [id, text],
  )
  const hash = () => createHash('sha256').update(text).digest('hex').slice(0, 32)
  return { key: row?.id ?? hash(), look }
}
