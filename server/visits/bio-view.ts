import type { PublicSite } from '../http/security-headers.ts'
import type { BioPageView, SocialLinkView } from '#public-pages/view-models.ts'
import { redirectTo } from './responses.ts'
import { type BioLink, uuidBytes } from './name-entry.ts'
import { followableUrl } from './shown-urls.ts'

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
  links: { id: string; title: string; url: string }[]
  social_links: { platform: string; url: string }[]
}

/**
 * A page with its lists as JSON, for a query that joins app.bio_pages as `b`. One statement, so the parts match each
 * other. Links to blocked hosts and links that are switched off are left out.
 */
export const bioColumns = `jsonb_build_object('id', b.id, 'title', b.title, 'description', b.description,
    'marked', exists (select from app.user_plans u where u.user_id = b.user_id and u.plan_type = 'free'),
    'theme_primary', b.theme_primary, 'theme_background', b.theme_background, 'theme_text', b.theme_text,
    'look', b.look, 'avatar_url', b.avatar_url,
    'links', (select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'title', l.title, 'url', l.url)
        order by l.link_order, l.id), '[]')
      from (select * from app.bio_links where bio_page_id = b.id and is_visible
        and app.block_of(null, null, url) is null order by link_order, id limit 200) l),
    'social_links', (select coalesce(jsonb_agg(jsonb_build_object('platform', l.platform, 'url', l.url)
        order by l.display_order, l.id), '[]')
      from (select * from app.bio_social_links where bio_page_id = b.id
        and app.block_of(null, null, url) is null order by display_order, id limit 100) l))`

/** The public view of a bio page, without links to URLs that fail the checks. */
export function bioViewOf(
  row: BioRow,
  name: string,
  site: PublicSite,
): { view: BioPageView; links: ReadonlyMap<string, BioLink> } {
  const followed = row.links.filter(({ url }) => followableUrl(url) !== '')
  const links = new Map(
    followed.map(({ id, url }): [string, BioLink] => [
      id,
      { kind: 'bio_link', id, idBytes: uuidBytes(id), redirect: redirectTo(url, site) },
    ]),
  )
  const view: BioPageView = {
    title: row.title,
    description: row.description ?? '',
    address: `${site.publicUrl}/${name}`,
    theme: { primary: row.theme_primary, background: row.theme_background, text: row.theme_text },
    look: row.look,
    avatarUrl: row.avatar_url,
    links: followed.map(({ id, title }) => ({ title, href: `/${name}/go/${id}` })),
    socialLinks: row.social_links.flatMap(socialLinkOf),
    marked: row.marked,
  }
  return { view, links }
}

// The pattern of the database's CHECK constraint.
const mailtoUrl = /^mailto:[a-z0-9.!$'*+/=_{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)*$/i

function socialLinkOf({ platform, url }: BioRow['social_links'][number]): SocialLinkView[] {
  const isMail = platform === 'email' && url.length <= 320 && mailtoUrl.test(url)
  const href = isMail ? url : followableUrl(url)
  return href === '' ? [] : [{ platform, href }]
}
