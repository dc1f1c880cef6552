import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { QueryPanel, type QueryPanelProps, type QueryState } from '#web/ui/query-panel.tsx'

interface QueryListProps<Row> extends Omit<QueryPanelProps<readonly Row[]>, 'query'> {
  query: QueryState
  /** What the query has brought; undefined until it is known. */
  rows: readonly Row[] | undefined
  /** Shown without rows: the list is empty, or no row matches. */
  empty: ReactNode
  /** The button that loads the next page. */
  more?: { label: string; busy?: string; size?: 'small' | 'medium'; className?: string }
}

/** A list in each of its states: under way, empty, failed, or its rows and a button for more of them. */
export function QueryList<Row>(props: QueryListProps<Row>) {
  const { query, rows, empty, more, children, ...panel } = props
  const busy = query.isFetchingNextPage === true
  return (
    <>
      <QueryPanel {...panel} query={{ ...query, data: rows }}>
        {(all) => (all.length === 0 ? empty : children(all))}
      </QueryPanel>
      {more === undefined || query.hasNextPage !== true || query.isError ? null : (
        <div className={more.className ?? 'mt-6 text-center'}>
          <Button
            size={more.size ?? 'medium'}
            busy={busy}
            onClick={() => void query.fetchNextPage?.()}
          >
            {busy ? (more.busy ?? 'Loading...') : more.label}
          </Button>
        </div>
      )}
    </>
  )
}
