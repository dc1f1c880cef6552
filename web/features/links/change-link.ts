import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { ApiUpdates } from '#domain/database.generated.ts'
import { type Notice, notices } from '#domain/texts/texts.ts'
import { tables } from '#web/api/client.ts'
import { notifyError, notifyInfo, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import type { LinkRow } from '#web/api/database.ts'
import { changeLoadedLinks, dropMovedLinks } from './links-query.ts'
import { refusalNotice, type TableError } from '#web/api/refusal-notice.ts'

type LinkChange = ApiUpdates['shortened_urls']
type ProgramColumn = 'user_id' | 'external_id' | 'former_url'
/**
 * Fields of the edit form: each column that an owner may change, but those of programs. The password is there only if it
 * is to change.
 */
export type EditedLink = Required<Omit<LinkChange, ProgramColumn | 'password'>> & {
  password?: string
}
/** Those of the form of options. */
export type OptionColumns = Omit<
  EditedLink,
  'original_url' | 'show_popup' | 'popup_id' | 'is_disabled'
>

interface WantedChange {
  id: string
  change: LinkChange
  done: Notice
  /** Saves although an expectation is not met then. */
  ignoresExpectations?: boolean | undefined
}

/** Changes a link; one that was deleted elsewhere meanwhile leaves the lists. @returns the refusal; undefined when it is saved */
async function changeLink(
  client: QueryClient,
  { id, change, done, ignoresExpectations = false }: WantedChange,
): Promise<TableError | undefined> {
  const links = tables.from('shortened_urls')
  // Without a change, the answer shows whether the link still exists.
  const isUnchanged = Object.keys(change).length === 0
  const changed = isUnchanged
    ? links.select('*').eq('id', id)
    : links.update(change).eq('id', id).select('*')
  const request = changed.maybeSingle()
  if (ignoresExpectations) request.setHeader('Prefer', 'return=representation,expectations=ignore')
  const { data, error } = await request
  if (error !== null) return error
  changeLoadedLinks(client, (link) => (link.id === id ? data : link))
  if ('archived_at' in change || 'tags' in change) dropMovedLinks(client)
  void client.invalidateQueries({ queryKey: ['link-history'] })
  void client.invalidateQueries({ queryKey: ['account'] })
  if (data === null) notifyInfo(notices.linkGone)
  else notifySuccess(done)
  return undefined
}

export function notifyRefusedChange(error: TableError): void {
  notifyError(refusalNotice(error) ?? notices.updateFailed)
}

/** The same with a toast for the refusal. @returns whether it was saved */
async function changeLinkOrNotify(client: QueryClient, wanted: WantedChange): Promise<boolean> {
  const error = await changeLink(client, wanted)
  if (error !== undefined) notifyRefusedChange(error)
  return error === undefined
}

/** The function returns whether the change was saved. */
export function useUpdateLink() {
  const client = useQueryClient()
  return (link: LinkRow, change: Partial<EditedLink>, done: Notice = notices.updated) =>
    changeLinkOrNotify(client, { id: link.id, change: changedOnly(link, change), done })
}

/** Saves the form of a link. The function returns the refusal, without a toast; undefined when the form is saved. */
export function useSaveLink() {
  const client = useQueryClient()
  return (link: LinkRow, edited: Partial<EditedLink>, ignoresExpectations: boolean) =>
    changeLink(client, {
      id: link.id,
      change: changedOnly(link, edited),
      done: notices.updated,
      ignoresExpectations,
    })
}

/** Changes of another tab to other columns stay. */
function changedOnly(link: LinkRow, change: Partial<EditedLink>): LinkChange {
  const columns = (Object.keys(change) as (keyof EditedLink)[]).filter(
    (column) => JSON.stringify(change[column]) !== JSON.stringify(link[column]),
  )
  return Object.fromEntries(columns.map((column) => [column, change[column]]))
}

/** Switches a link off, or on again. */
export function useSetActive() {
  const client = useQueryClient()
  return useCallback(
    (id: string, isActive: boolean) =>
      void changeLinkOrNotify(client, {
        id,
        change: { is_disabled: !isActive },
        done: isActive ? notices.linkOn : notices.linkOff,
      }),
    [client],
  )
}

/** The address of a request has its ids. */
const maxPerRequest = 100

export async function deleteLinks(ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += maxPerRequest) {
    await tables
      .from('shortened_urls')
      .delete()
      .in('id', ids.slice(from, from + maxPerRequest))
      .throwOnError()
  }
}

/**
 * Deletes links at once, after the dialog that asks. There is no undo: a deleted link can't be made again as it was,
 * because its clicks and its place in the quota are gone. One without clicks goes by `useRemoveUnclicked`.
 *
 * @param onDeleted comes before they leave the lists, and with them the screen that may have asked
 */
export function useDeleteLinks(onDeleted: (links: readonly LinkRow[]) => Promise<void> | void) {
  const client = useQueryClient()
  return useSingleMutation({
    mutationFn: (links: readonly LinkRow[]) => deleteLinks(links.map(({ id }) => id)),
    onSuccess: async (_, links) => {
      const gone = new Set(links.map(({ id }) => id))
      await onDeleted(links)
      notifySuccess(
        links.length === 1
          ? notices.deleted
          : { ...notices.deleted, description: `${links.length} links removed successfully` },
      )
      changeLoadedLinks(client, (link) => (gone.has(link.id) ? null : link))
      await client.invalidateQueries({ queryKey: ['account'] })
    },
    onError: (_, links) => {
      notifyError(notices.deleteFailed)
      // Of many, some may be gone.
      if (links.length > 1) void client.invalidateQueries({ queryKey: ['links'] })
    },
  })
}
