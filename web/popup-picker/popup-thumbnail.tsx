import type { PopupDraft } from '#domain/popups/popup-form.ts'
import { PopupPreview } from '#public-pages/popup/popup-preview.tsx'
import { previewViewOf } from './popup-preview-view.ts'

interface PopupThumbnailProps {
  draft: PopupDraft
  marked: boolean
  /** In pixels. */
  height: number
}

/** The popup as visitors get it, small. */
export function PopupThumbnail({ draft, marked, height }: PopupThumbnailProps) {
  const scale = height / windowHeights[draft.size_preset]
  // The placeholder of the editor would be taken for the text of visitors.
  const popup = { ...previewViewOf(draft, marked), description: draft.description.trim() }
  return (
    <div aria-hidden>
      <PopupPreview popup={popup} height={height / scale} scale={scale} />
    </div>
  )
}

/** How high a window shows a popup of this size whole, in pixels. */
const windowHeights: Record<PopupDraft['size_preset'], number> = {
  small: 380,
  medium: 440,
  large: 480,
  'extra-large': 560,
  'full-width': 640,
  compact: 500,
  tall: 700,
}
