import { useMutation } from '@tanstack/react-query'
import { useId, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { popupLimits } from '#domain/popup-options.ts'
import { popupFieldMessages, type Notice } from '#domain/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { TextAreaField } from '#web/ui/text-area-field.tsx'
import { EditorCard } from './editor-card.tsx'
import { tellFailure } from './user-facing-error.ts'
import type { Generated } from './generate.ts'

export interface Generator {
  title: string
  prompt: string
  example: string
  action: string
  generate: (prompt: string) => Promise<Generated>
  missing: Notice
  done: Notice
  failed: Notice
}

interface GeneratorCardProps {
  generator: Generator
  icon: ReactNode
  onGenerated: (generated: Generated) => void
  children?: ReactNode
}

/** A card that asks for a description and lets the server make a part of the popup of it. */
export function GeneratorCard({ generator, icon, onGenerated, children }: GeneratorCardProps) {
  const { title, prompt: label, example, action, generate, missing, done, failed } = generator
  const [prompt, setPrompt] = useState('')
  const [problem, setProblem] = useState<string>()
  const form = useRef<HTMLFormElement>(null)
  const name = useId()
  const generation = useMutation({ mutationFn: generate })

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
          onGenerated(generated)
          notifySuccess(done)
        },
        onError: (error) => tellFailure(error, failed),
      })
    }
    const field = form.current?.elements.namedItem(name)
    if (field instanceof HTMLElement) field.focus()
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
        </div>
      </form>
      {children}
    </EditorCard>
  )
}
