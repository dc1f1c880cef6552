import * as z from 'zod'
import { qrAddress } from '#domain/links/qr-address.ts'
import { shortCodePattern } from '#domain/links/short-codes.ts'
import type { Context } from '../context.ts'
import { HttpError, httpErrors } from '../http/errors.ts'
import { queryAs } from '../postgres/rows.ts'
import { isUuid } from '../primitives/uuid.ts'
import type { Person } from '../tokens/person.ts'
import { appScopes, roleRights } from '../tokens/tokens.ts'

/** An own link, one of its placements, or the own bio page, as a QR code has it. */
export interface QrSubject {
  /** The code or address, and behind a slash the mark. */
  key: string
  /** The text of the QR code. */
  scanned: string
  /** The address as people read it, without https://. */
  readable: string
  title: string
  /** Name of the placement. */
  placement?: string
}

interface Asking {
  deps: Pick<Context, 'config' | 'database'>
  person: Person
}

export const codeParameter = z.string().regex(shortCodePattern, 'code must be a short code')
export const placementParameter = z
  .string()
  .refine(
    (text) => isUuid(text) || /^[a-z0-9]{2,8}$/i.test(text),
    'a placement is named by its id or mark',
  )

interface LinkRow {
  id: string
  short_code: string
  title: string | null
}

/** The person's own links with these codes, in their order. @throws {HttpError} 404 about the first that is not there */
export async function findLinksOfCodes(
  asking: Asking,
  codes: readonly string[],
): Promise<QrSubject[]> {
  const rows = await readLinks(asking, codes)
  return rows.map((row) => subjectOf(asking, row.short_code, row.title ?? ''))
}

async function readLinks({ deps, person }: Asking, codes: readonly string[]): Promise<LinkRow[]> {
  const rows = await queryAs<LinkRow>(
    deps.database,
    { role: 'authenticated', claims: person.claims, readOnly: true },
    'select id, short_code, title from api.shortened_urls where short_code = any ($1) and user_id = $2',
    [codes, person.id],
  )
  const known = new Map(rows.map((row) => [row.short_code, row]))
  return codes.map((code) => {
    const row = known.get(code)
    if (!row) throw new HttpError(404, `You have no link with the code ${code}`)
    return row
  })
}

/**
 * Placements of the person's link.
 *
 * @param wanted ids and marks, in their order; `all` alone, which is no mark, for all from the oldest on
 * @throws {HttpError} 404 about a link or placement that is not there
 */
export async function findPlacements(
  asking: Asking,
  code: string,
  wanted: readonly string[],
): Promise<QrSubject[]> {
  const { deps, person } = asking
  const [link] = await readLinks(asking, [code])
  const rows = await queryAs<{ id: string; mark: string; name: string }>(
    deps.database,
    { role: 'authenticated', claims: person.claims, readOnly: true },
    'select id, mark, name from api.placements where link_id = $1 order by created_at, name, id',
    [link?.id],
  )
  const subject = ({ mark, name }: (typeof rows)[number]) => ({
    ...subjectOf(asking, code, link?.title ?? '', mark),
    placement: name,
  })
  if (wanted.length === 1 && wanted[0] === 'all') {
    if (rows.length === 0) throw new HttpError(404, `/${code} has no placements`)
    return rows.map(subject)
  }
  const known = new Map(rows.flatMap((row) => [[row.id, row] as const, [row.mark, row] as const]))
  return wanted.map((each) => {
    const row = known.get(each.toLowerCase())
    if (!row) throw new HttpError(404, `/${code} has no placement ${each}`)
    return subject(row)
  })
}

/** The person's own bio page; an app needs its scope. @throws {HttpError} 403 or 404 */
export async function findBioPage(asking: Asking): Promise<QrSubject> {
  const { deps, person } = asking
  const scopes = appScopes(person.claims)
  if (scopes?.has('bio:read') === false) throw httpErrors.insufficientScope('bio:read')
  if (roleRights(person.claims)?.has('bio:read') === false) throw httpErrors.notForRole()
  const [page] = await queryAs<{ slug: string; title: string }>(
    deps.database,
    { role: 'authenticated', claims: person.claims, readOnly: true },
    'select slug, title from api.bio_pages where user_id = $1',
    [person.id],
  )
  if (!page) throw new HttpError(404, 'You have no bio page')
  return subjectOf(asking, page.slug, page.title)
}

function subjectOf({ deps }: Asking, code: string, title: string, mark?: string): QrSubject {
  const address = `${deps.config.publicUrl}/${code}`
  return {
    key: mark === undefined ? code : `${code}/${mark}`,
    scanned: qrAddress(address, mark),
    readable: address.replace(/^https?:\/\//, ''),
    title,
  }
}
