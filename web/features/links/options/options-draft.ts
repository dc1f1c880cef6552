import { type LinkTextColumn, ofLinkTexts } from '#domain/links/link-limits.ts'
import type { LinkRow } from '#web/api/database.ts'
import { localTimeOf } from '#web/ui/local-time.ts'

/** The options of a link as their form holds them: texts as they were typed, with nothing lost. */
export interface OptionsDraft extends Record<LinkTextColumn, string> {
  tags: readonly string[]
  /** A name in the field that is not a tag yet. Saving takes it too. */
  tagText: string
  /** Local times, `2026-12-01T08:00`; empty for none. So is `endsAt`. */
  startsAt: string
  endsAt: string
  maxClicks: string
  fallbackUrl: string
  /** Null keeps the password, an empty text removes it. */
  password: string | null
  forwarding: 'none' | 'all' | 'named'
  forwardNames: string
  forwardOverrides: boolean
  redirectStatus: LinkRow['redirect_status']
  previewImage: string
  showPreviewPage: boolean
  isArchived: boolean
}

/** The props of a part of the form. */
export interface OptionFields {
  values: OptionsDraft
  change: (part: Partial<OptionsDraft>) => void
  /** The problem of a field by its name. */
  errorOf: (field: string) => string | undefined
}

/** The options of a saved link, or of a new one. */
export function optionsDraftOf(link: LinkRow | undefined): OptionsDraft {
  const forwardQuery = link?.forward_query ?? 'none'
  const forwarding = forwardQuery === 'none' || forwardQuery === 'all' ? forwardQuery : 'named'
  return {
    ...ofLinkTexts((column) => link?.[column] ?? ''),
    tags: link?.tags ?? [],
    tagText: '',
    startsAt: localTimeOf(link?.starts_at),
    endsAt: localTimeOf(link?.ends_at),
    maxClicks: link?.max_clicks?.toString() ?? '',
    fallbackUrl: link?.fallback_url ?? '',
    password: null,
    forwarding,
    forwardNames: forwarding === 'named' ? forwardQuery : '',
    forwardOverrides: link?.forward_overrides ?? false,
    redirectStatus: link?.redirect_status ?? 302,
    previewImage: link?.preview_image_url ?? '',
    showPreviewPage: link?.show_preview_page ?? true,
    isArchived: link !== undefined && link.archived_at !== null,
  }
}
