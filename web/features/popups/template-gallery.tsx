import { LayoutTemplate, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { newPopup, type PopupDraft } from '#domain/popups/popup-form.ts'
import { popupTemplates } from '#domain/popups/popup-templates.ts'
import { Button } from '#web/ui/button.tsx'
import { EditorCard } from './editor-card.tsx'
import { PopupThumbnail } from '#web/popup-picker/popup-thumbnail.tsx'

interface TemplateGalleryProps {
  onPick: (part: Partial<PopupDraft>) => void
  /** Undefined while there is nothing to undo. */
  onUndo: (() => void) | undefined
  actions: ReactNode
}

/** Finished popups to start from, in one row. Undo brings replaced fields back. */
export function TemplateGallery({ onPick, onUndo, actions }: TemplateGalleryProps) {
  return (
    <EditorCard
      title="Start from a template"
      icon={<LayoutTemplate size={20} aria-hidden />}
      actions={
        <>
          {onUndo === undefined ? null : (
            <Button size="small" look="quiet" onClick={onUndo}>
              <Undo2 size={16} aria-hidden />
              <span>
                Undo<span className="sr-only"> the template</span>
              </span>
            </Button>
          )}
          {actions}
        </>
      }
    >
      <ul className="-m-1 grid auto-cols-[minmax(4.5rem,1fr)] grid-flow-col gap-1.5 overflow-x-auto p-1 max-sm:auto-cols-[6.5rem]">
        {popupTemplates.map(({ id, name, part }) => (
          <li key={id} className="relative grid gap-0.5">
            <div className="overflow-hidden rounded-lg border border-line">
              <PopupThumbnail draft={{ ...newPopup, ...part }} marked={false} height={76} />
            </div>
            <button
              type="button"
              onClick={() => onPick(part)}
              className="min-h-8 rounded-lg text-left text-xs font-medium after:absolute after:inset-0 after:rounded-lg hover:after:bg-ink/5 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-[var(--focus)]"
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </EditorCard>
  )
}
