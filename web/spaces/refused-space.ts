import type { FormRefusal } from '#web/forms/use-form.ts'

/**
 * The refusal of a space's name, address or plan, at its field; undefined for other errors. The message is a sentence for people
 * (database/code/27_spaces.sql).
 */
export function refusedSpace(error: unknown): FormRefusal | undefined {
  if (!(error instanceof Error) || !('hint' in error)) return undefined
  const { hint, message } = error
  const isKnown = [
    'slug',
    'name',
    'plan',
    'email',
    'last_owner',
    'role',
    'invitation_over',
    'invitation_of_another',
    'member_already',
  ].some((name) => name === hint)
  return isKnown ? { field: String(hint), text: message } : undefined
}
