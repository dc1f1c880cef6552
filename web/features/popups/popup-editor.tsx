import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useId, useReducer, useRef } from 'react'
import { popupForm, type PopupDraft } from '#domain/popup-form.ts'
import { routes } from '#domain/routes.ts'
import { popupFieldMessages, popupNotices } from '#domain/popup-texts.ts'
import { usePlan } from '#web/plan/plan.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { LeaveDialog } from '#web/ui/leave-dialog.tsx'
import { notifySuccess } from '#web/ui/notify.ts'
import { useForm } from '#web/use-form.ts'
import { aiStatusQuery } from './ai-status-query.ts'
import { ContentCard } from './content-card.tsx'
import { DesignCard } from './design-card.tsx'
import { DisplayCard } from './display-card.tsx'
import { MatchPage } from './match-page.tsx'
import { OfferCard } from './offer-card.tsx'
import { PartGenerators } from './part-generators.tsx'
import { popupEditorReducer } from './popup-editor-state.ts'
import type { PopupFormProps } from './popup-form-props.ts'
import { PopupLivePreview } from './popup-live-preview.tsx'
import { PreviewBar } from './preview-bar.tsx'
import { useSavePopup } from './save-popup.ts'
import { TemplateGallery } from './template-gallery.tsx'

interface PopupEditorProps {
  userId: string
  /** Of the popup that is edited; a new one has none. */
  id: string | undefined
  initial: PopupDraft
}

export function PopupEditor({ userId, id, initial }: PopupEditorProps) {
  const navigate = useNavigate()
  const save = useSavePopup(userId)
  const marked = usePlan(userId)?.plan === 'free'
  const [state, dispatch] = useReducer(popupEditorReducer, { draft: initial, replaced: {} })
  const { draft, replaced } = state
  const ai = useQuery(aiStatusQuery).data
  const formId = useId()
  // A ref: it is set before the screen that follows a save is asked for.
  const saved = useRef(false)

  const form = useForm({
    schema: popupForm,
    values: { ...draft },
    submit: async (checked) => {
      const result = await save({ id, form: checked })
      if ('failure' in result) return { notice: result.failure }
      saved.current = true
      notifySuccess(id === undefined ? popupNotices.created : popupNotices.updated)
      await navigate({
        to: routes.myPopups.path,
        // A new popup is on no link or page: the list offers to choose one.
        ...(id === undefined && { state: { createdPopup: result.id } }),
      })
      return undefined
    },
    issueNotice: (message) => ({ title: message || popupFieldMessages.other }),
  })
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
      {form.busy ? 'Saving...' : id === undefined ? 'Create Popup' : 'Update Popup'}
    </Button>
  )

  return (
    <div>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-8 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          {id === undefined ? (
            <TemplateGallery
              onPick={(made) => dispatch({ type: 'filled', by: 'template', part: made })}
              onUndo={undo('template')}
              actions={matchPage}
            />
          ) : null}
          <OfferCard
            title={id === undefined ? 'Or describe it' : 'Describe the offer'}
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
            <DesignCard {...part} actions={id === undefined ? undefined : matchPage} />
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
      <LeaveDialog
        hasUnsaved={() => draft !== initial && !saved.current}
        description="Your changes will be lost."
      />
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
