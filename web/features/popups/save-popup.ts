import { useQueryClient } from '@tanstack/react-query'
import type { PopupForm } from '#domain/popups/popup-form.ts'
import { popupNotices } from '#domain/texts/popup-texts.ts'
import type { Notice } from '#domain/texts/texts.ts'
import { tables } from '#web/api/client.ts'
import type { PopupRow } from '#web/api/database.ts'

interface Failure {
  failure: Notice
}

/** `newer`: somebody else changed a column of this change meanwhile, and nothing is saved. */
type Change = { id: string } | Failure | { newer: PopupRow }

/** Creates a popup. @returns its id, or why it did not work */
export function useCreatePopup(userId: string) {
  const client = useQueryClient()
  return async (form: PopupForm): Promise<{ id: string } | Failure> => {
    const insertion = tables.from('popups').insert({ user_id: userId, ...form })
    const { data, error } = await insertion.select('id').single()
    if (error !== null) return saveFailed(error)
    await invalidatePopups(client)
    return data
  }
}

/**
 * Saves changed columns of a popup. Changes of another tab to other columns stay, and values that the person has not seen
 * are not overwritten.
 */
export function useUpdatePopup() {
  const client = useQueryClient()
  return async (seen: PopupRow, change: Partial<PopupForm>): Promise<Change> => {
    const result = await updatePopup(seen, change)
    if ('id' in result) await invalidatePopups(client)
    return result
  }
}

async function updatePopup(seen: PopupRow, change: Partial<PopupForm>): Promise<Change> {
  const { id, user_id: userId, version } = seen
  const columns = Object.keys(change) as (keyof PopupForm)[]
  const popups = tables.from('popups')
  // Without a change, the answer shows whether the popup still exists.
  const write =
    columns.length === 0
      ? popups.select('id')
      : popups.update(change).eq('version', version).select('id')
  const { data, error } = await write.eq('id', id).eq('user_id', userId).maybeSingle()
  if (error !== null) return saveFailed(error)
  if (data !== null) return data
  const stored = await tables.from('popups').select('*').eq('id', id).eq('user_id', userId).single()
  if (stored.error !== null) return saveFailed(stored.error)
  const newer = stored.data
  const isConflict = columns.some(
    (column) => newer[column] !== seen[column] && newer[column] !== change[column],
  )
  return isConflict ? { newer } : updatePopup(newer, change)
}

function saveFailed(error: { code: string; message: string }): Failure {
  return { failure: failureOf(error, popupNotices.saveFailed) }
}

/** A rule that the popup breaks comes as a sentence for people; the messages of other errors are for programmers. */
export function failureOf(error: { code: string; message: string }, failure: Notice): Notice {
  const isRule = (error.code === '23514' || error.code === 'P0001') && error.message !== ''
  return isRule ? { title: failure.title, description: error.message } : failure
}

/** After a popup was saved or deleted: the list here, and the choices of links and pages, are read again. */
export async function invalidatePopups(client: ReturnType<typeof useQueryClient>): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['popups'] }),
    client.invalidateQueries({ queryKey: ['popup-choices'] }),
  ])
}
