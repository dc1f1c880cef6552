import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Image, Sparkles, WandSparkles } from 'lucide-react'
import { useId, useReducer, useRef } from 'react'
import { popupForm, type PopupDraft } from '#domain/popup-form.ts'
import type { AiStatus } from '#domain/popup-generated.ts'
import { routes } from '#domain/routes.ts'
import { generatorNotes, popupFieldMessages, popupNotices } from '#domain/texts.ts'
import { usePlan } from '#web/plan/plan.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { LeaveDialog } from '#web/ui/leave-dialog.tsx'
import { notifySuccess } from '#web/ui/notify.ts'
import { useForm } from '#web/use-form.ts'
import { ContentCard } from './content-card.tsx'
import { DesignCard } from './design-card.tsx'
import { DisplayCard } from './display-card.tsx'
import type { PopupFormProps } from './popup-form-props.ts'
import { aiStatusQuery } from './ai-status-query.ts'
import { type Generator, GeneratorCard } from './generator-card.tsx'
import { contentGenerator, designGenerator, imageGenerator } from './generators.ts'
import { type GeneratorKind, popupEditorReducer } from './popup-editor-state.ts'
import { PopupLivePreview } from './popup-live-preview.tsx'
import { PopupImage } from './popup-image.tsx'
import { useSavePopup } from './save-popup.ts'

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
  const [{ draft, replaced }, dispatch] = useReducer(popupEditorReducer, {
    draft: initial,
    replaced: {},
  })
  const ai = useQuery(aiStatusQuery).data
  const formId = useId()
  // A ref: it is set before the screen that follows a save is asked for.
  const saved = useRef(false)

  const form = useForm({
    schema: popupForm,
    values: { ...draft },
    submit: async (checked) => {
      const failure = await save({ id, form: checked })
      if (failure !== null) return { notice: failure }
      saved.current = true
      notifySuccess(id === undefined ? popupNotices.created : popupNotices.updated)
      await navigate({ to: routes.myPopups.path })
      return undefined
    },
    issueNotice: (message) => ({ title: message || popupFieldMessages.other }),
  })
  const change: PopupFormProps['change'] = (part) => dispatch({ type: 'changed', part })
  const part: PopupFormProps = { draft, change, problemOf: form.errorOf }

  const generatorProps = (generator: Generator) => {
    const { kind } = generator
    return {
      generator,
      draft,
      hint: hintFor(kind, ai),
      onGenerated: (generated: Partial<PopupDraft>) =>
        dispatch({ type: 'generated', kind, part: generated }),
      onUndo: replaced[kind] && (() => dispatch({ type: 'undone', kind })),
    }
  }

  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_30rem]">
      <div className="grid gap-6">
        <GeneratorCard
          {...generatorProps(contentGenerator)}
          icon={<Sparkles size={20} aria-hidden />}
        />
        <GeneratorCard
          {...generatorProps(designGenerator)}
          icon={<WandSparkles size={20} aria-hidden />}
        />
        <GeneratorCard {...generatorProps(imageGenerator)} icon={<Image size={20} aria-hidden />}>
          <PopupImage imageUrl={draft.image_url} onChange={(image_url) => change({ image_url })} />
        </GeneratorCard>
        <form {...form.props} id={formId} className="grid gap-6">
          <DesignCard {...part} />
          <ContentCard {...part} />
          <DisplayCard {...part} />
        </form>
      </div>
      <div className="grid gap-5 lg:sticky lg:top-22">
        <PopupLivePreview draft={draft} marked={marked} />
        <div className="flex flex-wrap justify-end gap-3">
          <Link to={routes.myPopups.path} className={`${buttonClass()} max-sm:grow`}>
            Cancel
          </Link>
          <Button
            type="submit"
            form={formId}
            look="accent"
            busy={form.busy}
            className="max-sm:grow"
          >
            {form.busy ? 'Saving...' : id === undefined ? 'Create Popup' : 'Update Popup'}
          </Button>
        </div>
      </div>
      <LeaveDialog
        hasUnsaved={() => draft !== initial && !saved.current}
        description="What you changed in this popup will be lost."
      />
    </div>
  )
}

/** Undefined where an AI serves the card, and until the server has said whether one does. */
function hintFor(kind: GeneratorKind, ai: AiStatus | null | undefined): string | undefined {
  if (!ai) return undefined
  if (!ai.text) return generatorNotes.noAi
  return kind === 'image' && !ai.image ? generatorNotes.noImageAi : undefined
}
