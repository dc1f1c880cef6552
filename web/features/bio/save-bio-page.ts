import { reservedWords } from '#domain/routes.ts'
import { reservedCodeNotice } from '#domain/texts/texts.ts'
import { tables } from '#web/api/client.ts'
import type { SavedBioPage } from '#web/api/database.ts'
import { type BioDraft, rowsToSave } from './bio-draft.ts'

export type SaveResult =
  | { readonly ok: true; readonly saved: SavedBioPage }
  | { readonly ok: false; readonly reason: 'slug' | 'refused'; readonly message: string }
  /** Saved somewhere else meanwhile. Nothing changed; `version` is the stored one. */
  | { readonly ok: false; readonly reason: 'stale'; readonly version: string | null }
  | { readonly ok: false; readonly reason: 'failed' }

export interface BioSave {
  draft: BioDraft
  /** Version of the page that the draft began with; null when there was none. */
  version: string | null
}

/** Saves the page and both lists in one call: all or nothing, and only over the version that was edited. */
export async function saveBioPage({ draft, version }: BioSave): Promise<SaveResult> {
  const { links, socialLinks } = rowsToSave(draft)
  const { data, error, status } = await tables.rpc('save_bio_page', {
    page: {
      slug: draft.slug,
      // A page keeps its host.
      ...(version === null ? { domain: draft.domain ?? '' } : {}),
      title: draft.title.trim(),
      description: draft.description.trim(),
      popup_id: draft.popupId,
      theme_primary: draft.theme.primary,
      theme_background: draft.theme.background,
      theme_text: draft.theme.text,
      look: draft.look,
      avatar_url: draft.avatarUrl,
      version,
    },
    links,
    social_links: socialLinks,
  })
  if (error === null) return { ok: true, saved: data }
  // Only refusals of this save are worth reading; for server errors there is the general text.
  if (status < 400 || status >= 500 || error.message === '') return { ok: false, reason: 'failed' }
  if (error.hint === 'stale_version')
    return { ok: false, reason: 'stale', version: storedVersion(error.details) }
  const isTaken = error.code === '23505'
  const isReserved = isTaken && reservedWords.includes(draft.slug)
  const message = (isReserved && reservedCodeNotice.description) || error.message
  return { ok: false, reason: isTaken ? 'slug' : 'refused', message }
}

function storedVersion(details: string | null): string | null {
  const { version } = Object(JSON.parse(details ?? '{}')) as { version?: unknown }
  return typeof version === 'string' ? version : null
}
