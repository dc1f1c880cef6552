import { useMutation } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useId, useRef, useState, type FormEvent, type ReactNode } from 'react'
import type { PopupDraft } from '#domain/popup-form.ts'
import { popupLimits } from '#domain/popup-options.ts'
import { popupFieldMessages, type Notice } from '#domain/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { TextAreaField } from '#web/ui/text-area-field.tsx'
import { EditorCard } from './editor-card.tsx'
import type { Generated } from './generate.ts'
import type { GeneratorKind } from './popup-editor-state.ts'
import { tellFailure } from './user-facing-error.ts'

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

/** A card that asks for a description and has the server make a part of the popup from it. */
export function GeneratorCard(props: GeneratorCardProps) {
  const { generator, icon, draft, hint, onGenerated, onUndo, children } = props
  const { title, prompt: label, example, action, generate, missing, done, failed } = generator
  const [prompt, setPrompt] = useState('')
  const [problem, setProblem] = useState<string>()
  const [notes, setNotes] = useState<readonly string[]>([])
  const form = useRef<HTMLFormElement>(null)
  const name = useId()
  const generation = useMutation({ mutationFn: (asked: string) => generate(asked, draft) })

  function focusPrompt() {
    const field = form.current?.elements.namedItem(name)
    if (field instanceof HTMLElement) field.focus()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (generation.isPending) return
    const asked = prompt.trim()
    const wrong =
      asked === ''
        ? missing
        : asked.length > popupLimits.prompt
          ? { title: popupFieldMessages.promptLength }
          : undefined
    setProblem(wrong?.title)
    if (wrong === undefined) {
      // These callbacks are dropped when the person has left the screen meanwhile.
      return generation.mutate(asked, {
        onSuccess: (generated) => {
          onGenerated(generated.part)
          setNotes(generated.notes)
          notifySuccess(done)
        },
        onError: (error) => tellFailure(error, failed),
      })
    }
    focusPrompt()
    notifyError(wrong)
  }

  return (
    <EditorCard title={title} icon={icon}>
      <form ref={form} noValidate onSubmit={submit} className="grid gap-3">
        <TextAreaField
          label={label}
          name={name}
          rows={2}
          placeholder={example}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
          error={problem}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" busy={generation.isPending}>
            {generation.isPending ? 'Generating...' : action}
          </Button>
          {onUndo === undefined ? null : (
            <Button
              onClick={() => {
                onUndo()
                setNotes([])
                focusPrompt()
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
