import { settingsNotices } from '#domain/texts/account-texts.ts'
import { UnreachableError } from '#web/api/fetch-in-words.ts'

/**
 * Makes the `submit` of a form of `save`, which rejects with the server's words: they stand at `field` and in a notice.
 */
export function submitOrRefuse<Fields>(save: (fields: Fields) => Promise<void>, field: string) {
  return async (fields: Fields) => {
    try {
      await save(fields)
      return undefined
    } catch (error) {
      if (error instanceof UnreachableError || !(error instanceof Error)) throw error
      const notice = { ...settingsNotices.webhookNotSaved, description: error.message }
      return { field, text: error.message, notice }
    }
  }
}
