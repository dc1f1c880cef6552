import { useRef, useState, type FormEvent } from 'react'
import { safeParse } from 'zod/mini'
import type { $ZodError, $ZodType } from 'zod/v4/core'
import { UnreachableError } from '#web/api/fetch-in-words.ts'
import { type Notice, unexpectedFailure, validationErrorTitle } from '#domain/texts/texts.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'

/** Refusal of a form: text of the toast, and the field that gets the focus, with its problem. */
export interface FormRefusal {
  notice?: Notice | undefined
  field?: string | undefined
  text?: string | undefined
}

/** A notice with its text at a field too. */
export function refusalAt(field: string | undefined, notice: Notice): FormRefusal {
  return { field, notice, text: notice.description ?? notice.title }
}

export interface FormOptions<Output> {
  schema: $ZodType<Output>
  /** Values of the fields, by name. */
  values: Readonly<Record<string, unknown>>
  /** Gets the parsed values. */
  submit: (data: Output) => Promise<FormRefusal | void>
  /** The toast of a value that the schema refuses; null when the message at the field is enough. */
  issueNotice?: ((message: string) => Notice) | null
  /** Brings a field into the page before it gets the focus, for a form that shows a part of its fields. */
  reveal?: ((field: string) => void) | undefined
}

/**
 * One submission of a form at a time: checks the values, moves the focus to the first invalid field, and says what
 * is wrong. The message of a field leaves when its value changes. Nothing that was typed is lost.
 *
 * @example
 * const form = useForm({ schema: emailForm, values: { email }, submit: async ({ email }) => { … } })
 * <form {...form.props}><Field name="email" error={form.errorOf('email')} … /></form>
 */
export function useForm<Output>(options: FormOptions<Output>) {
  const { schema, values, submit, issueNotice, reveal } = options
  const element = useRef<HTMLFormElement>(null)
  const [problem, setProblem] = useState<{ field: string; text: string; value: unknown }>()

  function refuse({ notice, field, text }: FormRefusal): void {
    if (notice !== undefined) notifyError(notice)
    if (field === undefined) return
    setProblem(text === undefined ? undefined : { field, text, value: values[field] })
    reveal?.(field)
    focusField(element.current, field)
  }

  const { busy, run } = useAction(async () => {
    const checked = safeParse(schema, values)
    if (!checked.success) return refuse(firstIssue(checked.error, issueNotice))
    setProblem(undefined)
    try {
      const refusal = await submit(checked.data)
      if (refusal !== undefined) refuse(refusal)
    } catch (error) {
      refuse({ notice: failureNotice(error) })
    }
  })

  return {
    busy,
    /** Submits it without a press. */
    submit: run,
    /** For a step that belongs to the form and does not submit it. */
    refuse,
    errorOf: (field: string): string | undefined =>
      problem?.field === field && problem.value === values[field] ? problem.text : undefined,
    props: {
      ref: element,
      noValidate: true,
      onSubmit: (event: FormEvent<HTMLFormElement>) => {
        event.preventDefault()
        run()
      },
    },
  }
}

function focusField(form: HTMLFormElement | null, name: string): void {
  const field = form?.elements.namedItem(name)
  if (field instanceof HTMLElement) field.focus()
}

function firstIssue(
  error: $ZodError,
  issueNotice: ((message: string) => Notice) | null = validationError,
): FormRefusal {
  const issue = error.issues[0]
  const text = issue?.message ?? 'Invalid input'
  return { field: String(issue?.path[0] ?? ''), text, notice: issueNotice?.(text) }
}

function validationError(description: string): Notice {
  return { title: validationErrorTitle, description }
}

/** The notice of an unexpected error. Only some messages are for people. */
function failureNotice(error: unknown): Notice {
  return error instanceof UnreachableError
    ? { title: 'Error', description: error.message }
    : unexpectedFailure
}
