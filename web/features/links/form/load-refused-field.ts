import { queryClient } from '#web/api/query-client.ts'
import type { TableError } from '#web/api/refusal-notice.ts'
import type { FormRefusal } from '#web/forms/use-form.ts'

/** The field of the form of a link that a refusal is about, with the sentence; its script comes when there is one. */
export async function loadRefusedField(error: TableError): Promise<FormRefusal | undefined> {
  const loaded = await import('../options/refused-field.ts').catch(() => undefined)
  const refused = loaded?.refusedField(error)
  // It was deleted elsewhere.
  if (refused?.field === 'popup')
    void queryClient.invalidateQueries({ queryKey: ['popup-choices'] })
  return refused
}
