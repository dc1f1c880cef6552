import { Undo2 } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { promptForm, type PopupDraft } from '#domain/popups/popup-form.ts'
import type { Notice } from '#domain/texts/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { TextAreaField } from '#web/ui/fields/text-area-field.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { EditorCard } from './editor-card.tsx'
import { type Generated, isMade } from './generate.ts'
import type { GeneratorKind } from './popup-editor-state.ts'
import { noticeOf } from '#web/api/user-facing-error.ts'

export interface Generator {
  kind: GeneratorKind
  title: string
  prompt: string
  example: string
  action: string
  generate: (prompt: string, draft: PopupDraft) => Promise<Generated>
  missing: Notice
  done: Notice
  failed: Notice
}

interface GeneratorCardProps {
  generator: Generator
  icon: ReactNode
  draft: PopupDraft
  /** Says that no AI serves this card. */
  hint: string | undefined
  onGenerated: (part: Partial<PopupDraft>) => void
  /** Undefined while there is nothing to undo. */
  onUndo: (() => void) | undefined
  children?: ReactNode
}

/** A card with a description, from which the server makes a part of the popup. */
export function GeneratorCard(props: GeneratorCardProps) {
  const { generator, icon, draft, hint, onGenerated, onUndo, children } = props
  const { title, prompt: label, example, action, generate, missing, done, failed } = generator
  const [notes, setNotes] = useState<readonly string[]>([])
  const name = useId()
  const form = useFormFields({
    schema: promptForm(name, missing.title),
    initial: { [name]: '' },
    submit: async (checked) => {
      try {
        const generated = await generate(checked[name] ?? '', draft)
        setNotes(generated.notes)
        if (!isMade(generated)) return undefined
        onGenerated(generated.part)
        notifySuccess(done)
        return undefined
      } catch (error) {
        return { notice: noticeOf(error, failed) }
      }
    },
    issueNotice: (title) => ({ title }),
  })

  return (
    <EditorCard title={title} icon={icon}>
      <form {...form.props} className="grid gap-3">
        <TextAreaField label={label} rows={2} placeholder={example} {...form.text(name)} />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" busy={form.busy}>
            {form.busy ? 'Generating...' : action}
          </Button>
          {onUndo === undefined ? null : (
            <Button
              onClick={() => {
                onUndo()
                setNotes([])
                form.refuse({ field: name })
              }}
            >
              <Undo2 size={16} aria-hidden />
              <span>
                Undo<span className="sr-only"> {title}</span>
              </span>
            </Button>
          )}
        </div>
        <output className="grid gap-1 text-sm text-ink-soft empty:-mt-3">
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </output>
        {hint === undefined ? null : <p className="text-sm text-ink-faint">{hint}</p>}
      </form>
      {children}
    </EditorCard>
  )
}
