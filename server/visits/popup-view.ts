import type { ApiRows } from '#domain/database.generated.ts'
import { checkDestination } from '#domain/destinations.ts'
import type { PopupView } from '#public-pages/view-models.ts'

/** The columns that a page shows. The owner is not one of them. */
const shownColumns = [
  'id',
  'is_active',
  'title',
  'description',
  'cta_text',
  'cta_url',
  'image_url',
  'background_color',
  'text_color',
  'button_color',
  'button_text_color',
  'position',
  'trigger_delay',
  'trigger_delay_enabled',
  'collect_email',
  'size_preset',
  'border_radius',
  'font_style',
  'shadow_style',
] as const satisfies readonly (keyof ApiRows['popups'])[]

/** A popup as the look-up reads it. */
export interface VisitPopupRow extends Pick<ApiRows['popups'], (typeof shownColumns)[number]> {
  marked: boolean
}

/** A popup row as JSON, for a query that joins app.popups as `p`. */
export const popupColumns = `jsonb_build_object(${shownColumns.map((name) => `'${name}', p.${name}`).join(', ')},
    'marked', exists (select from app.user_plans u where u.user_id = p.user_id and u.plan_type = 'free'))`

/**
 * What visitors see of a popup; undefined while it is inactive. Addresses are checked as strictly as when they were
 * stored: one that fails is left out. The form for an email address appears only if it is sent over https.
 */
export function popupViewOf(row: VisitPopupRow): PopupView | undefined {
  if (!row.is_active) return undefined
  const buttonUrl = followableUrl(row.cta_url)
  return {
    id: row.id,
    title: row.title,
    description: row.description ?? '',
    buttonText: row.cta_text,
    buttonUrl,
    imageUrl: imageOf(row.image_url),
    backgroundColor: row.background_color,
    textColor: row.text_color,
    buttonColor: row.button_color,
    buttonTextColor: row.button_text_color,
    borderRadius: row.border_radius,
    fontStyle: row.font_style,
    shadowStyle: row.shadow_style,
    position: row.position,
    size: row.size_preset,
    collectEmail: row.collect_email && buttonUrl.startsWith('https:'),
    delay: row.trigger_delay_enabled ? delayOf(row.trigger_delay) : 0,
    marked: row.marked,
  }
}

/** The URL if a page may link to it, else ''. */
export function followableUrl(url: string | null): string {
  return url !== null && checkDestination(url, { ownHosts: [] }).ok ? url : ''
}

// Our own store contains no SVG. For other hosts only the name can tell, which is enough: an <img> runs no script.
function imageOf(url: string | null): string {
  if (url === null) return ''
  if (/^\/media\/[A-Za-z0-9_/-]+\.(png|jpe?g|webp)$/.test(url)) return url
  const isPicture = url.startsWith('https:') && !/\.svgz?([?#]|$)/i.test(url)
  return isPicture ? followableUrl(url) : ''
}

function delayOf(seconds: number): number {
  return Number.isFinite(seconds) ? Math.min(10, Math.max(0, seconds)) : 0
}
