import { useState, type ReactNode } from 'react'
import type { PopupDraft } from '#domain/popups/popup-form.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { PopupLivePreview } from './popup-live-preview.tsx'
import { PopupThumbnail } from '#web/popup-picker/popup-thumbnail.tsx'

interface PreviewBarProps {
  draft: PopupDraft
  marked: boolean
  onEdit: (field: string) => void
  /** Saves the popup. */
  action: ReactNode
}

/** Where the window has no room for the preview beside the form: small, always in sight; a press shows it whole. */
export function PreviewBar({ draft, marked, onEdit, action }: PreviewBarProps) {
  const [open, setOpen] = useState(false)
  return (
    <div
      data-bottom-bar
      className="sticky bottom-0 z-[8] low:static! -mx-4 flex items-center gap-3 border-t border-line bg-paper px-4 py-2 max-rail:bottom-[calc(3.5rem+var(--safe-bottom))] sm:-mx-6 sm:px-6 rail:-mx-9 rail:px-9 lg:hidden"
    >
      <div className="relative box-content w-24 shrink-0 overflow-hidden rounded-xl border border-line bg-sunken">
        <PopupThumbnail draft={draft} marked={marked} height={72} />
        <button
          type="button"
          aria-label="Show the preview"
          onClick={() => setOpen(true)}
          className="absolute inset-0 rounded-xl focus-visible:-outline-offset-2"
        />
      </div>
      <span className="min-w-0 grow truncate text-xs text-ink-faint">Live Preview</span>
      {action}
      <Dialog open={open} onClose={() => setOpen(false)} title="Preview">
        <PopupLivePreview
          draft={draft}
          marked={marked}
          onEdit={(field) => {
            setOpen(false)
            // The dialog gives the focus back first.
            requestAnimationFrame(() => onEdit(field))
          }}
        />
      </Dialog>
    </div>
  )
}
