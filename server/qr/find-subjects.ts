import * as z from 'zod'
import { addressOfName, namedOn, type NamedOn } from '#domain/links/link-address.ts'
import { qrAddress } from '#domain/links/qr-address.ts'
import { namedCodePattern } from '#domain/links/short-codes.ts'
import type { Context } from '../context.ts'
import { HttpError, httpErrors } from '../http/errors.ts'
import { queryAs } from '../postgres/rows.ts'
import { isUuid } from '../primitives/uuid.ts'
import type { Person } from '../tokens/person.ts'
import { readKeys } from '../tables/name-keys.ts'
import { appScopes, roleRights } from '../tokens/tokens.ts'
import { nameOfKey } from '../visits/names/name-key.ts'

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

export const codeParameter = z.string().regex(namedCodePattern, 'code must be a short code')
export const placementParameter = z
  .string()
  .refine(
    (text) => isUuid(text) || /^[a-z0-9]{2,8}$/i.test(text),
    'a placement is named by its id or mark',
  )

interface LinkRow extends NamedOn {
  id: string
  key: string
  title: string | null
}

/** The person's own links with these codes, in their order. @throws {HttpError} 404 about the first that is not there */
export async function findLinksOfCodes(
  asking: Asking,
  codes: readonly string[],
): Promise<QrSubject[]> {
  const rows = await readLinks(asking, codes)
  return rows.map((row) => subjectOf(asking, row, row.title ?? ''))
}

async function readLinks({ deps, person }: Asking, codes: readonly string[]): Promise<LinkRow[]> {
  const keys = await readKeys(deps.database, person.claims, codes)
  const rows = await queryAs<LinkRow>(
    deps.database,
    { role: 'authenticated', claims: person.claims, readOnly: true },
    `select id, short_code as key, ${nameOfKey('short_code')} as name, domain, title from api.shortened_urls
      where short_code = any ($1) and user_id = $2`,
    [[...keys.values()], person.id],
  )
  const known = new Map(rows.map((row) => [row.key, row]))
  return codes.map((code) => {
    const row = known.get(keys.get(code) ?? '')
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
  if (!link) throw httpErrors.notFound()
  const rows = await queryAs<{ id: string; mark: string; name: string }>(
    deps.database,
    { role: 'authenticated', claims: person.claims, readOnly: true },
    'select id, mark, name from api.placements where link_id = $1 order by created_at, name, id',
    [link.id],
  )
  const subject = ({ mark, name }: (typeof rows)[number]) => ({
    ...subjectOf(asking, link, link.title ?? '', mark),
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
  const [page] = await queryAs<NamedOn & { title: string }>(
    deps.database,
    { role: 'authenticated', claims: person.claims, readOnly: true },
    `select ${nameOfKey('slug')} as name, domain, title from api.bio_pages where user_id = $1`,
    [person.id],
  )
  if (!page) throw new HttpError(404, 'You have no bio page')
  return subjectOf(asking, page, page.title)
}

function subjectOf({ deps }: Asking, named: NamedOn, title: string, mark?: string): QrSubject {
  const address = addressOfName(deps.config.linksUrl, named)
  const code = namedOn(named)
  return {
    key: mark === undefined ? code : `${code}/${mark}`,
    scanned: qrAddress(address, mark),
    readable: address.replace(/^https?:\/\//, ''),
    title,
  }
}
