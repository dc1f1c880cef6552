import { queryOptions } from '@tanstack/react-query'
import type { ApiUpdates } from '#domain/database.generated.ts'
import { sharedReportTexts } from '#domain/texts/link-texts.ts'
import type { Notice } from '#domain/texts/texts.ts'
import { oneRowOf, tables } from '#web/api/client.ts'
import { refusalNotice, type TableError } from '#web/api/refusal-notice.ts'

/** The link or tag of a shared report. */
export interface ReportSubject {
  kind: 'link' | 'tag'
  id: string
  /** The title that its report has without another one. */
  name: string
}

export interface SharedReportRow {
  id: string
  token: string
  title: string | null
  shown_name: string | null
  enabled: boolean
  has_password: boolean
  expires_at: string | null
}

const columnOf = { link: 'link_id', tag: 'tag_id' } as const
const columns = 'id, token, title, shown_name, enabled, has_password, expires_at'

/** The shared report of a link or tag; null without one. */
export function sharedReportQuery({ kind, id }: ReportSubject) {
  return queryOptions({
    queryKey: ['shared-report', kind, id],
    queryFn: ({ signal }): Promise<SharedReportRow | null> =>
      oneRowOf(tables.from('shared_reports').select(columns).eq(columnOf[kind], id), signal),
  })
}

type Words = Pick<ApiUpdates['shared_reports'], 'title' | 'shown_name'>

export async function createSharedReport({ kind, id }: ReportSubject, words: Words) {
  await tables
    .from('shared_reports')
    .insert({ [columnOf[kind]]: id, ...words })
    .throwOnError()
}

export async function changeSharedReport(
  { kind, id }: ReportSubject,
  change: ApiUpdates['shared_reports'],
) {
  await tables.from('shared_reports').update(change).eq(columnOf[kind], id).throwOnError()
}

/** The address is void then: sharing the report again gives it another one. */
export async function deleteSharedReport({ kind, id }: ReportSubject) {
  await tables.from('shared_reports').delete().eq(columnOf[kind], id).throwOnError()
}

/** The sentence of the server for a value or a second report that it refuses. */
export function sharedReportRefusal(error: unknown): Notice {
  if (!isTableError(error)) return sharedReportTexts.failed
  if (error.code === '23505') return { title: 'Error', description: error.message }
  return refusalNotice(error) ?? sharedReportTexts.failed
}

function isTableError(error: unknown): error is Error & Partial<TableError> {
  return error instanceof Error && 'code' in error
}
