import { queryOptions } from '@tanstack/react-query'
import { qrAddress } from '#domain/links/qr-address.ts'
import { codeOfLink, namedOn } from '#domain/links/link-address.ts'
import type { utmFields } from '#domain/reports/hits.ts'
import { answerOf, oneRowOf, tables } from '#web/api/client.ts'
import type { LinkRow } from '#web/api/database.ts'
import { shortLinkUrl } from '#web/site.ts'

/** Target of a dynamic code: a link or the bio page of the account. */
export interface QrTarget {
  kind: 'link' | 'page'
  /** Id of the link; '' for a page. */
  id: string
  /** A text of `namedOn`. */
  code: string
  title: string
}

export interface Placement {
  id: string
  name: string
  mark: string
  utm: Campaign
}

/** UTM parameters of the scans of a placement; empty ones are those of the destination. */
export type Campaign = Readonly<Record<(typeof utmFields)[number], string>>

/** The link with a code, or null. */
export function linkTargetQuery(userId: string, code: string) {
  return queryOptions({
    queryKey: ['qr-target', userId, 'link', code],
    queryFn: async ({ signal }): Promise<QrTarget | null> => {
      const row = await oneRowOf(
        tables
          .from('shortened_urls')
          .select('id,short_code,domain,title')
          .eq('user_id', userId)
          .eq('short_code', code),
        signal,
      )
      return row && targetOfLink(row)
    },
  })
}

/** Codes of one request: its address has a bound. */
const codesOfRequest = 100

/** The links with these codes, in their order, without those that are not there. */
export function selectionQuery(userId: string, codes: readonly string[]) {
  return queryOptions({
    queryKey: ['qr-target', userId, 'links', codes],
    queryFn: async ({ signal }): Promise<QrTarget[]> => {
      const parts = Array.from({ length: Math.ceil(codes.length / codesOfRequest) }, (_, index) =>
        codes.slice(index * codesOfRequest, (index + 1) * codesOfRequest),
      )
      const rows = await Promise.all(
        parts.map((part) =>
          answerOf(
            tables
              .from('shortened_urls')
              .select('id,short_code,domain,title')
              .eq('user_id', userId)
              .in('short_code', part),
            signal,
          ),
        ),
      )
      const found = new Map(rows.flat().map((row) => [codeOfLink(row), targetOfLink(row)]))
      return codes.flatMap((code) => found.get(code) ?? [])
    },
  })
}

function targetOfLink(row: Pick<LinkRow, 'id' | 'short_code' | 'domain' | 'title'>): QrTarget {
  return { kind: 'link', id: row.id, code: codeOfLink(row), title: row.title ?? '' }
}

/** The bio page of the account, or null. */
export function pageTargetQuery(userId: string) {
  return queryOptions({
    queryKey: ['qr-target', userId, 'page'],
    queryFn: async ({ signal }): Promise<QrTarget | null> => {
      const row = await oneRowOf(
        tables.from('bio_pages').select('slug,domain,title').eq('user_id', userId),
        signal,
      )
      if (row === null) return null
      const code = namedOn({ name: row.slug, domain: row.domain })
      return { kind: 'page', id: '', code, title: row.title }
    },
  })
}

const maxPlacements = 1_000

/** The placements of a link, oldest first. */
export function placementsQuery(userId: string, linkId: string) {
  return queryOptions({
    queryKey: ['placements', userId, linkId],
    queryFn: async ({ signal }): Promise<Placement[]> => {
      const rows = await answerOf(
        tables
          .from('placements')
          .select('id,name,mark,utm_source,utm_medium,utm_campaign,utm_term,utm_content')
          .eq('link_id', linkId)
          .order('created_at')
          .limit(maxPlacements),
        signal,
      )
      return rows.map(({ id, name, mark, ...utm }) => ({ id, name, mark, utm }))
    },
  })
}

/** Text of the code of a target, with the mark of a placement. */
export function scannedAddress({ code }: QrTarget, placement?: Placement): string {
  return qrAddress(shortLinkUrl(code), placement?.mark)
}
