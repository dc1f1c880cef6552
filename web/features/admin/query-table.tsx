import type { ToastText } from '#web/ui/toasts/notify.ts'
import { QueryList } from '#web/ui/query-list.tsx'
import type { QueryState } from '#web/ui/query-panel.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'

interface QueryTableProps<Row> {
  query: QueryState & { data: readonly Row[] | undefined }
  loading: string
  skeletonRows: number
  failed: ToastText
  empty: string
  label: string
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
}

/** The rows of a query as a table. */
export function QueryTable<Row>(props: QueryTableProps<Row>) {
  const { query, loading, skeletonRows, failed, empty, ...table } = props
  return (
    <QueryList
      {...{ query, loading, failed }}
      rows={query.data}
      skeleton={<RowsSkeleton rows={skeletonRows} />}
      empty={<p className="text-ink-soft">{empty}</p>}
    >
      {(rows) => <DataTable {...table} rows={rows} />}
    </QueryList>
  )
}
