import { Check, CircleAlert, LoaderCircle, Minus, Sparkles, Undo2 } from 'lucide-react'
import { promptForm, type PopupDraft } from '#domain/popups/popup-form.ts'
import type { AiStatus } from '#domain/popups/popup-generated.ts'
import { generatorNotes, popupNotices } from '#domain/texts/popup-texts.ts'
import { Button } from '#web/ui/button.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { TextAreaField } from '#web/ui/fields/text-area-field.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { EditorCard } from './editor-card.tsx'
import type { GeneratorKind } from './popup-editor-state.ts'
import { type PartState, useOffer } from './use-offer.ts'

const partNames: Record<GeneratorKind, string> = {
  content: 'Words',
  design: 'Look',
  image: 'Picture',
}
const allKinds = ['content', 'design', 'image'] as const

interface OfferCardProps {
  title: string
  draft: PopupDraft
  ai: AiStatus | null | undefined
  onPart: (part: Partial<PopupDraft>, continued: boolean) => void
  /** Undefined while there is nothing to undo. */
  onUndo: (() => void) | undefined
}

/** One description, from which the server makes words, look and picture in one go. */
export function OfferCard({ title, draft, ai, onPart, onUndo }: OfferCardProps) {
  const offer = useOffer(onPart)
  const form = useFormFields({
    schema: promptForm('offer', popupNotices.offerMissing.title),
    initial: { offer: '' },
    submit: async (checked) => {
      const isMade = await offer.run({ prompt: checked['offer'] ?? '', draft, kinds: allKinds })
      if (isMade) notifySuccess(popupNotices.drafted)
    },
    issueNotice: null,
  })
  const { offer: prompt } = form.values
  const hasRun = Object.keys(offer.parts).length > 0
  const first = ai?.text === false ? 'Quick draft' : 'Make my popup'

  return (
    <EditorCard title={title} icon={<Sparkles size={20} aria-hidden />}>
      <form {...form.props} className="grid gap-3">
        <TextAreaField
          label="Your offer"
          hideLabel
          className="min-h-18!"
          rows={2}
          placeholder="A spring sale for a flower shop, 20% off until Sunday"
          {...form.text('offer')}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" busy={form.busy}>
            {form.busy ? 'Generating...' : hasRun && ai?.text !== false ? 'Try again' : first}
          </Button>
          {onUndo === undefined || form.busy ? null : (
            <Button
              look="quiet"
              onClick={() => {
                onUndo()
                offer.forget()
                form.refuse({ field: 'offer' })
              }}
            >
              <Undo2 size={16} aria-hidden />
              <span>
                Undo<span className="sr-only"> the offer</span>
              </span>
            </Button>
          )}
          <p className="text-sm text-ink-faint">
            {ai?.text === false ? generatorNotes.noAi : 'Fills in words, look and picture.'}
          </p>
        </div>
        <PartList
          parts={offer.parts}
          onRetry={(kind) =>
            void offer.run({ prompt: prompt.trim(), draft, kinds: [kind], isRetry: true })
          }
        />
      </form>
    </EditorCard>
  )
}

interface PartListProps {
  parts: Partial<Record<GeneratorKind, PartState>>
  onRetry: (kind: GeneratorKind) => void
}

/** How each part went. Always in the page, so that changes are announced. */
function PartList({ parts, onRetry }: PartListProps) {
  return (
    <ul aria-live="polite" aria-label="What was made" className="grid gap-1.5 text-sm empty:hidden">
      {allKinds.map((kind) => {
        const state = parts[kind]
        return state === undefined ? null : (
          <li key={kind} className="grid grid-cols-[auto_4rem_1fr] items-baseline gap-x-2">
            <PartIcon status={state.status} />
            <span className="font-medium">{partNames[kind]}</span>
            <PartWords state={state} name={partNames[kind]} onRetry={() => onRetry(kind)} />
          </li>
        )
      })}
    </ul>
  )
}

function PartIcon({ status }: { status: PartState['status'] }) {
  const className = 'mt-0.5 self-start'
  if (status === 'done') return <Check size={16} aria-hidden className={`${className} text-good`} />
  if (status === 'kept')
    return <Minus size={16} aria-hidden className={`${className} text-ink-faint`} />
  if (status === 'failed')
    return <CircleAlert size={16} aria-hidden className={`${className} text-danger`} />
  return <LoaderCircle size={16} aria-hidden className={`${className} animate-spin`} />
}

interface PartWordsProps {
  state: PartState
  name: string
  onRetry: () => void
}

function PartWords({ state, name, onRetry }: PartWordsProps) {
  if (state.status === 'working') return <span className="text-ink-faint">on its way</span>
  if (state.status !== 'failed')
    return <span className="text-ink-soft">{doneWords(state.notes)}</span>
  const { title, description } = state.notice
  return (
    <span className="text-danger">
      {description === undefined ? title : `${title}: ${description}`}{' '}
      <button
        type="button"
        aria-label={`Try again: ${name}`}
        onClick={onRetry}
        className="min-h-7 font-medium text-ink underline underline-offset-4"
      >
        Try again
      </button>
    </span>
  )
}

function doneWords(notes: readonly string[]): string {
  return notes.length === 0 ? 'done' : notes.join(' ')
}
