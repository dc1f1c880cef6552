import { useQueryClient } from '@tanstack/react-query'
import { audienceNotices } from '#domain/texts/audience-texts.ts'
import { tables } from '#web/api/client.ts'
import { refusalNotice } from '#web/api/refusal-notice.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { leadsKey } from './leads-query.ts'

/** At a time: a request has a bounded length. */
const maxIds = 200

function useRefresh(userId: string) {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: leadsKey(userId) })
}

export interface TagChange {
  ids: readonly string[]
  add: readonly string[]
  remove: readonly string[]
}

export function useTagLeads(userId: string) {
  const refresh = useRefresh(userId)
  return useSingleMutation({
    mutationFn: async ({ ids, add, remove }: TagChange) => {
      for (let start = 0; start < ids.length; start += maxIds)
        await tables
          .rpc('tag_leads', {
            _ids: ids.slice(start, start + maxIds),
            _add: [...add],
            _remove: [...remove],
          })
          .throwOnError()
    },
    onSuccess: async () => {
      notifySuccess(audienceNotices.tagged)
      await refresh()
    },
    onError: (error) => {
      notifyError(refusalNotice(error) ?? audienceNotices.tagFailed)
      // Of many, some may be changed.
      void refresh()
    },
  })
}

export function useDeleteLeads(userId: string) {
  const refresh = useRefresh(userId)
  return useSingleMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (let start = 0; start < ids.length; start += maxIds)
        await tables
          .from('leads')
          .delete()
          .in('id', ids.slice(start, start + maxIds))
          .eq('user_id', userId)
          .throwOnError()
    },
    onSuccess: async () => {
      notifySuccess(audienceNotices.deleted)
      await refresh()
    },
    onError: () => {
      notifyError(audienceNotices.deleteFailed)
      // Of many, some may be gone.
      void refresh()
    },
  })
}

/** Those that changed. */
interface AudienceSettings {
  _retention_days?: number | null
  _double_opt_in?: boolean
}

export function useSaveAudience(userId: string) {
  const refresh = useRefresh(userId)
  return useSingleMutation({
    mutationFn: async (settings: AudienceSettings) => {
      await tables.rpc('save_audience', settings).throwOnError()
    },
    onSuccess: async () => {
      notifySuccess(audienceNotices.saved)
      await refresh()
    },
    onError: () => notifyError(audienceNotices.saveFailed),
  })
}
