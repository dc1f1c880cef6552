import { useEffect, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Loading } from '#web/ui/mark.tsx'
import { notifyError, type ToastText } from '#web/ui/notify.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'

/** The state of a query. The optional part is for queries with pages. */
export interface QueryState {
  isError: boolean
  errorUpdatedAt: number
  refetch: () => Promise<unknown>
  hasNextPage?: boolean
  isFetchingNextPage?: boolean
  isFetchNextPageError?: boolean
  fetchNextPage?: () => Promise<unknown>
}

export interface QueryPanelProps<Data> {
  query: QueryState & { data: Data | undefined }
  /** Null where the skeleton says it. */
  loading?: string | null
  /** As high as the coming content; without it the mark hops. */
  skeleton?: ReactNode
  failed: ToastText
  children: (data: Data) => ReactNode
}

/** The result of a query, its loading state, or its error with another try. */
export function QueryPanel<Data>({
  query,
  loading = 'Loading',
  skeleton,
  failed,
  children,
}: QueryPanelProps<Data>) {
  useEffect(() => {
    if (query.isError) notifyError(failed)
  }, [query.isError, query.errorUpdatedAt, failed])

  // Earlier data stays after an error.
  return (
    <>
      {query.data !== undefined ? children(query.data) : null}
      {query.isError ? (
        <div className="mt-6 first:mt-0">
          <StatePanel
            role="alert"
            title={failed.description ?? failed.title}
            action={<Button onClick={() => void retry(query)}>Try Again</Button>}
          />
        </div>
      ) : query.data !== undefined ? null : skeleton === undefined ? (
        <Loading label={loading ?? ''} />
      ) : (
        <>
          {loading === null ? null : <output className="sr-only">{loading}</output>}
          {skeleton}
        </>
      )}
    </>
  )
}

function retry({ isFetchNextPageError, fetchNextPage, refetch }: QueryState): Promise<unknown> {
  return isFetchNextPageError === true && fetchNextPage !== undefined ? fetchNextPage() : refetch()
}
