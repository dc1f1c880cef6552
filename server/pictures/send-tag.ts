import * as z from 'zod'
import { addressOfName, linksOrigin, type NamedOn } from '#domain/links/link-address.ts'
import { qrAddress } from '#domain/links/qr-address.ts'
import { namedCodePattern } from '#domain/links/short-codes.ts'
import { drawQr } from '#domain/qr/draw-qr.ts'
import type { Context } from '../context.ts'
import { httpErrors } from '../http/errors.ts'
import type { HttpCall } from '../http/router.ts'
import { findLook } from '../qr/find-looks.ts'
import { queryAs, valueAs } from '../postgres/rows.ts'
import { qrLimitReached, type QrUse } from '../qr/count-downloads.ts'
import { readKeys } from '../tables/name-keys.ts'
import type { Person } from '../tokens/person.ts'
import { nameOfKey } from '../visits/names/name-key.ts'
import { drawTag } from './tag-picture.ts'
import { tagPages } from './tag-pages.ts'

export const tagQuery = z.object({
  code: z.string().regex(namedCodePattern, 'code must be a short code'),
  format: z.enum(['png', 'pdf'], 'format must be png or pdf').default('png'),
})

interface TagCall extends HttpCall {
  deps: Pick<Context, 'config' | 'database' | 'makePdf'>
  person: Person
  query: z.output<typeof tagQuery>
}

interface OwnLink extends NamedOn {
  title: string | null
  original_url: string
}

const types = { png: 'image/png', pdf: 'application/pdf' }

/**
 * The tag of the person's link as a file, with its QR code in the default look, counted as a QR download; on the plan Free without a
 * QR code, and not counted.
 */
export async function sendTag({ deps, person, query, request }: TagCall): Promise<Response> {
  const { database, config } = deps
  const caller = { role: 'authenticated', claims: person.claims } as const
  const { code, format } = query
  const [link] = await queryAs<OwnLink>(
    database,
    { ...caller, readOnly: true },
    `select ${nameOfKey('short_code')} as name, domain, title, original_url from api.shortened_urls
      where short_code = $1 and user_id = $2`,
    [(await readKeys(database, person.claims, [code])).get(code), person.id],
  )
  if (!link) throw httpErrors.notFound()
  const headers = {
    'Content-Type': types[format],
    'Content-Disposition': `attachment; filename="${link.name}-tag.${format}"`,
    'Cache-Control': 'no-store',
  }
  if (request.method === 'HEAD') return new Response(null, { headers })
  const count = 'select api.increment_qr_usage($1)'
  const use = await valueAs<QrUse>(database, caller, count, [person.id])
  if (!use?.allowed) throw qrLimitReached(use?.limit ?? 0)
  const { look: whole } = await findLook(database, person, 'default')
  const look = { ...whole, frame: 'none' } as const
  const view = {
    code: link.name,
    title: link.title,
    destination: link.original_url,
    publicUrl: linksOrigin(config.linksUrl, link.domain),
    qrCode:
      use.plan === 'free'
        ? undefined
        : drawQr(qrAddress(addressOfName(config.linksUrl, link)), look),
  }
  const file =
    format === 'pdf' ? await deps.makePdf({ pages: tagPages(view) }) : await drawTag(view)
  return new Response(new Uint8Array(file), { headers })
}
