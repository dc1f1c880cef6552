import { useEffect, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Loading } from '#web/ui/mark.tsx'
import { notifyError, type ToastText } from '#web/ui/toasts/notify.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'

/** The state of a query. The optional part is for queries with pages. */
export interface QueryState {
  isError: boolean
  refetch: () => Promise<{ isError: boolean }>
  hasNextPage?: boolean
  isFetchingNextPage?: boolean
  isFetchNextPageError?: boolean
  fetchNextPage?: () => Promise<{ isError: boolean }>
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
  // Once: a query that polls may fail again and again.
  useEffect(() => {
    if (query.isError) notifyError(failed)
  }, [query.isError, failed])

  async function retry() {
    const { isFetchNextPageError, fetchNextPage, refetch } = query
    const next = isFetchNextPageError === true ? fetchNextPage : undefined
    const { isError } = await (next ?? refetch)()
    // Without data the panel was pending meanwhile, and the effect says it.
    if (isError && query.data !== undefined) notifyError(failed)
  }

  // Earlier data stays after an error.
  return (
    <>
      {query.data !== undefined ? children(query.data) : null}
      {query.isError ? (
        <div className="mt-6 first:mt-0">
          <StatePanel
            role="alert"
            title={failed.description ?? failed.title}
            action={<Button onClick={() => void retry()}>Try Again</Button>}
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
