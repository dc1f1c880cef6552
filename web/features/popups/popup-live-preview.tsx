import { useId } from 'react'
import { normalHex } from '#domain/colors.ts'
import { checkDestination } from '#domain/destinations.ts'
import { newPopup, type PopupDraft } from '#domain/popup-form.ts'
import { PopupPreview } from '#public-pages/popup.tsx'
import type { PopupView } from '#public-pages/view-models.ts'

/** The popup as its visitors will see it, drawn by the component that they get. */
export function PopupLivePreview({ draft, marked }: { draft: PopupDraft; marked: boolean }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="grid gap-3">
      <h2 id={id} className="text-sm font-medium text-ink-soft">
        Live Preview
      </h2>
      <p className="sr-only">A picture of the popup. The form says the same in words.</p>
      <div className="overflow-auto rounded-2xl border border-line lg:max-h-[calc(100dvh-13rem)]">
        <div style={{ zoom: zooms[draft.size_preset] ?? 1 }}>
          <PopupPreview popup={{ ...viewOf(draft), marked }} />
        </div>
      </div>
    </section>
  )
}

// Popups wider than the preview are shown smaller, so that the sizes can be told apart.
const zooms: Partial<Record<PopupDraft['size_preset'], number>> = {
  large: 0.82,
  'extra-large': 0.68,
  'full-width': 0.5,
}

const placeholders = {
  title: 'Your Title Here',
  description: 'Your description will appear here...',
}

/** A draft may be half typed: an empty text or an invalid color is shown by its placeholder or default. */
function viewOf(draft: PopupDraft): Omit<PopupView, 'marked'> {
  const url = checkDestination(draft.cta_url.trim(), { ownHosts: [] })
  const cta_url = url.ok ? url.url : ''
  const color = (name: 'background_color' | 'text_color' | 'button_color' | 'button_text_color') =>
    normalHex(draft[name]) ?? newPopup[name]
  return {
    ...draft,
    id: 'preview',
    title: draft.title.trim() || placeholders.title,
    description: draft.description.trim() || placeholders.description,
    cta_text: draft.cta_text.trim() || newPopup.cta_text,
    cta_url: draft.collect_email && !cta_url.startsWith('https:') ? '' : cta_url,
    background_color: color('background_color'),
    text_color: color('text_color'),
    button_color: color('button_color'),
    button_text_color: color('button_text_color'),
    trigger_delay: draft.trigger_delay_enabled ? draft.trigger_delay : 0,
  }
}
