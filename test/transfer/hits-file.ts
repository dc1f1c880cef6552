import { strToU8, zipSync } from 'fflate'
import { hitFacts, utmFields } from '#domain/reports/hits.ts'

/** Ids of rows in an archive made by hand. */
export const linkThere = '22222222-2222-4222-8222-222222222222'
export const pageThere = '33333333-3333-4333-8333-333333333333'
export const entryThere = '44444444-4444-4444-8444-444444444444'

const columns = [
  'at',
  'kind',
  'target',
  'label',
  'verdict',
  ...hitFacts,
  'bot',
  ...utmFields,
] as const
export type HitCells = Partial<Record<(typeof columns)[number], string>>

/** When hits of the tests were: some days ago, each a minute after the one before. */
export const minutesAgo = (n: number) => new Date(Date.now() - n * 60_000).toISOString()

const hitLine = (cells: HitCells) =>
  columns
    .map(
      (name) =>
        ({
          at: minutesAgo(60),
          kind: 'link',
          target: linkThere,
          verdict: 'counted',
          source: 'link',
          ...cells,
        })[name] ?? '',
    )
    .join(',')
export const clicksCsv = (hits: readonly HitCells[]) =>
  [columns.join(','), ...hits.map(hitLine), ''].join('\r\n')

const line = (row: object) => strToU8(`${JSON.stringify(row)}\n`)

const entry = { url: 'https://harbor.example', is_visible: true, kind: 'link', image_url: null }

/** An archive with one link, a bio page if wanted, and hits. `code` is that of the link. */
export function archiveWithHits(
  code: string,
  clicks: string | Uint8Array,
  { page = false, link = {} as object } = {},
): Uint8Array<ArrayBuffer> {
  return zipSync({
    'archive.json': strToU8(JSON.stringify({ format: 'hoplet-archive', version: 1 })),
    'links.jsonl': line({
      id: linkThere,
      short_code: code,
      original_url: `https://harbor.example/${code}`,
      created_at: '2024-03-04T05:06:07+00:00',
      click_count: 12,
      ...link,
    }),
    ...(page && {
      'bio_page.json': line({
        id: pageThere,
        slug: `page-${code}`,
        title: 'Harbor',
        description: null,
        popup_id: null,
        look: 'poster',
        avatar_url: null,
        theme_primary: '262 83% 58%',
        theme_background: '0 0% 100%',
        theme_text: '222 47% 11%',
        links: [
          { ...entry, id: crypto.randomUUID(), title: 'Map', link_order: 0 },
          { ...entry, id: entryThere, title: 'Shop', link_order: 1 },
        ],
        social_links: [],
      }),
    }),
    'clicks.csv': typeof clicks === 'string' ? strToU8(clicks) : clicks,
  }) as Uint8Array<ArrayBuffer>
}
