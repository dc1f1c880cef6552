import { normalHex } from '#domain/colors.ts'
import { readDestination } from '#domain/links/destinations.ts'
import { newPopup, type PopupDraft } from '#domain/popups/popup-form.ts'
import type { PopupView } from '#public-pages/view-models.ts'

const placeholders = {
  title: 'Your Title Here',
  description: 'Your description will appear here...',
}

/** A draft as visitors would see it. It may be half typed: placeholders and defaults replace missing texts and colors. */
export function previewViewOf(draft: PopupDraft, marked: boolean): PopupView {
  const url = readDestination(draft.cta_url, { ownHosts: [] })
  const cta_url = url.ok ? url.url : ''
  const color = (name: 'background_color' | 'text_color' | 'button_color' | 'button_text_color') =>
    normalHex(draft[name]) ?? newPopup[name]
  return {
    ...draft,
    id: 'preview',
    version: 1,
    title: draft.title.trim() || placeholders.title,
    description: draft.description.trim() || placeholders.description,
    cta_text: draft.cta_text.trim() || newPopup.cta_text,
    cta_url: draft.collect_email && !cta_url.startsWith('https:') ? '' : cta_url,
    background_color: color('background_color'),
    text_color: color('text_color'),
    button_color: color('button_color'),
    button_text_color: color('button_text_color'),
    trigger_delay: draft.trigger_delay_enabled ? draft.trigger_delay : 0,
    marked,
  }
}
