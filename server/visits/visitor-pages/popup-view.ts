import { anonColumns, type ApiRows } from '#domain/database.generated.ts'
import type { OwnerView, PopupView } from '#public-pages/view-models.ts'
import type { ShownPopup } from '../names/name-entry.ts'
import { followableUrl, imageOf } from '../names/shown-urls.ts'

/** A popup as the look-up reads it: the columns that visitors may see. */
export interface VisitPopupRow extends Pick<
  ApiRows['popups'],
  (typeof anonColumns.popups)[number]
> {
  marked: boolean
  /** Its button leads to a blocked host. */
  blocked: boolean
  owner: OwnerView | null
}

/** A popup row as JSON, for a query that joins app.popups as `p`; its owner is known by the bio page, unless that is blocked. */
export const popupColumns = `jsonb_build_object(${anonColumns.popups.map((name) => `'${name}', p.${name}`).join(', ')},
    'marked', app.plan_of(p.user_id) = 'free',
    'blocked', app.block_of(null, null, p.cta_url) is not null,
    'owner', (select jsonb_build_object('title', o.title, 'avatarUrl', o.avatar_url, 'theme',
        jsonb_build_object('primary', o.theme_primary, 'background', o.theme_background, 'text', o.theme_text))
      from app.bio_pages o where o.user_id = p.user_id and app.block_of(o.slug, o.user_id, null) is null))`

/** The popup of a link or page, ready to be shown. One that is hidden keeps its id, so that a change brings it back. */
export function shownPopupOf({ blocked, ...row }: VisitPopupRow): ShownPopup {
  return { id: row.id, view: blocked ? undefined : popupViewOf(row), owner: row.owner ?? undefined }
}

/**
 * The public view of a popup; undefined while it is inactive. Addresses are checked as strictly as when they were
 * stored: one that fails is left out. The form for an email address appears only if it is sent over https or kept here.
 */
export function popupViewOf(row: Omit<VisitPopupRow, 'blocked'>): PopupView | undefined {
  const { is_active, trigger_delay_enabled, owner: _, ...columns } = row
  if (!is_active) return undefined
  const cta_url = followableUrl(row.cta_url)
  return {
    ...columns,
    description: row.description ?? '',
    cta_url,
    image_url: imageOf(row.image_url),
    collect_email:
      row.collect_email && (row.cta_url ? cta_url.startsWith('https:') : row.keep_emails),
    trigger_delay: trigger_delay_enabled ? delayOf(row.trigger_delay) : 0,
  }
}

function delayOf(seconds: number): number {
  return Number.isFinite(seconds) ? Math.min(10, Math.max(0, seconds)) : 0
}
