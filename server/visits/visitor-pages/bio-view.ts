import type { PublicSite } from '../../http/public-site.ts'
import type { BioLinkView, BioPageView, SocialLinkView } from '#public-pages/view-models.ts'
import { redirectTo } from '../responses.ts'
import type { BioLink, ShownBioPage } from '../names/name-entry.ts'
import { followableUrl } from '../names/shown-urls.ts'

/** An entry of the list of links. Times are epoch milliseconds. */
interface BioLinkRow {
  id: string
  kind: 'link' | 'header' | 'divider'
  title: string
  url: string
  image_url: string | null
  starts_at: number | null
  ends_at: number | null
}

/** A bio page as the look-up reads it. */
export interface BioRow {
  id: string
  title: string
  description: string | null
  theme_primary: string
  theme_background: string
  theme_text: string
  look: string
  avatar_url: string | null
  marked: boolean
  links: BioLinkRow[]
  social_links: { platform: string; url: string }[]
}

const epochMs = (column: string) => `(extract(epoch from l.${column}) * 1000)::bigint`

/**
 * A page with its lists as JSON, for a query that joins app.bio_pages as `b`. One statement, so the parts match each
 * other. Links to blocked hosts and links that are switched off are left out; those of another time are not.
 */
export const bioColumns = `jsonb_build_object('id', b.id, 'title', b.title, 'description', b.description,
    'marked', app.plan_of(b.user_id) = 'free',
    'theme_primary', b.theme_primary, 'theme_background', b.theme_background, 'theme_text', b.theme_text,
    'look', b.look, 'avatar_url', b.avatar_url,
    'links', (select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'kind', l.kind, 'title', l.title,
        'url', l.url, 'image_url', l.image_url, 'starts_at', ${epochMs('starts_at')}, 'ends_at', ${epochMs('ends_at')})
        order by l.link_order, l.id), '[]')
      from (select * from app.bio_links where bio_page_id = b.id and is_visible
        and app.block_of(null, null, url) is null order by link_order, id limit 200) l),
    'social_links', (select coalesce(jsonb_agg(jsonb_build_object('platform', l.platform, 'url', l.url)
        order by l.display_order, l.id), '[]')
      from (select * from app.bio_social_links where bio_page_id = b.id
        and app.block_of(null, null, url) is null order by display_order, id limit 100) l))`

/** The public view of a bio page, without links to URLs that fail the checks, and its entries that have a time. */
export function bioViewOf(row: BioRow, name: string, site: PublicSite): ShownBioPage {
  const followed = row.links.filter(({ kind, url }) => kind !== 'link' || followableUrl(url) !== '')
  const links = new Map(
    followed.flatMap(({ kind, id, url }): [string, BioLink][] =>
      kind === 'link' ? [[id, { kind: 'bio_link', id, redirect: redirectTo(url, site) }]] : [],
    ),
  )
  const view: BioPageView = {
    title: row.title,
    description: row.description ?? '',
    address: `${site.publicUrl}/${name}`,
    theme: { primary: row.theme_primary, background: row.theme_background, text: row.theme_text },
    look: row.look,
    avatarUrl: row.avatar_url,
    links: followed.map((link) => linkViewOf(link, name)),
    socialLinks: row.social_links.flatMap(socialLinkOf),
    marked: row.marked,
  }
  const times = followed.flatMap(({ id, starts_at: from, ends_at: to }, index) =>
    from === null && to === null ? [] : [{ id, index, from: from ?? 0, to: to ?? Infinity }],
  )
  return { view, links, times }
}

function linkViewOf({ kind, id, title, image_url }: BioLinkRow, name: string): BioLinkView {
  if (kind === 'divider') return { kind }
  if (kind === 'header') return { kind, title }
  return { kind, title, href: `/${name}/go/${id}`, imageUrl: image_url }
}

// The pattern of the database's CHECK constraint.
const mailtoUrl =
  /^mailto:([a-z0-9.!$'*+/=_{|}~-]|%(23|25|26|3f|5e|60)){1,200}@[a-z0-9-]+(\.[a-z0-9-]+)*$/i

function socialLinkOf({ platform, url }: BioRow['social_links'][number]): SocialLinkView[] {
  const isMail = platform === 'email' && url.length <= 320 && mailtoUrl.test(url)
  const href = isMail ? url : followableUrl(url)
  return href === '' ? [] : [{ platform, href }]
}
