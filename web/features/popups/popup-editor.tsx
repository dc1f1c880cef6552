import { useQuery, queryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { routes } from '#domain/routes.ts'
import type { PopupRow } from '#web/api/database.ts'
import { usePlan } from '#web/plan/plan.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { ConflictDialog } from '#web/ui/dialogs/conflict-dialog.tsx'
import { LeaveDialog } from '#web/ui/dialogs/leave-dialog.tsx'
import { ContentCard } from './content-card.tsx'
import { DesignCard } from './design-card.tsx'
import { DisplayCard } from './display-card.tsx'
import { MatchPage } from './match-page.tsx'
import { OfferCard } from './offer-card.tsx'
import { PartGenerators } from './part-generators.tsx'
import type { PopupFormProps } from './popup-form-props.ts'
import { PopupLivePreview } from './popup-live-preview.tsx'
import { PreviewBar } from './preview-bar.tsx'
import { TemplateGallery } from './template-gallery.tsx'
import { usePopupEditor } from './use-popup-editor.ts'
import { fetchAiStatus } from './generate.ts'

interface PopupEditorProps {
  userId: string
  /** The popup that is edited; a new one has none. */
  loaded: PopupRow | undefined
}

export function PopupEditor({ userId, loaded }: PopupEditorProps) {
  const { state, dispatch, form, conflict, hasUnsaved } = usePopupEditor(userId, loaded)
  const { draft, replaced } = state
  const isNew = loaded === undefined
  const marked = usePlan(userId)?.plan === 'free'
  const ai = useQuery(aiStatusQuery).data
  const formId = useId()
  const change: PopupFormProps['change'] = (part) => dispatch({ type: 'changed', part })
  const part: PopupFormProps = { draft, change, problemOf: form.errorOf }
  const undo = (by: keyof typeof replaced) =>
    replaced[by] && (() => dispatch({ type: 'undone', by }))
  const edit = (field: string) => form.refuse({ field })
  const matchPage = (
    <MatchPage
      userId={userId}
      onMatch={(made) => dispatch({ type: 'filled', by: 'page', part: made })}
      onUndo={undo('page')}
    />
  )
  const saveButton = (
    <Button type="submit" form={formId} look="ink" busy={form.busy}>
      {form.busy ? 'Saving...' : isNew ? 'Create Popup' : 'Update Popup'}
    </Button>
  )

  return (
    <div>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-8 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          {isNew ? (
            <TemplateGallery
              onPick={(made) => dispatch({ type: 'filled', by: 'template', part: made })}
              onUndo={undo('template')}
              actions={matchPage}
            />
          ) : null}
          <OfferCard
            title={isNew ? 'Or describe it' : 'Describe the offer'}
            draft={draft}
            ai={ai}
            onPart={(made, continued) =>
              dispatch({ type: 'filled', by: 'offer', part: made, continued })
            }
            onUndo={undo('offer')}
          />
          <PartGenerators
            state={state}
            ai={ai}
            onGenerated={(kind, made) => dispatch({ type: 'filled', by: kind, part: made })}
            onUndo={(kind) => dispatch({ type: 'undone', by: kind })}
            onRemovePicture={() => change({ image_url: null })}
          />
          <form {...form.props} id={formId} className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <ContentCard {...part} />
            <DesignCard {...part} actions={isNew ? undefined : matchPage} />
            <DisplayCard {...part} />
          </form>
          <CancelLink className="mb-6 lg:hidden" />
        </div>
        <div className="grid gap-5 max-lg:hidden lg:sticky lg:top-6">
          {/* Above the preview, which can be higher than the window; toasts stand at the lower right. */}
          <div className="flex flex-wrap justify-end gap-3">
            <CancelLink />
            {saveButton}
          </div>
          <PopupLivePreview draft={draft} marked={marked} onEdit={edit} />
        </div>
      </div>
      <PreviewBar draft={draft} marked={marked} onEdit={edit} action={saveButton} />
      <ConflictDialog conflict={conflict} subject="This popup was" />
      <LeaveDialog hasUnsaved={hasUnsaved} description="Your changes will be lost." />
    </div>
  )
}

function CancelLink({ className }: { className?: string }) {
  return (
    <Link to={routes.myPopups.path} className={`${buttonClass()} ${className ?? ''}`}>
      Cancel
    </Link>
  )
}

/** Whether an AI is connected to the server; only a restart changes it. */
const aiStatusQuery = queryOptions({
  queryKey: ['ai-status'],
  queryFn: fetchAiStatus,
  staleTime: Infinity,
})
