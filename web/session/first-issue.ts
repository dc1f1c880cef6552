import type { $ZodError } from 'zod/v4/core'
import { validationErrorTitle, type Notice } from '#domain/texts.ts'

/** Moves the focus to the field of this name in a form. */
export function focusField(form: HTMLFormElement, name: string): void {
  const field = form.elements.namedItem(name)
  if (field instanceof HTMLInputElement) field.focus()
}

/** The first thing wrong with a form: its field, and the notice that specification §5 asks for. */
export function firstIssue(error: $ZodError): { field: string; notice: Notice } {
  const issue = error.issues[0]
  return {
    field: String(issue?.path[0] ?? ''),
    notice: { title: validationErrorTitle, description: issue?.message ?? 'Invalid input' },
  }
}
