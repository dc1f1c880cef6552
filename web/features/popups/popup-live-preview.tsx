import { useId } from 'react'
import { normalHex } from '#domain/colors.ts'
import { checkDestination } from '#domain/destinations.ts'
import { newPopup, type PopupDraft } from '#domain/popup-form.ts'
import type { PopupSize } from '#domain/popup-options.ts'
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
        <div style={{ zoom: zooms[draft.size] ?? 1 }}>
          <PopupPreview popup={{ ...viewOf(draft), marked }} />
        </div>
      </div>
    </section>
  )
}

// Popups wider than the preview are shown smaller, so that the sizes can be told apart.
const zooms: Partial<Record<PopupSize, number>> = {
  large: 0.82,
  'extra-large': 0.68,
  'full-width': 0.5,
}

const placeholders = {
  title: 'Your Title Here',
  description: 'Your description will appear here...',
}

/** A draft may be half typed: what is no text, address or color yet is shown by its placeholder or default. */
function viewOf(draft: PopupDraft): Omit<PopupView, 'marked'> {
  const url = checkDestination(draft.ctaUrl.trim(), { ownHosts: [] })
  const buttonUrl = url.ok ? url.url : ''
  const color = (name: 'backgroundColor' | 'textColor' | 'buttonColor' | 'buttonTextColor') =>
    normalHex(draft[name]) ?? newPopup[name]
  return {
    id: 'preview',
    title: draft.title.trim() || placeholders.title,
    description: draft.description.trim() || placeholders.description,
    buttonText: draft.ctaText.trim() || newPopup.ctaText,
    buttonUrl: draft.collectEmail && !buttonUrl.startsWith('https:') ? '' : buttonUrl,
    imageUrl: draft.imageUrl ?? '',
    backgroundColor: color('backgroundColor'),
    textColor: color('textColor'),
    buttonColor: color('buttonColor'),
    buttonTextColor: color('buttonTextColor'),
    borderRadius: draft.borderRadius,
    fontStyle: draft.fontStyle,
    shadowStyle: draft.shadowStyle,
    position: draft.position,
    size: draft.size,
    collectEmail: draft.collectEmail,
    delay: draft.delayEnabled ? draft.delay : 0,
  }
}
