import { queryOptions } from '@tanstack/react-query'
import type { ApiUpdates } from '#domain/database.generated.ts'
import { oneRowOf, tables } from '#web/client.ts'

const columns = 'id, token, enabled, has_password, expires_at'

/** The shared report of a link; null without one. */
export function sharedReportQuery(linkId: string) {
  return queryOptions({
    queryKey: ['shared-report', linkId],
    queryFn: ({ signal }) =>
      oneRowOf(tables.from('shared_reports').select(columns).eq('link_id', linkId), signal),
  })
}

export const createSharedReport = (linkId: string) =>
  tables.from('shared_reports').insert({ link_id: linkId }).throwOnError()

export const changeSharedReport = (linkId: string, change: ApiUpdates['shared_reports']) =>
  tables.from('shared_reports').update(change).eq('link_id', linkId).throwOnError()

/** The address is void then: sharing the report again gives it another one. */
export const deleteSharedReport = (linkId: string) =>
  tables.from('shared_reports').delete().eq('link_id', linkId).throwOnError()
