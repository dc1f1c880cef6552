import { settingsNotices } from '#domain/texts/account-texts.ts'
import { auth } from '#web/api/auth-client.ts'
import type { FormRefusal } from '#web/forms/use-form.ts'

/** A factor that the server refuses under this name. */
export function factorRefusal(text: string): FormRefusal {
  return { field: 'name', text, notice: { ...settingsNotices.factorFailed, description: text } }
}

/**
 * Makes sure that a new second factor may have this name. One that was begun and never finished makes room for it. To
 * be asked before `mfa.webauthn.register`, which on a name that is taken removes the key that has it.
 *
 * @returns the problem of the name, or null
 */
export async function claimFactorName(name: string): Promise<string | null> {
  if (name === '') return null
  const { data, error } = await auth.mfa.listFactors()
  if (error !== null) return error.message
  const namesakes = data.all.filter(({ friendly_name: other }) => other === name)
  if (namesakes.some(({ status }) => status === 'verified'))
    return `You have a second factor “${name}” already`
  for (const { id } of namesakes) await auth.mfa.unenroll({ factorId: id })
  return null
}
