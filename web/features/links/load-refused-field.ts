import type { TableError } from '#web/refusal-notice.ts'
import type { FormRefusal } from '#web/use-form.ts'

/** The field of the form of a link that a refusal is about, with the sentence; its script comes when there is one. */
export async function loadRefusedField(error: TableError): Promise<FormRefusal | undefined> {
  const loaded = await import('./options/refused-field.ts').catch(() => undefined)
  return loaded?.refusedField(error)
}
