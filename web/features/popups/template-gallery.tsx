import { LayoutTemplate, Undo2 } from 'lucide-react'
import { newPopup, type PopupDraft } from '#domain/popup-form.ts'
import { popupTemplates } from '#domain/popup-templates.ts'
import { Button } from '#web/ui/button.tsx'
import { EditorCard } from './editor-card.tsx'
import { PopupThumbnail } from '#web/popup-picker/popup-thumbnail.tsx'

interface TemplateGalleryProps {
  onPick: (part: Partial<PopupDraft>) => void
  /** Undefined while there is nothing to undo. */
  onUndo: (() => void) | undefined
}

/** Finished popups to start from. Undo brings replaced fields back. */
export function TemplateGallery({ onPick, onUndo }: TemplateGalleryProps) {
  return (
    <EditorCard title="Start from a template" icon={<LayoutTemplate size={20} aria-hidden />}>
      <ul className="-mx-1 grid gap-x-3 gap-y-2 px-1 pt-1 max-sm:auto-cols-[10.5rem] max-sm:grid-flow-col max-sm:overflow-x-auto sm:grid-cols-3 lg:grid-cols-2 xl:grid-cols-3">
        {popupTemplates.map(({ id, name, part }) => (
          <li key={id} className="relative grid gap-0.5">
            <div className="overflow-hidden rounded-xl border border-line">
              <PopupThumbnail draft={{ ...newPopup, ...part }} marked={false} height={136} />
            </div>
            <button
              type="button"
              onClick={() => onPick(part)}
              className="min-h-11 rounded-xl text-left text-sm font-medium after:absolute after:inset-0 after:rounded-xl hover:after:bg-ink/5 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-[var(--focus)]"
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
      {onUndo === undefined ? null : (
        <Button look="plain" className="justify-self-start" onClick={onUndo}>
          <Undo2 size={16} aria-hidden />
          <span>
            Undo<span className="sr-only"> the template</span>
          </span>
        </Button>
      )}
    </EditorCard>
  )
}
